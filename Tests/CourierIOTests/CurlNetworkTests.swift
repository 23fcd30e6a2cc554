import Core
import Glibc
import Synchronization
import Testing

@testable import CourierIO
@testable import LinuxIO
@testable import RoostCourier

/// Tests HTTP against our own servers on loopback.
@Suite struct CurlNetworkTests {
    @Test func postsAndReadsTheAnswer() throws {
        let server = try LocalServer { connection in
            try connection.read(until: "\r\n\r\n")
            try connection.read(until: "}")
            let head = "HTTP/1.1 201 Created\r\nContent-Type: text/plain\r\nETag: \"a\"\r\n"
            try connection.write(head + "Content-Length: 5\r\nConnection: close\r\n\r\nsaved")
        }
        defer { server.stop() }
        let answer = try onLoop { network in
            let url = MaskedText("http://127.0.0.1:\(server.port)/v1/data?x=1")
            return try await network.exchange(
                OutboundRequest(.post, url, json: "{\"pm25\":12.3}", [.init("X-Pin", "1")])
            )
        }
        #expect(answer.status == 201)
        #expect(answer.text == "saved")
        #expect(answer.fields["etag"] == "\"a\"")
        let request = server.received
        #expect(request.hasPrefix("POST /v1/data?x=1 HTTP/1.1\r\n"))
        #expect(request.contains("\r\nX-Pin: 1\r\n"))
        #expect(request.contains("\r\nContent-Length: 13\r\n"))
        #expect(request.contains("\r\nUser-Agent: roost-courier/"))
        #expect(!request.contains("Expect"))
        #expect(request.hasSuffix("{\"pm25\":12.3}"))
    }

    @Test func usesAConnectionAgain() throws {
        let server = try LocalServer { connection in
            for _ in 0..<3 {
                try connection.read(until: "\r\n\r\n")
                try connection.write("HTTP/1.1 204 No Content\r\n\r\n")
            }
            connection.waitForEnd()
        }
        defer { server.stop() }
        let statuses = try onLoop { network in
            var statuses: [Int] = []
            for method in [OutboundRequest.Method.get, .head, .delete] {
                let url = MaskedText("http://127.0.0.1:\(server.port)/")
                statuses.append(try await network.exchange(.init(method, url)).status)
            }
            return statuses
        }
        #expect(statuses == [204, 204, 204])
        #expect(server.connectionCount == 1)
    }

    @Test func followsNoRedirect() throws {
        let server = try LocalServer { connection in
            try connection.read(until: "\r\n\r\n")
            try connection.write(
                "HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n"
            )
            connection.waitForEnd()
        }
        defer { server.stop() }
        let answer = try onLoop { try await $0.exchange(.get(server)) }
        #expect(answer.status == 302)
        #expect(answer.fields["location"] == "/other")
    }

