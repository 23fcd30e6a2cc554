import ControlProtocol
import HTTPTypes
import NIOCore

/// Asks `roost-eyes` over its socket: how the camera is, and to delete pictures.
package struct EyesClient: Sendable {
    /// Sends one line and gives the answer's, which may take as long as `patience`.
    package typealias Exchange =
        @Sendable (_ line: String, _ patience: TimeAmount) async throws -> String

    /// A picture is written over, each block synced: seconds for hundreds of pictures.
    private static let patience = TimeAmount.seconds(60)

    private let exchange: Exchange

    package init(path: String, on loop: any EventLoop) {
        let client = StationClient(path: path, on: loop)
        self.init { try await client.exchange($0, within: $1) }
    }

    init(_ exchange: @escaping Exchange) { self.exchange = exchange }

    /// Asks for the camera's state; nil while none runs, which is no fault.
    ///
    /// - Throws: `Problem`.
    func report() async throws -> EyesReport? {
        do {
            let request = EyesRequest(.status)
            return try await ask(request, EyesReport.self, within: StationClient.patience)
        } catch let problem as Problem where problem.kind == .stationDown {
            return nil
        }
    }

    /// Deletes one picture, or all up to a number; their bytes are written over.
    ///
    /// - Returns: How many there were.
    /// - Throws: `Problem` `station-down` while no camera's program runs.
    func delete(_ number: UInt64?, upTo last: UInt64?) async throws -> Int {
        var request = EyesRequest(.delete)
        (request.number, request.upTo) = (number, last)
        do {
            return try await ask(request, EyesDeletion.self, within: Self.patience).count
        } catch let problem as Problem where problem.kind == .stationDown {
            throw Problem(
                .stationDown,
                "roost-eyes, which alone changes the pictures, does not run; "
                    + "on the station: sudo roost records delete",
                headers: [.retryAfter: "5"]
            )
        }
    }

    private func ask<Body: Codable & Sendable>(
        _ request: EyesRequest,
        _ type: Body.Type,
        within patience: TimeAmount
    ) async throws -> Body {
        let text = try await exchange(try ControlCodec.line(request), patience)
        let answer = try ControlCodec.message(ControlAnswer<Body>.self, from: text)
        if let failure = answer.error { throw Problem(failure) }
        guard let body = answer.body else {
            throw Problem(.internal, "roost-eyes sent an empty answer")
        }
        return body
    }
}
