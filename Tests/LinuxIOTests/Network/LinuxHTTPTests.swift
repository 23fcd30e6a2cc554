import Core
import Glibc
import HardwareIO
import Testing

@testable import LinuxIO

/// On real sockets of this machine.
@Suite struct LinuxHTTPTests {
    @Test func getsAnAnswerThatComesInPieces() throws {
        let pieces = ["HTTP/1.1 200 OK\r\nConte", "nt-Length: 4\r\n\r\n1;", "2\n"]
        let (response, request) = try withDevice(pieces) { fetcher, target, clock in
            try await fetcher.get(target, until: clock.now.advanced(by: .seconds(10)))
        }
        #expect(try response.get() == HTTPResponse(status: 200, body: Array("1;2\n".utf8)))
        #expect(request.hasPrefix("GET /value HTTP/1.1\r\nHost: 127.0.0.1:"))
        #expect(request.hasSuffix("Connection: close\r\n\r\n"))
    }

    @Test func saysThatABoardIsSilent() throws {
        let (response, _) = try withDevice([]) { fetcher, target, clock in
            try await fetcher.get(target, until: clock.now.advanced(by: .milliseconds(50)))
        }
        guard case .failure(let error) = response, case .timedOut? = error as? HTTPError else {
            Issue.record("\(response)")
            return
        }
    }

    @Test func saysThatNobodyListens() throws {
        let loop = try EventLoop()
        let error = try loop.run {
            // Bound but not listening: no other process can have the port.
            let board = try Board(listens: false)
            do {
                let target = try #require(HTTPTarget("http://127.0.0.1:\(board.port)/"))
                _ = try await LinuxHTTP(on: loop).get(
                    target,
                    until: loop.clock.now.advanced(by: .seconds(10))
                )
                return "an answer"
            } catch { return "\(error)" }
        }
        #expect(error.contains("it refuses"))
    }

    @Test func asksNobodyOutside() throws {
        let loop = try EventLoop()
        let error = try loop.run {
            do {
                let target = try #require(HTTPTarget("http://192.0.2.1/"))
                _ = try await LinuxHTTP(on: loop).get(
                    target,
                    until: loop.clock.now.advanced(by: .seconds(10))
                )
                return HTTPError?.none
            } catch { return error as? HTTPError }
        }
        guard case .notLocal? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    private func withDevice(
        _ pieces: [String],
        _ body:
            @escaping @Sendable (LinuxHTTP, HTTPTarget, any NodeClock) async throws ->
            HTTPResponse
    ) throws -> (Result<HTTPResponse, any Error>, request: String) {
        let loop = try EventLoop()
        return try loop.run {
            let board = try Board()
            let watched = try loop.register(board.descriptor.raw)
            defer { watched.close() }
            let target = try #require(HTTPTarget("http://127.0.0.1:\(board.port)/value"))
            async let served = board.serve(pieces, watched, on: loop)
            let response: Result<HTTPResponse, any Error>
            do {
                response = .success(try await body(LinuxHTTP(on: loop), target, loop.clock))
            } catch {
                response = .failure(error)
            }
            return (response, try await served)
        }
    }
}

/// A board that takes one client.
private struct Board {
    let descriptor: OwnedDescriptor
    let port: UInt16

    init(listens: Bool = true) throws {
        let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let raw = socket(AF_INET, flags, 0)
        try #require(raw >= 0)
        descriptor = OwnedDescriptor(raw)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(raw, $0, length) == 0 && getsockname(raw, $0, &length) == 0
            }
        }
        try #require(isBound)
        if listens { try #require(listen(raw, 1) == 0) }
        port = UInt16(bigEndian: address.sin_port)
    }

    /// Reads a request and answers in pieces; an empty answer waits until the client gives up.
    func serve(_ pieces: [String], _ watched: Watched, on loop: EventLoop) async throws -> String {
        var client: Int32 = -1
        while client < 0 {
            client = accept(descriptor.raw, nil, nil)
            if client < 0 { _ = try await watched.readable() }
        }
        let connection = OwnedDescriptor(client)
        _ = fcntl(client, F_SETFL, O_NONBLOCK)
        let arrivals = try loop.register(client)
        defer { arrivals.close() }
        var request: [UInt8] = []
        while !request.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard let bytes = try await Self.receive(connection, arrivals) else { break }
            request += bytes
        }
        for piece in pieces {
            _ = piece.withCString { send(client, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
            await Task.yield()
        }
        if pieces.isEmpty { while try await Self.receive(connection, arrivals) != nil {} }
        return String(decoding: request, as: UTF8.self)
    }

    /// Returns the next bytes; nil at the end.
    private static func receive(
        _ connection: OwnedDescriptor,
        _ arrivals: Watched
    ) async throws -> [UInt8]? {
        while true {
            var bytes = [UInt8](repeating: 0, count: 1_024)
            let count = recv(connection.raw, &bytes, bytes.count, 0)
            if count > 0 { return Array(bytes.prefix(count)) }
            if count == 0 { return nil }
            guard errno == EAGAIN else { return nil }
            _ = try await arrivals.readable()
        }
    }
}