    @Test func uploadsWhatIsMadeWhileItIsSent() throws {
        let server = try LocalServer { connection in
            try connection.read(until: "\r\n\r\n")
            try connection.read(until: "end")
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            connection.waitForEnd()
        }
        defer { server.stop() }
        let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 50_000)
        let pieces = [piece, piece, piece, Array("end".utf8)]
        let next = Atomic(0)
        let answer = try onLoop { network in
            let url = MaskedText("http://127.0.0.1:\(server.port)/file")
            return try await network.upload(.init(.put, url), size: 150_003) {
                let index = next.add(1, ordering: .relaxed).oldValue
                return index < pieces.count ? pieces[index] : nil
            }
        }
        #expect(answer.status == 200)
        #expect(server.received.hasSuffix("aaaend"))
        #expect(server.received.contains("\r\nContent-Length: 150003\r\n"))
    }

    @Test func saysThatAFileGotShorter() throws {
        let server = try LocalServer { $0.waitForEnd() }
        defer { server.stop() }
        let next = Atomic(0)
        let failure = try failure { network in
            let url = MaskedText("http://127.0.0.1:\(server.port)/file")
            return try await network.upload(.init(.put, url), size: 1_000) {
                next.add(1, ordering: .relaxed).oldValue == 0 ? [1, 2, 3] : nil
            }
        }
        #expect(failure?.stage == .local)
        #expect(failure?.words == "the file changed while it was sent")
    }

    // MARK: Servers that do wrong

    @Test func saysThatAServerIsSilent() throws {
        let server = try LocalServer { $0.waitForEnd() }
        defer { server.stop() }
        var request = OutboundRequest.get(server)
        request.timeoutSeconds = 1
        let failure = try failure { [request] in try await $0.exchange(request) }
        #expect(failure?.stage == .silent)
        #expect(failure?.wasSent == true)
    }

    @Test func saysThatAServerCuts() throws {
        let none = try LocalServer { try $0.read(until: "\r\n\r\n") }
        defer { none.stop() }
        let first = try failure { try await $0.exchange(.get(none)) }
        #expect(first?.stage == .closed)
        #expect(first?.wasSent == true)
        let half = try LocalServer { connection in
            try connection.read(until: "\r\n\r\n")
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf")
        }
        defer { half.stop() }
        let second = try failure { try await $0.exchange(.get(half)) }
        #expect(second?.stage == .closed)
        #expect(second?.words.contains("in the middle of its answer") == true)
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.2\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + String(repeating: "x", count: 70_000),
        "HTTP/1.1 200 OK\r\n" + String(repeating: "A: bbbbbbbbbbbbbbbbbb\r\n", count: 500),
    ])
    func refusesAnAnswerThatIsNone(_ text: String) throws {
        let server = try LocalServer { connection in
            try connection.read(until: "\r\n\r\n")
            try connection.write(text)
        }
        defer { server.stop() }
        let failure = try failure { try await $0.exchange(.get(server)) }
        #expect(failure?.stage == .malformed, "\(failure?.words ?? "none")")
    }

    @Test func saysThatNothingListens() throws {
        let server = try LocalServer { _ in }
        server.stop()
        let failure = try failure { try await $0.exchange(.get(server)) }
        #expect(failure?.stage == .refused && failure?.isNear == true)
        #expect(failure?.wasSent == false)
    }

    @Test func saysThatANameIsUnknown() throws {
        let loop = try EventLoop()
        let names = NameLookup(clock: loop.clock) {
            $0 == "inside.example" ? [[127, 0, 0, 1]] : []
        }
        let network = try CurlNetwork(on: loop, names: names)
        let stages = try loop.run {
            var words: [String] = []
            for host in ["outside.example", "inside.example", "169.254.169.254", "[::1]"] {
                do {
                    let url = MaskedText("http://\(host):9/")
                    _ = try await network.exchange(OutboundRequest(.get, url))
                } catch let failure as NetworkFailure {
                    words.append("\(failure.stage): \(failure.words)")
                }
            }
            return words
        }
        let hint = "a target there needs \"local\": true"
        #expect(
            stages == [
                "unknownHost: no name server has an address for outside.example",
                "local: inside.example is this computer; \(hint)",
                "local: 169.254.169.254 is where clouds keep secrets; \(hint)",
                "local: ::1 is this computer; \(hint)",
            ]
        )
    }

    @Test func endsATransferAtOnceWhenItsTaskIsCancelled() throws {
        let server = try LocalServer { $0.waitForEnd() }
        defer { server.stop() }
        let loop = try EventLoop()
        var settings = CurlSettings()
        settings.allowsLocal = true
        let network = try CurlNetwork(on: loop, settings: settings)
        let start = loop.clock.now
        let isCancelled = try loop.run {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    do {
                        _ = try await network.exchange(.get(server))
                        return false
                    } catch is CancellationError {
                        return true
                    }
                }
                while server.connectionCount == 0 { await Task.yield() }
                group.cancelAll()
                return try await group.next() ?? false
            }
        }
        #expect(isCancelled)
        #expect(start.duration(to: loop.clock.now) < .seconds(5))
    }

    @Test func sendsFourAtATime() throws {
        let server = try LocalServer { connection in
            try connection.read(until: "\r\n\r\n")
            try connection.write(
                "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"
            )
        }
        defer { server.stop() }
        let statuses = try onLoop { network in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<12 {
                    group.addTask { try await network.exchange(.get(server)).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
        #expect(statuses == [Int](repeating: 204, count: 12))
    }
}

extension OutboundRequest {
    static func get(_ server: LocalServer, _ scheme: String = "http") -> OutboundRequest {
        OutboundRequest(.get, MaskedText("\(scheme)://127.0.0.1:\(server.port)/"))
    }
}

/// Runs a body with a network that may connect to this computer.
func onLoop<Value: Sendable>(
    _ body: @escaping @Sendable (CurlNetwork) async throws -> Value
) throws -> Value {
    let loop = try EventLoop()
    var settings = CurlSettings()
    settings.allowsLocal = true
    let network = try CurlNetwork(on: loop, settings: settings)
    return try loop.run { try await body(network) }
}

/// Runs a body and returns the failure that it throws; nil when it throws none.
func failure<Value: Sendable>(
    _ body: @escaping @Sendable (CurlNetwork) async throws -> Value
) throws -> NetworkFailure? {
    try onLoop { network in
        do {
            _ = try await body(network)
            return nil
        } catch let failure as NetworkFailure {
            return failure
        }
    }
}
