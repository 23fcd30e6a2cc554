import CLinux
import Core
import DequeModule
import Glibc
import Runtime
import Synchronization

/// Runs a node on one thread: its jobs, its descriptors and its one timer.
///
/// It sleeps in `epoll_wait` and wakes for events alone. A task started by `run`, and every plain
/// actor, child task and `async let` below it, stays on the thread. Nothing on it may block.
///
/// The timer is a `timerfd` on `CLOCK_BOOTTIME`, so that suspended time counts; it is set only
/// when the next wake-up has changed, and never read: edge-triggered, each setting is a new edge.
package final class EventLoop: TaskExecutor, Sendable {
    /// Why and how often the loop woke, since the start.
    package struct Counters: Hashable, Sendable {
        /// Returns of `epoll_wait` that followed real sleep; each is about one context switch.
        package fileprivate(set) var wakeUps = 0
        /// Wake-ups by cause (timer, descriptor, other thread); one may have several causes.
        package fileprivate(set) var timerWakeUps = 0
        package fileprivate(set) var descriptorWakeUps = 0
        package fileprivate(set) var crossThreadWakeUps = 0
        /// Jobs run: pieces of tasks between two suspensions.
        package fileprivate(set) var jobs = 0
        /// How often the timer was set.
        package fileprivate(set) var timerSettings = 0
    }

    private struct State {
        // Bound: one per task that can run, so by the number of tasks.
        var jobs = Deque<UnownedJob>()
        var isAsleep = false
        var counters = Counters()
        /// By file descriptor, which the kernel numbers from below; bound: RLIMIT_NOFILE.
        var watched: [Watched?] = []
        var armed: MonotonicInstant?
        var thread: pthread_t?
    }

    /// Buffers for one call of `epoll_wait`; reused, so that a wake-up allocates nothing.
    private struct Round {
        var events = [epoll_event](repeating: epoll_event(), count: eventBatch)
        var woken: [(watched: Watched, events: UInt32)] = []
    }

    /// Jobs run before descriptors are looked at again, so that a busy task cannot shut them out.
    private static let jobBatch = 128
    /// Events read at once; more wait for the next round.
    private static let eventBatch = 32
    /// How late the kernel may be with timed calls on this thread that are not our timer, in ns.
    private static let timerSlackNanoseconds: UInt = 1_000_000

    private let epoll: OwnedDescriptor
    private let timer: OwnedDescriptor
    private let wakeUp: OwnedDescriptor
    private let state = Mutex(State())
    let sleepers = Sleepers()
    let wallClock = WallClock()

    package init() throws(LinuxError) {
        epoll = OwnedDescriptor(try check("epoll_create1") { epoll_create1(Int32(O_CLOEXEC)) })
        timer = OwnedDescriptor(
            try check("timerfd_create") {
                timerfd_create(CLOCK_BOOTTIME, Int32(O_CLOEXEC | O_NONBLOCK))
            }
        )
        wakeUp = OwnedDescriptor(
            try check("eventfd") { eventfd(0, Int32(O_CLOEXEC | O_NONBLOCK)) }
        )
        try control(EPOLL_CTL_ADD, timer.raw, EPOLLIN.rawValue | EPOLLET.rawValue)
        try control(EPOLL_CTL_ADD, wakeUp.raw, EPOLLIN.rawValue | EPOLLET.rawValue)
    }

    package var counters: Counters { state.withLock { $0.counters } }

    package var clock: LoopClock { LoopClock(loop: self) }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let mustWake = state.withLock { state in
            state.jobs.append(job)
            defer { state.isAsleep = false }
            return state.isAsleep
        }
        if mustWake { ring() }
    }

    /// Runs `root` and everything below it on the calling thread until `root` ends.
    ///
    /// Unstructured tasks that are still waiting then never run again.
    ///
    /// - Throws: What `root` throws, or `LinuxError` when the kernel refuses to wait.
    package func run<Value: Sendable>(
        _ root: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let result = Mutex<Result<Value, any Error>?>(nil)
        let isDone = Atomic(false)
        state.withLock { state in
            precondition(state.thread == nil, "a loop runs on one thread")
            state.thread = pthread_self()
        }
        let slack = clinux_timer_slack()
        _ = clinux_set_timer_slack(Self.timerSlackNanoseconds)
        defer {
            _ = clinux_set_timer_slack(slack)
            state.withLock { $0.thread = nil }
        }
        Task<Void, Never>(executorPreference: self) {
            let outcome: Result<Value, any Error>
            do { outcome = .success(try await root()) } catch { outcome = .failure(error) }
            result.withLock { $0 = outcome }
            isDone.store(true, ordering: .releasing)
        }
        var round = Round()
        while true {
            runJobs()
            // A generic result is dear to look at in each round.
            if isDone.load(ordering: .acquiring), let result = result.withLock({ $0 }) {
                return try result.get()
            }
            try waitForEvents(&round)
        }
    }

    /// Whether the caller is on the loop's own thread.
    package var isCurrent: Bool {
        state.withLock { state in
            state.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false
        }
    }

    private func runJobs() {
        let executor = asUnownedTaskExecutor()
        for _ in 0..<Self.jobBatch {
            let job = state.withLock { state -> UnownedJob? in
                guard let job = state.jobs.popFirst() else { return nil }
                state.counters.jobs += 1
                return job
            }
            guard let job else { return }
            job.runSynchronously(on: executor)
        }
    }

    private func waitForEvents(_ round: inout Round) throws(LinuxError) {
        let wake = sleepers.nextWake
        let (mustArm, isAsleep) = state.withLock { state in
            let mustArm = state.armed != wake
            state.armed = wake
            state.isAsleep = state.jobs.isEmpty
            return (mustArm, state.isAsleep)
        }
        if mustArm { try arm(wake) }
        let count = epoll_wait(
            epoll.raw,
            &round.events,
            Int32(Self.eventBatch),
            isAsleep ? -1 : 0
        )
        guard count >= 0 || errno == EINTR else {
            throw .system(call: "epoll_wait", errno: errno, path: nil)
        }
        handle(Int(max(count, 0)), of: &round, wasAsleep: isAsleep)
        // Descriptors first: what arrives at the deadline has arrived.
        for (watched, events) in round.woken { watched.handle(events) }
        round.woken.removeAll(keepingCapacity: true)
        if wake != nil { sleepers.wake(at: .now()) }
    }

    /// Clears the wake-up and marks the loop as awake before any task is resumed: a task that is
    /// enqueued from here on need not wake it.
    private func handle(_ count: Int, of round: inout Round, wasAsleep: Bool) {
        var causes: (timer: Bool, crossThread: Bool) = (false, false)
        state.withLock { state in
            for index in 0..<count {
                let event = round.events[index]
                switch event.data.fd {
                case timer.raw: causes.timer = true
                case wakeUp.raw: causes.crossThread = true
                default:
                    guard let watched = state.watched[Int(event.data.fd)] else { continue }
                    round.woken.append((watched, event.events))
                }
            }
            state.isAsleep = false
            if causes.timer { state.armed = nil }
            guard wasAsleep else { return }
            state.counters.wakeUps += 1
            state.counters.timerWakeUps += causes.timer ? 1 : 0
            state.counters.descriptorWakeUps += round.woken.isEmpty ? 0 : 1
            state.counters.crossThreadWakeUps += causes.crossThread ? 1 : 0
        }
    }

    /// Sets the one timer; nil stops it.
    private func arm(_ instant: MonotonicInstant?) throws(LinuxError) {
        var setting = itimerspec()
        if let instant {
            // Zero would stop the timer; an instant that has passed fires at once.
            let nanoseconds = max(instant.nanoseconds, 1)
            setting.it_value = timespec(
                tv_sec: Int(nanoseconds / 1_000_000_000),
                tv_nsec: Int(nanoseconds % 1_000_000_000)
            )
        }
        try check("timerfd_settime") {
            timerfd_settime(timer.raw, Int32(TFD_TIMER_ABSTIME), &setting, nil)
        }
        state.withLock { $0.counters.timerSettings += 1 }
    }

    private func ring() {
        // Never read: edge-triggered, each write is a new edge. 2⁶⁴ − 1 is out of reach.
        var one: UInt64 = 1
        _ = write(wakeUp.raw, &one, MemoryLayout.size(ofValue: one))
    }
}

