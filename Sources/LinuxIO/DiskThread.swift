import CLinux
import DequeModule
import Glibc
import Readings
import Synchronization

/// Runs what may block, one piece at a time, on a thread of its own.
///
/// A card that stalls for seconds is normal; it must not stop the loop. What runs here cannot be
/// interrupted; whoever waits for it can leave, with `attempt`.
package actor DiskThread {
    private let executor: ThreadExecutor

    /// Starts the thread; it ends when the actor is gone.
    ///
    /// - Throws: `LinuxError` when there is no thread to be had.
    package init(name: String = "disk") throws(LinuxError) {
        executor = try ThreadExecutor(name: name)
    }

    deinit { executor.stop() }

    nonisolated package var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Runs `body` on the thread.
    ///
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws; `CancellationError` when cancelled before its turn.
    package func run<Value: Sendable>(
        _ body: @Sendable () throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        return try body()
    }

    /// Runs `body` on the thread, and leaves it alone there when cancelled.
    ///
    /// A card that stalls must hold up nobody who has to end. What was left goes on, now or when
    /// its turn comes, and what it returns is lost.
    ///
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws; `CancellationError` when cancelled before its end.
    nonisolated package func attempt<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let errand = Errand<Value>()
        executor.submit { errand.finish(Result { try body() }) }
        return try await errand.result()
    }
}

/// Something done elsewhere, and one task that waits for it.
private final class Errand<Value: Sendable>: Sendable {
    private let outcome = Mutex<Result<Value, any Error>?>(nil)
    private let signal = Signal()

    func finish(_ result: Result<Value, any Error>) {
        outcome.withLock { $0 = result }
        signal.raise()
    }

    func result() async throws -> Value {
        _ = await withTaskCancellationHandler {
            await signal.park()
        } onCancel: {
            signal.finish(.cancelled)
        }
        guard let result = outcome.withLock({ $0 }) else { throw CancellationError() }
        return try result.get()
    }
}

/// A serial executor with one thread, asleep in `read` of an eventfd while there is nothing to do.
private final class ThreadExecutor: SerialExecutor {
    private enum Work: Sendable {
        case job(UnownedJob)
        case body(@Sendable () -> Void)
    }

    private struct State {
        // Bound: one per task that waits for the thread, so by the number of tasks.
        var jobs = Deque<Work>()
        var isAsleep = false
        var isStopping = false
    }

    private let bell: OwnedDescriptor
    private let state = Mutex(State())

    init(name: String) throws(LinuxError) {
        bell = OwnedDescriptor(try check("eventfd") { eventfd(0, Int32(O_CLOEXEC)) })
        try Self.startThread(name: name, for: self)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        change { $0.jobs.append(.job(job)) }
    }

    func submit(_ body: @escaping @Sendable () -> Void) {
        change { $0.jobs.append(.body(body)) }
    }

    func stop() {
        change { $0.isStopping = true }
    }

    private func change(_ body: (inout sending State) -> Void) {
        let mustWake = state.withLock { state in
            body(&state)
            defer { state.isAsleep = false }
            return state.isAsleep
        }
        guard mustWake else { return }
        var one: UInt64 = 1
        _ = write(bell.raw, &one, MemoryLayout.size(ofValue: one))
    }

    private func runUntilStopped() {
        var isStopping = false
        while !isStopping {
            while let work = state.withLock({ $0.jobs.popFirst() }) {
                switch work {
                case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
                case .body(let body): body()
                }
            }
            let mustSleep = state.withLock { state in
                isStopping = state.isStopping && state.jobs.isEmpty
                state.isAsleep = state.jobs.isEmpty && !state.isStopping
                return state.isAsleep
            }
            guard mustSleep else { continue }
            var count: UInt64 = 0
            _ = read(bell.raw, &count, MemoryLayout.size(ofValue: count))
        }
    }

    /// Every signal stays blocked on the thread, so that the loop's signalfd gets them.
    private static func startThread(
        name: String,
        for executor: ThreadExecutor
    ) throws(LinuxError) {
        var (every, before) = (sigset_t(), sigset_t())
        sigfillset(&every)
        pthread_sigmask(SIG_SETMASK, &every, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let context = Unmanaged.passRetained(executor)
        var thread = pthread_t()
        let code = pthread_create(
            &thread,
            nil,
            { context in
                guard let context else { return nil }
                Unmanaged<ThreadExecutor>.fromOpaque(context).takeRetainedValue().runUntilStopped()
                return nil
            },
            context.toOpaque()
        )
        guard code == 0 else {
            context.release()
            throw .system(call: "pthread_create", errno: code, path: nil)
        }
        _ = clinux_name_thread(thread, name)
        pthread_detach(thread)
    }
}
