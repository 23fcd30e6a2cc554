import Core
import HardwareIO
import Runtime

/// A control socket in memory.
package final class SimulatedListener: LineListener {
    private let clock: any NodeClock
    private let waiting = Mailbox<SimulatedConnection>(capacity: 64)

    package init(clock: any NodeClock) { self.clock = clock }

    package func accept() async throws -> any LineConnection {
        while true {
            if let connection = try await waiting.next(on: clock) { return connection }
        }
    }

    package func close() {}

    /// The client's end of a new connection.
    package func connect() -> any LineConnection {
        let there = Mailbox<String?>(capacity: 1_024)
        let back = Mailbox<String?>(capacity: 1_024)
        waiting.offer(SimulatedConnection(clock: clock, input: there, output: back))
        return SimulatedConnection(clock: clock, input: back, output: there)
    }
}

/// One end of a connection in memory; a nil line is the end of the stream.
final class SimulatedConnection: LineConnection {
    private let clock: any NodeClock
    private let input: Mailbox<String?>
    private let output: Mailbox<String?>

    init(clock: any NodeClock, input: Mailbox<String?>, output: Mailbox<String?>) {
        (self.clock, self.input, self.output) = (clock, input, output)
    }

    var peer: PeerCredentials? { nil }

    func nextLine() async throws -> String? {
        while true {
            if let line = try await input.next(on: clock) { return line }
        }
    }

    func send(_ line: String) throws(LocalSocketError) {
        guard output.offer(line) else { throw .tooSlow(byteCount: 256 << 10) }
    }

    func close() { output.offer(nil) }
}
