import ControlProtocol
import Core
import HardwareIO
import LinuxIO
import RoostCourier

/// The station as the courier asks it over its control socket.
package struct StationSocket: QuestionClient {
    private let path: String
    private let client: SocketClient

    package init(path: String, on loop: EventLoop) {
        self.path = path
        client = SocketClient(clock: loop.clock) { try LocalSocket.connect(path: path, on: loop) }
    }

    /// - Throws: `StationDown` when no answer comes; `CancellationError`.
    package func exchange(_ line: String, within limit: Duration?) async throws -> String {
        do { return try await client.exchange(line, within: limit) } catch let error
            as LocalSocketError
        {
            throw StationDown(
                "no station answers at \(path): \(error); see `systemctl status roostd`"
            )
        }
    }
}

extension DiskThread: DiskWork {}
