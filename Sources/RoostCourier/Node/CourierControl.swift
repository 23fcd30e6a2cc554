import ControlProtocol
import Core
import HardwareIO
import Runtime

/// Serves the courier's socket.
package struct CourierControl: Child {
    package typealias Listen = @Sendable () async throws -> any LineListener

    /// Answers each line.
    package let table: QuestionTable
    private let clock: any NodeClock
    private let listen: Listen

    package init(
        _ node: CourierNode,
        users: LocalUsers = LocalUsers(),
        listen: @escaping Listen
    ) {
        table = CourierQuestions(node: node).table(for: users)
        clock = node.world.clock
        self.listen = listen
    }

    package func run() async throws {
        try await LineServer(table, clock: clock).run(try await listen())
    }
}
