import ControlProtocol
import HTTPTypes

/// One answer, before the headers that all answers have.
package struct WebResponse: Sendable {
    /// Writes one piece after another; throws when the other side is gone.
    package typealias Writer = @Sendable ([UInt8]) async throws -> Void

    package enum Body: Sendable {
        case bytes([UInt8])
        /// Made piece by piece, in constant memory.
        case stream(@Sendable (Writer) async throws -> Void)
    }

    package var status: HTTPResponse.Status
    package var headers: HTTPFields
    package var body: Body

    package init(
        _ status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:],
        body: Body = .bytes([])
    ) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// JSON text, ready to send.
    ///
    /// Data of the station is private and asked for again each time; `ETag` saves its body.
    package static func json(
        _ text: String,
        status: HTTPResponse.Status = .ok,
        caching: String = "no-store"
    ) -> WebResponse {
        WebResponse(
            status,
            headers: [.contentType: "application/json; charset=utf-8", .cacheControl: caching],
            body: .bytes(harmless(text))
        )
    }

    /// The bytes of JSON, with what could end a script in HTML as escapes; only texts have it.
    private static func harmless(_ json: String) -> [UInt8] {
        let bytes = Array(json.utf8)
        let ends: Set<UInt8> = [UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"), 0xE2]
        guard bytes.contains(where: ends.contains) else { return bytes }
        var escaped: [UInt8] = []
        escaped.reserveCapacity(bytes.count + 64)
        for scalar in json.unicodeScalars {
            switch scalar {
            case "<", ">", "&", "\u{2028}", "\u{2029}":
                let hex = String(scalar.value, radix: 16)
                escaped += "\\u\(String(repeating: "0", count: 4 - hex.count))\(hex)".utf8
            default: escaped += String(scalar).utf8
            }
        }
        return escaped
    }

    /// A value as JSON, for small answers; columns are written by hand.
    package static func json<Value: Encodable>(
        _ value: Value,
        status: HTTPResponse.Status = .ok
    ) throws -> WebResponse {
        json(String(decoding: try JSONBody.encoded(value), as: UTF8.self), status: status)
    }

    package static func text(
        _ text: String,
        type: String = "text/plain; charset=utf-8"
    ) -> WebResponse {
        WebResponse(
            headers: [.contentType: type, .cacheControl: "no-store"],
            body: .bytes(Array(text.utf8))
        )
    }
}

extension WebResponse {
    /// A refusal as `application/problem+json`.
    package init(_ problem: Problem) {
        var json = JSONTextBuilder()
        json.object { json in
            json.member("type", "/problems/" + problem.kind.rawValue)
            json.member("title", problem.kind.title)
            json.member("status", problem.kind.status)
            json.member("detail", problem.detail)
            if let reason = problem.reason { json.member("reason", reason.rawValue) }
            guard !problem.places.isEmpty else { return }
            json.array("errors", problem.places) { json, place in
                json.object { json in
                    json.member("pointer", place.pointer)
                    json.member("detail", place.detail)
                }
            }
        }
        var headers = problem.headers
        headers[.contentType] = "application/problem+json"
        headers[.cacheControl] = "no-store"
        self.init(
            HTTPResponse.Status(code: problem.kind.status),
            headers: headers,
            body: .bytes(Array(json.text.utf8))
        )
    }
}
