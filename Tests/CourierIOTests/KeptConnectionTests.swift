import Core
import Testing

@testable import CourierIO
@testable import LinuxIO
@testable import RoostCourier

/// Tests servers that are slow, close, or answer early on a connection's second request.
@Suite struct KeptConnectionTests {
    private static let answer = "HTTP/1.1 204 No Content\r\n\r\n"

    /// Sends requests over a network whose servers have less than a second to accept.
    private static func exchange(
        _ requests: [OutboundRequest]
    ) throws -> [Result<OutboundAnswer, NetworkFailure>] {
        let loop = try EventLoop()
        var settings = CurlSettings()
        (settings.allowsLocal, settings.connectLimit) = (true, .milliseconds(700))
        let network = try CurlNetwork(on: loop, settings: settings)
        return try loop.run {
            var results: [Result<OutboundAnswer, NetworkFailure>] = []
            for request in requests {
                do { results.append(.success(try await network.exchange(request))) } catch let
                    failure as NetworkFailure
                { results.append(.failure(failure)) }
            }
            return results
        }
    }

    private static func post(_ server: LocalServer, isOnce: Bool = false) -> OutboundRequest {
        let url = MaskedText("http://127.0.0.1:\(server.port)/")
        var request = OutboundRequest(.post, url, body: Array("sample".utf8))
        request.isOnce = isOnce
        return request
    }

    private static func failure(
        _ result: Result<OutboundAnswer, NetworkFailure>?
    ) -> NetworkFailure? {
        if case .failure(let failure) = result { failure } else { nil }
    }

    /// The time to connect is over long before this answer, and the connection was there.
    @Test(arguments: [OutboundRequest.Method.get, .post])
    func waitsForASlowAnswerToTheSecondRequest(method: OutboundRequest.Method) throws {
        let server = try LocalServer { connection in
            try connection.read(until: method == .get ? "\r\n\r\n" : "sample")
            try connection.write(Self.answer)
            try connection.read(until: method == .get ? "\r\n\r\n" : "sample")
            connection.stayQuiet(for: 1_800)
            try connection.write(Self.answer)
            connection.waitForEnd()
        }
        defer { server.stop() }
        let request = method == .get ? OutboundRequest.get(server) : Self.post(server)
        let results = try Self.exchange([request, request])
        #expect(results.map { try? $0.get().status } == [204, 204], "\(results)")
        #expect(server.connectionCount == 1)
    }

    /// A server that takes the second request and says nothing may have carried it out.
    @Test func aSilenceOnTheSecondRequestIsNotCalledUnsent() throws {
        let server = try LocalServer { connection in
            try connection.read(until: "sample")
            try connection.write(Self.answer)
            connection.waitForEnd()
        }
        defer { server.stop() }
        var second = Self.post(server)
        second.timeoutSeconds = 2
        let failure = Self.failure(try Self.exchange([Self.post(server), second]).last)
        #expect(failure?.stage == .silent, "\(failure?.words ?? "none")")
        #expect(failure?.wasSent == true)
    }

    /// An answer by a byte now and then has the time of a whole request.
    @Test func anAnswerByBytesEndsWithTheWholeTime() throws {
        let server = try LocalServer { connection in
            try connection.read(until: "sample")
            try connection.write(Self.answer)
            try connection.read(until: "sample")
            for letter in "HTTP/1.1 204 No Content\r\n" {
                try connection.write("\(letter)")
                connection.stayQuiet(for: 400)
            }
        }
        defer { server.stop() }
        var second = Self.post(server)
        second.timeoutSeconds = 1
        let failure = Self.failure(try Self.exchange([Self.post(server), second]).last)
        #expect(failure?.stage == .silent)
        #expect(failure?.wasSent == true)
        #expect(failure?.words.contains("no whole answer within 1 s") == true)
    }

    /// A request that may be sent again is, over a new connection, when a kept one is closed.
    @Test func sendsAgainWhereAKeptConnectionIsClosed() throws {
        let server = try LocalServer { connection in
            try connection.read(until: "sample")
            try connection.write(Self.answer)
        }
        defer { server.stop() }
        let request = Self.post(server)
        let results = try Self.exchange([request, request, request])
        #expect(results.map { try? $0.get().status } == [204, 204, 204], "\(results)")
    }

    /// A server that takes the second request of a connection and closes it without a word.
    @Test func whatGoesOnceReachesAServerThatClosesOnce() throws {
        let server = try LocalServer { connection in
            try connection.read(until: "sample")
            try connection.write(Self.answer)
            try connection.read(until: "sample")
        }
        defer { server.stop() }
        let once = Self.post(server, isOnce: true)
        let results = try Self.exchange([once, once, once])
        #expect(results.map { try? $0.get().status } == [204, 204, 204], "\(results)")
        #expect(server.received.components(of: "sample") == 3)
        #expect(server.connectionCount == 3)
    }

    @Test func whatGoesOnceIsNotSentAgainAfterASilentClose() throws {
        let server = try LocalServer { connection in try connection.read(until: "sample") }
        defer { server.stop() }
        let failure = Self.failure(try Self.exchange([Self.post(server, isOnce: true)]).last)
        #expect(failure?.stage == .closed && failure?.wasSent == true)
        #expect(server.received.components(of: "sample") == 1)
    }

    /// An answer that comes before the body is an answer.
    @Test func takesAnEarlyAnswerToTheSecondRequest() throws {
        let server = try LocalServer { connection in
            try connection.read(until: "sample")
            try connection.write(Self.answer)
            try connection.read(until: "\r\n\r\n")
            try connection.write(
                "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            )
            connection.waitForEnd()
        }
        defer { server.stop() }
        var second = Self.post(server)
        second.body = [UInt8](repeating: 65, count: 4 << 20)
        let results = try Self.exchange([Self.post(server), second])
        #expect(results.map { try? $0.get().status } == [204, 413], "\(results)")
    }
}

extension String {
    /// Counts the occurrences of a text.
    fileprivate func components(of text: String) -> Int {
        var (rest, count) = (self[...], 0)
        while let range = rest.firstRange(of: text) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}
