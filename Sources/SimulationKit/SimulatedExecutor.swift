import DequeModule
import Synchronization

/// Runs jobs one at a time, in the order enqueued, on the thread that calls `drain()`.
final class SimulatedExecutor: TaskExecutor {
    private let jobs = Mutex(Deque<UnownedJob>())

    init() {}

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs jobs until none is left.
    ///
    /// - Parameter limit: How many at most.
    /// - Returns: How many ran.
    @discardableResult
    func drain(limit: Int = .max) -> Int {
        var count = 0
        while count < limit, let job = jobs.withLock({ $0.popFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
            count += 1
        }
        return count
    }
}
