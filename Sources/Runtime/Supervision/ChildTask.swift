import Core
import Synchronization

/// One life of a child, from its factory to its end, that can be stopped apart from the others.
final class ChildTask: Sendable {
    private struct State {
        var isToldToStop = false
        var child: (any Child)?
    }

    let spec: ChildSpec
    let heartbeat: Heartbeat
    private let clock: any NodeClock
    private let state = Mutex(State())
    private let endOrCancellation = Signal()

    init(_ spec: ChildSpec, heartbeat: Heartbeat, clock: any NodeClock) {
        self.spec = spec
        self.heartbeat = heartbeat
        self.clock = clock
    }

    /// The child, once its factory returned.
    var child: (any Child)? { state.withLock { $0.child } }

    /// Asks the child to stop and returns at once.
    ///
    /// In order if it supports that, else by cancelling it.
    func stop() {
        let child = state.withLock { state in
            state.isToldToStop = true
            return state.child
        }
        if let orderly = child as? any OrderlyStop {
            orderly.requestStop()
        } else {
            endOrCancellation.raise()
        }
    }

    /// Cancels a child that does not stop in order; returns at once.
    func cancel() { endOrCancellation.raise() }

    /// Runs the child in a task group of its own, so that cancelling it touches no other child.
    ///
    /// - Parameter didStart: Called when the factory has returned; for a supervisor, when it has
    ///   started its own children.
    /// - Returns: How it ended; nothing of it runs any more.
    @concurrent func run(didStart: @escaping @Sendable () -> Void) async -> ChildExit {
        await withTaskGroup(of: ChildExit.self) { group in
            group.addTask {
                defer { self.endOrCancellation.raise() }
                return await self.live(didStart)
            }
            // Throws when everything is cancelled from above, and then the child is cancelled as
            // well.
            _ = try? await clock.wait(for: endOrCancellation, until: nil, tolerance: .zero)
            group.cancelAll()
            return await group.next() ?? .cancelled
        }
    }

    @concurrent private func live(_ didStart: @Sendable () -> Void) async -> ChildExit {
        do {
            let child = try await spec.start(heartbeat)
            let isToldToStop = state.withLock { state in
                state.child = child
                return state.isToldToStop
            }
            // Asked to stop while starting: the child never ran, so there is nothing to make safe.
            guard !isToldToStop, !Task.isCancelled else { return .cancelled }
            if let supervisor = child as? Supervisor {
                try await supervisor.run(whenStarted: didStart)
            } else {
                didStart()
                try await child.run()
            }
            return .normal
        } catch is CancellationError where isToStop || Task.isCancelled {
            return .cancelled
        } catch {
            return .failure("\(error)")
        }
    }

    private var isToStop: Bool { state.withLock { $0.isToldToStop } }
}
