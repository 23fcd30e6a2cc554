import CLinux
import Core
import DequeModule
import Glibc
import Synchronization

/// Runs what may block, one piece at a time, on a thread of its own.
///
/// A card that stalls for seconds is normal; it must not stop the loop. What runs here cannot be
/// interrupted, but every task that waits for it can leave: a stop never waits for a card.
package final class DiskThread: Sendable {
    /// Bodies that wait for their turn, at most; one more is refused.
    ///
    /// Those of tasks that left stay in the queue: a card that hangs for hours could fill it.
    package static let waitingMax = 1_024

    private let thread: Worker

    /// Starts the thread; it ends when the object is gone and nothing waits any more.
    ///
    /// - Throws: `LinuxError` when there is no thread to be had.
    package init(name: String = "disk") throws(LinuxError) {
        thread = try Worker(name: name)
    }

    deinit { thread.stop() }

    /// Runs `body` on the thread; it continues there when the caller is cancelled.
    ///
    /// A body that was left runs to its end all the same, now or when its turn comes; what it
    /// returns is released there.
    ///
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws; `CancellationError` when cancelled before its end;
    ///   `LinuxError` when `waitingMax` bodies wait already.
    package func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let errand = Errand<Value>()
        try submit { errand.finish(Result { try body() }) }
        return try await errand.result()
    }

    /// Lets `body` run on the thread and does not wait for it.
    package func submit(_ body: @escaping @Sendable () -> Void) throws(LinuxError) {
        try thread.submit(body)
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

/// One thread, asleep in `read` of an eventfd while there is nothing to do.
private final class Worker: Sendable {
    private struct State {
        // Bound: `DiskThread.waitingMax`.
        var bodies = Deque<@Sendable () -> Void>()
        var isAsleep = false
        var isStopping = false
    }

    private let bell: OwnedDescriptor
    private let state = Mutex(State())

    init(name: String) throws(LinuxError) {
        bell = OwnedDescriptor(try check("eventfd") { eventfd(0, Int32(O_CLOEXEC)) })
        try Self.startThread(name: name, for: self)
    }

    func submit(_ body: @escaping @Sendable () -> Void) throws(LinuxError) {
        let isTaken = change { state in
            guard state.bodies.count < DiskThread.waitingMax else { return false }
            state.bodies.append(body)
            return true
        }
        guard isTaken else { throw .system(call: "disk thread", errno: EBUSY, path: nil) }
    }

    func stop() {
        change { state in
            state.isStopping = true
            return true
        }
    }

    @discardableResult
    private func change(_ body: (inout sending State) -> Bool) -> Bool {
        let (isDone, mustWake) = state.withLock { state in
            let isDone = body(&state)
            defer { state.isAsleep = false }
            return (isDone, state.isAsleep)
        }
        guard mustWake else { return isDone }
        var one: UInt64 = 1
        _ = write(bell.raw, &one, MemoryLayout.size(ofValue: one))
        return isDone
    }

    private func runUntilStopped() {
        var isStopping = false
        while !isStopping {
            while let body = state.withLock({ $0.bodies.popFirst() }) { body() }
            let mustSleep = state.withLock { state in
                isStopping = state.isStopping && state.bodies.isEmpty
                state.isAsleep = state.bodies.isEmpty && !state.isStopping
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
        for worker: Worker
    ) throws(LinuxError) {
        var (every, before) = (sigset_t(), sigset_t())
        sigfillset(&every)
        pthread_sigmask(SIG_SETMASK, &every, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let context = Unmanaged.passRetained(worker)
        var thread = pthread_t()
        let code = pthread_create(
            &thread,
            nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Worker>.fromOpaque(context).takeRetainedValue().runUntilStopped()
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
