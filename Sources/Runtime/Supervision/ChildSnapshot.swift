import Core

/// One node of the supervision tree at an instant, with its children.
package struct ChildSnapshot: Sendable {
    package enum State: String, Sendable, CaseIterable {
        case starting
        case running
        /// Its turn has not come yet, or its restart is not due.
        case waiting
        case stopping
        /// Not to be started again.
        case ended
    }

    package let id: String
    package let state: State
    /// How often it was started again.
    package let restartCount: Int
    /// Why it ended last, as text.
    package let lastExit: String?
    /// When this object was started; nil while there is none.
    package let startedAt: MonotonicInstant?
    /// nil when it is not watched.
    package let heartbeat: Heartbeat.State?
    package let children: [ChildSnapshot]
}

extension ChildSnapshot {
    init(_ child: SupervisedChild, _ task: ChildTask?) {
        id = child.spec.id
        state =
            switch child.phase {
            case .starting: .starting
            case .running: .running
            case .stopping: .stopping
            case .down: child.isWanted ? .waiting : .ended
            }
        restartCount = max(0, child.startCount - 1)
        lastExit = child.lastExit?.description
        startedAt = child.isUp ? child.startedAt : nil
        heartbeat = child.spec.heartbeatLimit == nil ? nil : task?.heartbeat.snapshot
        children = (task?.child as? Supervisor)?.tree.children ?? []
    }
}
