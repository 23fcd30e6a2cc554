import Core
import Devices
import HardwareIO
import Synchronization

/// A local network in memory: HTTP devices that answer, or not.
package final class SimulatedNetwork: HTTPFetcher {
    private let clock: any NodeClock
    private let boards = Mutex<[String: HTTPLineSimulator]>([:])

    package init(clock: any NodeClock) { self.clock = clock }

    /// Puts a device at `name` or `name:port`; nil removes it, and connections there fail.
    package func put(_ board: HTTPLineSimulator?, at authority: String) {
        boards.withLock { $0[authority] = board }
    }

    /// Changes a device that is there.
    package func withBoard<Value>(
        at authority: String,
        _ body: (inout HTTPLineSimulator) -> Value
    ) -> Value? {
        boards.withLock { boards in
            guard var board = boards[authority] else { return nil }
            defer { boards[authority] = board }
            return body(&board)
        }
    }

    package func get(
        _ target: HTTPTarget,
        until deadline: MonotonicInstant
    ) async throws -> HTTPResponse {
        let response = withBoard(at: target.authority) { $0.answer("GET") }
        if let response, let response { return response }
        try await clock.sleep(until: deadline, tolerance: .zero)
        throw HTTPError.timedOut(target)
    }
}