// MARK: - Descriptors

extension EventLoop {
    /// Starts watching a descriptor that is non-blocking and stays open until `Watched.close()`.
    ///
    /// - Throws: `LinuxError.system`; EPERM means a descriptor that never waits, such as a file.
    package func register(_ descriptor: Int32) throws(LinuxError) -> Watched {
        let watched = Watched(descriptor, on: self)
        state.withLock { state in
            let missing = Int(descriptor) + 1 - state.watched.count
            state.watched += repeatElement(nil, count: max(missing, 0))
            state.watched[Int(descriptor)] = watched
        }
        do {
            try control(EPOLL_CTL_ADD, descriptor, Watched.readEvents)
        } catch {
            state.withLock { $0.watched[Int(descriptor)] = nil }
            throw error
        }
        return watched
    }

    func control(
        _ operation: Int32,
        _ descriptor: Int32,
        _ events: UInt32
    ) throws(LinuxError) {
        var event = epoll_event()
        event.events = events
        event.data.fd = descriptor
        try check("epoll_ctl") { epoll_ctl(epoll.raw, operation, descriptor, &event) }
    }

    func forget(_ descriptor: Int32) {
        let known = state.withLock { $0.watched[Int(descriptor)].take() }
        if known != nil { try? control(EPOLL_CTL_DEL, descriptor, 0) }
    }
}
