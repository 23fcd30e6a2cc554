import Synchronization

/// The running push tasks, by the ids of their receivers.
final class PushTasks: Sendable {
    private let tasks = Mutex<[String: PushTask]>([:])

    init() {}

    /// Registers a task in place of an earlier one of this receiver.
    func enter(_ task: PushTask, as id: String) { tasks.withLock { $0[id] = task } }

    /// - Returns: Those of a kind; nil for all.
    func all(_ kind: Subscriber.Kind? = nil) -> [PushTask] {
        tasks.withLock { $0.values.filter { kind == nil || $0.kind == kind } }
    }

    /// Forgets the tasks of receivers that the configuration no longer names.
    func keep(_ ids: Set<String>) {
        tasks.withLock { tasks in tasks = tasks.filter { ids.contains($0.key) } }
    }
}
