import HTTPTypes
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import RoostWeb

/// The real server, asked by clients that break off and send what is no HTTP.
@Suite struct WebServerTests {
    /// Logged warnings and errors.
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private struct Handler: LogHandler {
        let lines: Lines
        var logLevel = Logger.Level.notice
        var metadata: Logger.Metadata = [:]
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.add("\(event.message)") }
    }

    /// Bodies that reached the handler.
    private final class Bodies: Sendable {
        private let bodies = Mutex<[[UInt8]]>([])
        var all: [[UInt8]] { bodies.withLock { $0 } }
        func add(_ body: [UInt8]) { bodies.withLock { $0.append(body) } }
    }

    private static let head =
        "POST /a HTTP/1.1\r\nHost: balcony\r\nOrigin: http://balcony\r\n"
        + "Content-Type: application/json\r\n"

    private static let chunks = head + "Transfer-Encoding: chunked\r\n\r\n"

    @Test(arguments: [
        chunks + "zz\r\n{}\r\n0\r\n\r\n", chunks + "-1\r\n{}\r\n0\r\n\r\n",
        chunks + "2\r\n{}XX0\r\n\r\n", chunks + "FFFFFFFFFFFFFFFFF\r\n{}\r\n0\r\n\r\n",
        chunks + "2\r\n{}\r\n0\r\n: x\r\n\r\n",
        // It broke off: a part of a body is not a body.
        chunks + "8\r\n{}", chunks + "2\r\n{}\r\n", head + "Content-Length: 8\r\n\r\n{}",
    ])
    func aBrokenBodyIsTheClientsMistake(request: String) async throws {
        let (lines, bodies) = (Lines(), Bodies())
        let answer = try await Self.ask(request, lines, bodies)
        #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400"), "\(answer.prefix(80))")
        #expect(lines.all.isEmpty, "\(lines.all)")
        #expect(bodies.all.isEmpty, "it was taken for a whole one")
    }

    @Test func aWholeBodyComesThrough() async throws {
        for rest in [
            Self.chunks + "2\r\n{}\r\n0\r\n\r\n", Self.head + "Content-Length: 2\r\n\r\n{}",
        ] {
            let (lines, bodies) = (Lines(), Bodies())
            let answer = try await Self.ask(rest, lines, bodies)
            #expect(answer.hasPrefix("HTTP/1.1 200"))
            #expect(bodies.all == [Array("{}".utf8)] && lines.all.isEmpty)
        }
    }

    /// A connection beyond the limit is answered with 429, as a reset would say no reason.
    @Test func aConnectionTooManyIsAnswered() async throws {
        var settings = WebServer.Settings()
        settings.connectionMax = 0
        let get = "GET /a HTTP/1.1\r\nHost: balcony\r\n\r\n"
        // None may be open, so the first is one too many.
        let answer = try await Self.ask(get, Lines(), Bodies(), settings)
        #expect(answer.hasPrefix("HTTP/1.1 429"), "\(answer.prefix(80))")
        #expect(answer.lowercased().contains("retry-after: 30") && answer.contains("connections"))
        #expect(answer.lowercased().contains("connection: close"))
    }

    /// Sends all bytes, then the end; returns everything that came back.
    private static func ask(
        _ request: String,
        _ lines: Lines,
        _ bodies: Bodies,
        _ given: WebServer.Settings = WebServer.Settings()
    ) async throws -> String {
        let logger = Logger(label: "test") { _ in Handler(lines: lines) }
        let route = Route(.post, "/a", .owner, body: .form) { request in
            bodies.add(request.body)
            return .text("taken")
        }
        let gate = Gate(
            RouteTable([route]),
            hosts: HostNames(["balcony"]),
            authenticator: OpenAuthenticator(.owner)
        )
        var settings = given
        settings.sockets = [.address(host: "127.0.0.1", port: 0)]
        let server = WebServer(
            WebResponder(gate, logger: logger),
            settings,
            on: MultiThreadedEventLoopGroup.singleton.next(),
            logger: logger
        )
        let (ports, port) = AsyncStream<Int>.makeStream()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run { port.yield($0[0]) } }
            defer { group.cancelAll() }
            let number = try #require(await ports.first { _ in true })
            return try await exchange(request, number)
        }
    }

    private static func exchange(_ request: String, _ port: Int) async throws -> String {
        let wire = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(isOutboundHalfClosureEnabled: true)
                    )
                }
            }
        return try await wire.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: request))
            outbound.finish()
            var text = ""
            for try await part in inbound { text += String(buffer: part) }
            return text
        }
    }
}
