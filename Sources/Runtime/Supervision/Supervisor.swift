import Core
import Synchronization

/// Why a supervisor ended on its own.
enum SupervisorError: Error, Hashable, CustomStringConvertible {
    /// More restarts than the intensity admits; the next level decides.
    case intensityExceeded(supervisor: String, child: String, last: String)

    var description: String {
        switch self {
        case .intensityExceeded(let supervisor, let child, let last):
            "\(supervisor): too many restarts, last of \(child): \(last)"
        }
    }
}

/// Services that all supervisors of a node share.
package struct SupervisorContext: Sendable {
    package let clock: any NodeClock
    package let seed: UInt64
    package let heartbeats: HeartbeatRegistry
    /// Receives supervision events; called on the supervisor, so it must not wait.
    package let observer: @Sendable (Event) -> Void
    /// Called when a child outlived its grace: Swift cannot end a task, so the process ends itself.
    package let onUnkillable: @Sendable (_ child: String) -> Void

    package init(
        clock: any NodeClock,
        seed: UInt64,
        heartbeats: HeartbeatRegistry = HeartbeatRegistry(),
        observer: @escaping @Sendable (Event) -> Void = { _ in },
        onUnkillable: @escaping @Sendable (String) -> Void
    ) {
        self.clock = clock
        self.seed = seed
        self.heartbeats = heartbeats
        self.observer = observer
        self.onUnkillable = onUnkillable
    }
}

/// Runs its children and restarts them by its policy.
///
/// Thin: `SupervisorMachine` decides, this carries it out. Each child runs in a child task of
/// `run()`, so nothing outlives it. To stop in order call `requestStop()`. Cancelling the task of
/// `run()` is the abnormal way: it reaches all children at once, in no order.
package actor Supervisor: OrderlyStop {
    // Events waiting at most. A child has at most two, so requests get the other half.
    private static let mailboxCapacity = 4 * SupervisorMachine.childLimit

    private struct Published {
        var isStopRequested = false
        var children: [SupervisedChild] = []
        var tasks: [String: ChildTask] = [:]
    }

    package nonisolated let id: String
    private nonisolated let context: SupervisorContext
    private nonisolated let mailbox = Mailbox<SupervisorMachine.Input>(
        capacity: mailboxCapacity
    )
    private nonisolated let published: Mutex<Published>
    private var machine: SupervisorMachine

    package init(
        id: String,
        policy: RestartPolicy = RestartPolicy(),
        context: SupervisorContext,
        children: [ChildSpec]
    ) {
        self.id = id
        self.context = context
        let seed = id.utf8.reduce(context.seed) { SplitMix64.mixed($0, UInt64($1)) }
        machine = SupervisorMachine(policy: policy, seed: seed, children: children)
        published = Mutex(Published(children: machine.children))
    }

    /// Runs until `requestStop()` and all children are gone.
    ///
    /// - Throws: `SupervisorError` after stopping its children; `CancellationError`.
    package func run() async throws { try await run(whenStarted: {}) }

    /// Runs, and reports when the first round of starts is over, so that the next child may start.
    ///
    /// - Parameter whenStarted: Called once.
    /// - Throws: As `run()`.
    func run(whenStarted: @Sendable () -> Void) async throws {
        var isStarted = false
        defer { forgetChildren() }
        try await withThrowingDiscardingTaskGroup { group in
            var input = SupervisorMachine.Input.timePassed
            while !Task.isCancelled {
                if takeStopRequest(), let ending = perform(.stop, &group) {
                    return try end(ending)
                }
                if let ending = perform(input, &group) { return try end(ending) }
                if !isStarted, machine.isSettled {
                    isStarted = true
                    whenStarted()
                }
                input =
                    try await mailbox.next(
                        until: machine.nextDeadline,
                        tolerance: .milliseconds(250),
                        on: context.clock
                    ) ?? .timePassed
            }
            throw CancellationError()
        }
    }

    /// Releases factories and tasks, which may hold this supervisor's owner; the tree stays shown.
    private func forgetChildren() {
        machine.forgetStarts()
        published.withLock { published in
            published.children = machine.children
            published.tasks = [:]
        }
    }

    private func takeStopRequest() -> Bool {
        published.withLock { published in
            defer { published.isStopRequested = false }
            return published.isStopRequested
        }
    }

    /// Handles one event and carries out the actions.
    ///
    /// - Returns: How to end, or nil to go on.
    private func perform(
        _ input: SupervisorMachine.Input,
        _ group: inout ThrowingDiscardingTaskGroup<any Error>
    ) -> SupervisorMachine.Ending? {
        let now = context.clock.now
        if case .ended(let id, _) = input {
            published.withLock { _ = $0.tasks.removeValue(forKey: id) }
        }
        var ending: SupervisorMachine.Ending?
        let actions = machine.handle(input, at: now)
        published.withLock { $0.children = machine.children }
        for action in actions {
            switch action {
            case .start(let spec): start(spec, &group)
            case .stop(let id): published.withLock { $0.tasks[id] }?.stop()
            case .cancel(let id): published.withLock { $0.tasks[id] }?.cancel()
            case .unkillable(let id): context.onUnkillable("\(self.id)/\(id)")
            case .note(let notice): context.observer(notice.event(at: now, source: id))
            case .finish(let how): ending = how
            }
        }
        return ending
    }

    private func start(
        _ spec: ChildSpec,
        _ group: inout ThrowingDiscardingTaskGroup<any Error>
    ) {
        let (heartbeat, key) = context.heartbeats.watch(spec, of: id, on: context.clock) {
            [weak self] reason in self?.replace(spec.id, reason: reason)
        }
        let task = ChildTask(spec, heartbeat: heartbeat, clock: context.clock)
        published.withLock { $0.tasks[spec.id] = task }
        group.addTask { [context, mailbox] in
            let exit = await task.run { Self.report(.started(spec.id), to: mailbox) }
            if let key { context.heartbeats.unwatch(key) }
            Self.report(.ended(spec.id, exit), to: mailbox)
        }
    }

    private static func report(
        _ input: SupervisorMachine.Input,
        to mailbox: Mailbox<SupervisorMachine.Input>
    ) {
        let isTaken = mailbox.offer(input)
        precondition(isTaken, "requests leave room for reports")
    }

    private func end(_ ending: SupervisorMachine.Ending) throws {
        switch ending {
        case .orderly: return
        case .intensityExceeded(let child, let last):
            throw SupervisorError.intensityExceeded(
                supervisor: id,
                child: child,
                last: last.description
            )
        }
    }
}

