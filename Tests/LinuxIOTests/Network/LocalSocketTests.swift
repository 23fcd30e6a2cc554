import CLinux
import Core
import Glibc
import HardwareIO
import Synchronization
import TestSupport
import Testing

@testable import LinuxIO

@Suite struct LocalSocketTests {
    @Test func carriesLinesBothWays() throws {
        let lines = try withConnection { client, server in
            try client.send(#"{"want":"status"}"#)
            try server.send("Grüße")
            try server.send("")
            return [
                try await server.nextLine(), try await client.nextLine(),
                try await client.nextLine(),
            ]
        }
        #expect(lines == [#"{"want":"status"}"#, "Grüße", ""])
    }

    /// The loop would spin: there is always room.
    @Test func anErrorWhileTheRestIsSentClosesTheConnection() throws {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
        try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
        let (own, other) = (OwnedDescriptor(ends[0]), OwnedDescriptor(ends[1]))
        let loop = try EventLoop()
        let tries = Mutex(0)
        let line = try loop.run {
            let connection = try LocalSocketConnection(own, path: "pair", on: loop) { _, _ in
                tries.withLock { $0 += 1 }
                errno = tries.withLock { $0 } == 1 ? EAGAIN : ENOBUFS
                return -1
            }
            try connection.send("hello")
            return try await withThrowingTaskGroup(of: String?.self) { group in
                group.addTask { try await connection.nextLine() ?? "closed" }
                group.addTask {
                    try await loop.clock.sleep(for: .seconds(5))
                    return nil
                }
                defer { group.cancelAll() }
                return try await group.next() ?? nil
            }
        }
        #expect(line == "closed")
        #expect(tries.withLock { $0 } == 2)
        withExtendedLifetime(other) {}
    }

    @Test func knowsWhoIsAtTheOtherEnd() throws {
        let peers = try withConnection { client, server in [client.peer, server.peer] }
        let own = PeerCredentials(processID: getpid(), userID: getuid(), groupID: getgid())
        #expect(peers == [own, own])
    }

    @Test func endsWhenTheOtherSideCloses() throws {
        let lines = try withConnection { client, server in
            try client.send("last words")
            client.close()
            return [try await server.nextLine(), try await server.nextLine()]
        }
        #expect(lines == ["last words", nil])
    }

    @Test func takesALineOfSixtyFourKibibytesAndNoMore() throws {
        let longest = String(repeating: "x", count: 64 * 1_024)
        let (line, isRefused) = try withConnection { client, server in
            try client.send(longest)
            let line = try await server.nextLine()
            try client.send(longest + "x")
            do {
                _ = try await server.nextLine()
                return (line, false)
            } catch {
                let expected = LocalSocketError.lineTooLong(byteCount: 64 * 1_024)
                return (line, error as? LocalSocketError == expected)
            }
        }
        #expect(line == longest)
        #expect(isRefused)
    }

    @Test func aClientTakesAnAnswerOfEveryLengthThatTheStationSends() throws {
        let longest = String(repeating: "x", count: 255 * 1_024)
        let line = try withConnection { client, server in
            try server.send(longest)
            return try await client.nextLine()
        }
        #expect(line == longest)
    }

    @Test func refusesAnEndlessLineBeforeItsEnd() throws {
        let isRefused = try withConnection { client, server in
            // No newline is ever read: the bound must act on what came without one.
            try client.send(String(repeating: "x", count: 100 * 1_024))
            do {
                _ = try await server.nextLine()
                return false
            } catch {
                return error is LocalSocketError
            }
        }
        #expect(isRefused)
    }

    @Test func dropsAPeerThatReadsTooSlowly() throws {
        let errors = try withConnection { client, server in
            let line = String(repeating: "y", count: 8_191)
            var errors: [LocalSocketError] = []
            // Bound: what the kernel buffers and 256 KiB, far below 16 MiB.
            for _ in 0..<2_048 where errors.isEmpty {
                do { try server.send(line) } catch let error as LocalSocketError {
                    errors.append(error)
                }
            }
            do { try server.send("more") } catch let error as LocalSocketError {
                errors.append(error)
            }
            return errors
        }
        guard case .tooSlow(let byteCount) = errors.first else {
            Issue.record("never too slow: \(errors)")
            return
        }
        #expect(byteCount > 256 * 1_024 && byteCount <= 256 * 1_024 + 8_192)
        #expect(errors.last == .closed)
    }

    @Test func sendsTheRestWhenTheReaderCatchesUp() throws {
        let received = try withConnection { client, server in
            let line = String(repeating: "z", count: 1_023)
            // More than the socket buffers (208 KiB with all overhead), less than the bound.
            for _ in 0..<250 { try server.send(line) }
            var received = 0
            while received < 250, try await client.nextLine() == line { received += 1 }
            return received
        }
        #expect(received == 250)
    }

    @Test func wakesAReaderWhenItsOwnSideCloses() throws {
        let line = try withConnection { client, _ in
            async let line = client.nextLine()
            await Task.yield()
            client.close()
            client.close()
            return try await line
        }
        #expect(line == nil)
    }

    @Test func letsItsGroupConnectAndNobodyElse() throws {
        let folder = try TestFolder()
        let listener = try LocalSocketListener(path: folder.path("s"), on: EventLoop())
        var status = stat()
        #expect(stat(folder.path("s"), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o660)
        listener.close()
        #expect(access(folder.path("s"), F_OK) != 0)
    }

    @Test func takesThePlaceOfADeadSocket() throws {
        let folder = try TestFolder()
        let path = folder.path("s")
        do {
            let dead = try LocalSocket.open(path)
            try #require(clinux_unix_bind(dead.raw, path) == 0)
        }
        let listener = try LocalSocketListener(path: path, on: EventLoop())
        listener.close()
    }

    @Test func leavesALiveSocketAndAFileAlone() throws {
        let folder = try TestFolder()
        let loop = try EventLoop()
        let live = try LocalSocketListener(path: folder.path("live"), on: loop)
        defer { live.close() }
        close(open(folder.path("file"), O_CREAT | O_RDWR, 0o600))
        for path in [folder.path("live"), folder.path("file")] {
            let refusal = LocalSocketError.system(call: "bind", errno: EADDRINUSE, path: path)
            #expect(throws: refusal) { try LocalSocketListener(path: path, on: loop) }
            #expect(access(path, F_OK) == 0)
        }
    }

    @Test func refusesAPathThatIsTooLong() throws {
        let path = "/tmp/" + String(repeating: "p", count: 103)
        let loop = try EventLoop()
        #expect(throws: LocalSocketError.pathTooLong(path: path)) {
            try LocalSocketListener(path: path, on: loop)
        }
        #expect(throws: LocalSocketError.pathTooLong(path: path)) {
            try LocalSocket.connect(path: path, on: loop)
        }
    }

    @Test func saysThatNobodyListens() throws {
        let path = try TestFolder().path("s")
        let loop = try EventLoop()
        #expect(throws: LocalSocketError.system(call: "connect", errno: ENOENT, path: path)) {
            try LocalSocket.connect(path: path, on: loop)
        }
    }

    @Test func stopsAcceptingWhenClosed() throws {
        let folder = try TestFolder()
        let loop = try EventLoop()
        #expect(throws: LocalSocketError.closed) {
            try loop.run {
                let listener = try LocalSocketListener(path: folder.path("s"), on: loop)
                return try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { _ = try await listener.accept() }
                    await Task.yield()
                    listener.close()
                    try await group.next()
                }
            }
        }
    }
}

/// Runs `body` with both ends of one connection.
private func withConnection<Value: Sendable>(
    _ body: @escaping @Sendable (any LineConnection, any LineConnection) async throws -> Value
) throws -> Value {
    let folder = try TestFolder()
    let loop = try EventLoop()
    return try loop.run {
        let listener = try LocalSocketListener(path: folder.path("s"), on: loop)
        defer { listener.close() }
        let client = try LocalSocket.connect(path: folder.path("s"), on: loop)
        let server = try await listener.accept()
        defer {
            client.close()
            server.close()
        }
        return try await body(client, server)
    }
}
