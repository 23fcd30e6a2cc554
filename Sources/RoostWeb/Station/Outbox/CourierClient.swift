import ControlProtocol
import HTTPTypes
import NIOCore

/// Client of the courier's socket: for notices, deliveries and other stations.
package struct CourierClient: Sendable {
    /// Sends one line and gives the answer's, which may take as long as `patience`.
    package typealias Exchange =
        @Sendable (_ line: String, _ patience: TimeAmount) async throws -> String

    /// Patience for a search of the network and for slow stations' answers.
    private static let searchPatience = TimeAmount.seconds(15)

    private let exchange: Exchange

    package init(path: String, on loop: any EventLoop) {
        let client = StationClient(path: path, on: loop)
        self.init { line, patience in
            do {
                return try await client.exchange(line, within: patience)
            } catch let problem as Problem where problem.kind == .stationDown {
                throw Problem(
                    .stationDown,
                    "no courier answers at \(path); see `systemctl status roost-courier`",
                    headers: [.retryAfter: "5"]
                )
            }
        }
    }

    init(_ exchange: @escaping Exchange) { self.exchange = exchange }

    /// Asks for the courier's report; nil while no courier runs, which is no fault.
    ///
    /// - Throws: `Problem`.
    func outbox() async throws -> CourierReport? {
        do {
            return try await ask(CourierRequest(.status), CourierReport.self)
        } catch let problem as Problem where problem.kind == .stationDown {
            return nil
        }
    }

    /// The owner's other stations; nil while no courier runs, which is no fault.
    ///
    /// - Throws: `Problem`.
    func stations() async throws -> StationsReport? {
        do {
            return try await ask(
                CourierRequest(.stations),
                StationsReport.self,
                within: Self.searchPatience
            )
        } catch let problem as Problem where problem.kind == .stationDown {
            return nil
        }
    }

    /// - Throws: `Problem`.
    func ask<Body: Codable & Sendable>(
        _ command: CourierRequest.Command,
        _ push: PushRequest,
        _ type: Body.Type = Body.self
    ) async throws -> Body {
        var request = CourierRequest(command)
        request.push = push
        return try await ask(request, type)
    }

    /// Asks one question, whose answer may have to wait for a server: `patience` says how long.
    ///
    /// - Throws: `Problem`.
    func ask<Body: Codable & Sendable>(
        _ request: CourierRequest,
        _ type: Body.Type,
        within patience: TimeAmount = StationClient.patience
    ) async throws -> Body {
        let text = try await exchange(try ControlCodec.line(request), patience)
        let answer = try ControlCodec.message(ControlAnswer<Body>.self, from: text)
        if let failure = answer.error { throw Problem(failure) }
        guard let body = answer.body else {
            throw Problem(.internal, "the courier sent an empty answer")
        }
        return body
    }
}