// MARK: Requests, from anywhere

extension Supervisor {
    /// Asks for an orderly stop, right to left, and returns at once; `run()` ends when it is done.
    package nonisolated func requestStop() {
        let isFirst = published.withLock { published in
            defer { published.isStopRequested = true }
            return !published.isStopRequested
        }
        // Only wakes the loop; refused when the mailbox is full, and then the loop is awake anyway.
        if isFirst { mailbox.offer(.timePassed) }
    }

    /// Adds a child and starts it after those that are there.
    ///
    /// Under the id of a child that is being removed it replaces that one when it is gone. Under
    /// the id of any other child it is refused, which is an event.
    package nonisolated func add(_ spec: ChildSpec) { request(.add(spec), child: spec.id) }

    /// Stops a child and forgets it.
    package nonisolated func remove(_ id: String) { request(.remove(id), child: id) }

    /// Stops a child and restarts it, as if it had failed; a child that is not up stays as it is.
    package nonisolated func replace(_ id: String, reason: String) {
        request(.replace(id, reason: reason), child: id)
    }

    private nonisolated func request(_ input: SupervisorMachine.Input, child: String) {
        guard mailbox.count < Self.mailboxCapacity / 2, mailbox.offer(input) else {
            let notice = SupervisionNotice.refused(child: child, reason: "too many requests")
            return context.observer(notice.event(at: context.clock.now, source: id))
        }
    }

    /// The children as they are now, and theirs.
    package nonisolated var tree: ChildSnapshot {
        let (children, tasks) = published.withLock { ($0.children, $0.tasks) }
        return ChildSnapshot(
            id: id,
            state: .running,
            restartCount: 0,
            lastExit: nil,
            startedAt: nil,
            heartbeat: nil,
            children: children.map { ChildSnapshot($0, tasks[$0.spec.id]) }
        )
    }
}

extension SplitMix64 {
    /// Mixes two values into one pseudo-random number.
    fileprivate static func mixed(_ left: UInt64, _ right: UInt64) -> UInt64 {
        var generator = SplitMix64(seed: left ^ right)
        return generator.next()
    }
}
