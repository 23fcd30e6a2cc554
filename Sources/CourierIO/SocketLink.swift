import ControlProtocol
import Core
import HardwareIO
import LinuxIO
import RoostCourier

/// Asks the station over its control socket, with one connection for each question.
package struct SocketLink: StationLink {
    /// Time for an answer to a question that waits for nothing.
    static let patience: Duration = .seconds(10)

    private let path: String
    private let loop: EventLoop

    package init(path: String, on loop: EventLoop) { (self.path, self.loop) = (path, loop) }

    package func ask<Body: Codable & Sendable>(
        _ request: ControlRequest,
        _ type: Body.Type
    ) async throws -> Body {
        let line = try ControlCodec.line(request)
        let connection: any LineConnection
        do throws(LocalSocketError) {
            connection = try LocalSocket.connect(path: path, on: loop)
            try connection.send(line)
        } catch { throw down("\(error)") }
        defer { connection.close() }
        let limit = Self.patience + .seconds(request.waitSeconds ?? 0) * 1.2
        let text: String??
        do {
            text = try await loop.clock.run {
                try await connection.nextLine()
            } unless: {
                try await loop.clock.sleep(for: limit, tolerance: .seconds(1))
            }
        } catch let error as LocalSocketError { throw down("\(error)") }
        guard let answered = text else { throw down("it does not answer") }
        guard let line = answered else { throw down("it closed the connection") }
        let answer = try ControlCodec.message(ControlAnswer<Body>.self, from: line)
        if let error = answer.error { throw error }
        guard let body = answer.body else { throw down("it sent an empty answer") }
        return body
    }

    private func down(_ why: String) -> StationDown {
        StationDown("no station answers at \(path): \(why); see `systemctl status roostd`")
    }
}

extension DiskThread: DiskWork {}
