import HTTPTypes
import Logging

@testable import RoostWeb

/// Routes behind a gate, asked without a connection.
struct RouteStage {
    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    let responder: WebResponder

    init(_ routes: [Route], as right: Right = .viewer) {
        let gate = Gate(
            RouteTable(routes),
            hosts: HostNames(["balcony"]),
            authenticator: OpenAuthenticator(right)
        )
        responder = WebResponder(gate, logger: Self.logger)
    }

    func ask(
        _ target: String,
        _ method: HTTPRequest.Method = .get,
        _ headers: HTTPFields = [:],
        body: String = ""
    ) async -> WebResponse {
        var headers = headers
        if method != .get { headers[.origin] = "http://localhost" }
        let head = Gate.Head(method, authority: "localhost", target: target, headers: headers)
        return await responder.answer(head) { _ in Array(body.utf8) }
    }

    static func bytes(_ response: WebResponse) async throws -> [UInt8] {
        switch response.body {
        case .bytes(let bytes): return bytes
        case .stream(let make):
            let pieces = Pieces()
            try await make { await pieces.append($0) }
            return await pieces.all
        }
    }

    static func text(_ response: WebResponse) async throws -> String {
        String(decoding: try await bytes(response), as: UTF8.self)
    }

    private actor Pieces {
        private(set) var all: [UInt8] = []
        func append(_ bytes: [UInt8]) { all += bytes }
    }
}
