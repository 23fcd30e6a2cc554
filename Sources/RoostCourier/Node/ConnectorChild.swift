import Runtime

/// The supervised child of a connector: its tasks, and the end of its pauses.
struct ConnectorChild: Child {
    let outlet: Connector
    let tasks: [any Child]

    func run() async throws {
        let (outlet, tasks) = (outlet, tasks)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in tasks { group.addTask { try await task.run() } }
            group.addTask { try await outlet.keepPauses() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
