import ControlProtocol
import HTTPTypes
import Logging
import NIOCore
import NIOHTTP1

/// Answers the requests of one connection, one after the other.
struct HTTPConnection: Sendable {
    typealias Wire = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>
    private typealias Outbound = NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
    private typealias Inbound = NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator

    private let channel: Wire
    private let isEncrypted: Bool
    private let responder: WebResponder?
    private let logger: Logger

    /// - Parameters:
    ///   - responder: Nil for a connection too many: it is answered that, and closed.
    init(_ channel: Wire, isEncrypted: Bool, _ responder: WebResponder?, _ logger: Logger) {
        (self.channel, self.isEncrypted) = (channel, isEncrypted)
        (self.responder, self.logger) = (responder, logger)
    }

    /// Serves until either side closes; a connection that breaks is no error of the dashboard.
    func serve() async {
        do {
            try await channel.executeThenClose { inbound, outbound in
                var parts = inbound.makeAsyncIterator()
                do {
                    while let part = try await parts.next(isolation: #isolation) {
                        guard case .head(let head) = part else { continue }
                        let mayGoOn = try await answer(head, &parts, outbound)
                        guard mayGoOn else { break }
                    }
                } catch is HTTPParserError {
                    try await refuse("the request is no HTTP/1.1", outbound)
                }
                outbound.finish()
            }
        } catch {
            logger.trace("a connection broke: \(error)")
        }
    }

    /// - Returns: Whether another request may follow on this connection.
    private func answer(
        _ head: HTTPRequestHead,
        _ parts: inout Inbound,
        _ outbound: Outbound
    ) async throws -> Bool {
        guard let fields = Self.fields(head.headers),
            let method = HTTPRequest.Method(rawValue: head.method.rawValue),
            head.version.major == 1, head.headers["host"].count == 1
        else {
            try await refuse("it needs one Host, and valid fields", outbound)
            return false
        }
        guard let responder else {
            try await send(WebResponse(Self.tooMany), head, mayGoOn: false, outbound)
            return false
        }
        let address = channel.channel.remoteAddress?.ipAddress
        let request = Gate.Head(
            method,
            scheme: isEncrypted ? "https" : "http",
            authority: head.headers["host"].first,
            target: head.uri,
            headers: fields,
            peer: PeerAddress(address ?? "", isEncrypted: isEncrypted)
        )
        let declared = fields[.contentLength].flatMap { Int($0) }
        let hasBody = declared ?? 0 > 0 || fields[.transferEncoding] != nil
        var body = Body(parts)
        let response = await responder.answer(request) { limit in
            if fields[.expect] != nil, declared ?? 0 <= limit {
                try await outbound.write(
                    .head(HTTPResponseHead(version: head.version, status: .continue))
                )
            }
            do {
                return try await body.collect(limit, declared: declared)
            } catch let error where !(error is Problem || error is CancellationError) {
                // An unreadable body is the client's mistake, or its connection's.
                throw Problem.badRequest("the body is no HTTP/1.1, or it broke off")
            }
        }
        // A refusal does not wait for a body that it did not want.
        let isWaiting = hasBody && !body.isAtEnd
        let mayGoOn = try await send(
            response,
            head,
            mayGoOn: head.isKeepAlive && !isWaiting,
            outbound
        )
        do {
            let isWhole = try await body.drain()
            parts = body.parts
            return mayGoOn && isWhole
        } catch is HTTPParserError {
            // The request is answered already.
            return false
        }
    }

    /// - Returns: Whether the connection stays open.
    @discardableResult
    private func send(
        _ response: WebResponse,
        _ request: HTTPRequestHead,
        mayGoOn: Bool,
        _ outbound: Outbound
    ) async throws -> Bool {
        var mayGoOn = mayGoOn
        var head = HTTPResponseHead(
            version: .http1_1,
            status: HTTPResponseStatus(statusCode: response.status.code)
        )
        for field in response.headers {
            head.headers.add(name: field.name.canonicalName, value: field.value)
        }
        if case .stream = response.body, request.method == .HEAD || request.version.minor == 0 {
            // Neither knows chunks: the end of the connection ends the answer.
            (head.version, mayGoOn) = (.http1_0, false)
        }
        if !mayGoOn { head.headers.replaceOrAdd(name: "connection", value: "close") }
        switch response.body {
        case .bytes(let bytes):
            head.headers.replaceOrAdd(name: "content-length", value: String(bytes.count))
            try await outbound.write(.head(head))
            if request.method != .HEAD, !bytes.isEmpty {
                try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: bytes))))
            }
        case .stream(let make):
            try await outbound.write(.head(head))
            if request.method != .HEAD {
                try await make { bytes in
                    try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: bytes))))
                }
            }
        }
        try await outbound.write(.end(nil))
        return mayGoOn
    }

    private static let tooMany = Problem(
        .rateLimited,
        "too many connections are open, from this address or in all; close other pages",
        headers: [.retryAfter: "30"]
    )

    private func refuse(_ detail: String, _ outbound: Outbound) async throws {
        let response = WebResponse(Problem.badRequest(detail))
        let request = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
        try await send(response, request, mayGoOn: false, outbound)
    }

    /// - Returns: nil when a name or a value is not valid.
    private static func fields(_ headers: HTTPHeaders) -> HTTPFields? {
        var fields = HTTPFields()
        for (name, value) in headers {
            guard let field = HTTPField.Name(name), HTTPField.isValidValue(value) else {
                return nil
            }
            fields.append(HTTPField(name: field, value: value))
        }
        return fields
    }

    /// The body of one request, read at most once.
    private struct Body {
        /// Bytes skipped at most after an answer that did not need the body.
        private static let restMax = 64 << 10

        var parts: Inbound
        private(set) var isAtEnd = false

        init(_ parts: Inbound) { self.parts = parts }

        /// - Throws: `Problem` `too-large`.
        mutating func collect(_ limit: Int, declared: Int?) async throws -> [UInt8] {
            let problem = Problem(.tooLarge, "a body here has at most \(limit) bytes")
            guard declared ?? 0 <= limit else { throw problem }
            var bytes: [UInt8] = []
            while let part = try await next() {
                guard bytes.count + part.readableBytes <= limit else { throw problem }
                bytes += part.readableBytesView
            }
            guard isAtEnd else { throw Problem.badRequest("the body broke off") }
            return bytes
        }

        /// - Returns: Whether the end of the body was reached.
        mutating func drain() async throws -> Bool {
            var count = 0
            while count <= Self.restMax, let part = try await next() {
                count += part.readableBytes
            }
            return isAtEnd
        }

        private mutating func next() async throws -> ByteBuffer? {
            while !isAtEnd, let part = try await parts.next(isolation: #isolation) {
                switch part {
                case .body(let buffer): return buffer
                case .end: isAtEnd = true
                case .head: break
                }
            }
            return nil
        }
    }
}
