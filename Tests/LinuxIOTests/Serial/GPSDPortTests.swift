import CLinux
import Core
import Glibc
import HardwareIO
import Synchronization
import Testing

@testable import LinuxIO

/// A connection to a gpsd in a serial port's place, on real sockets of this machine.
@Suite struct GPSDPortTests {
    @Test(arguments: [
        ("gpsd://127.0.0.1", [127, 0, 0, 1], 2_947), ("gpsd://localhost:1", [127, 0, 0, 1], 1),
        ("gpsd://192.168.1.20:65535", [192, 168, 1, 20], 65_535),
    ])
    func addressesAreRead(text: String, host: [UInt8], port: Int) {
        let found = GPSDAddress(text)
        #expect(found?.host == host && found.map { Int($0.port) } == port)
    }

    @Test(arguments: [
        "gpsd://", "gpsd://8.8.8.8", "gpsd://name", "gpsd://127.0.0.1:", "gpsd://127.0.0.1:0",
        "gpsd://127.0.0.1:65536", "gpsd://127.0.0.1/x", "gpsd://[::1]", "/dev/ttyUSB0", "",
        "gpsd://127.0.0.1:2947:1", "gpsd://user@127.0.0.1",
    ])
    func otherTextsAreNone(text: String) { #expect(GPSDAddress(text) == nil) }

    @Test func sentencesAreAskedForAndRead() throws {
        let server = try Server()
        let (bytes, request, later, end) = try server.run { loop, path, address in
            let port = try await LinuxSerialPort.open(address, path: path, on: loop)
            let peer = try server.accept()
            let request = try server.receive(peer, GPSDAddress.request.count)
            let soon = loop.clock.now.advanced(by: .seconds(10))
            server.send(peer, "{\"class\":\"VERSION\"}\r\n$GP")
            let bytes = try await port.read(atLeast: 24, until: soon) ?? []
            server.send(peer, "old")
            _ = try await port.read(atLeast: 1, until: soon)
            server.send(peer, "stale")
            try port.discardInput()
            server.send(peer, "new")
            var later: [UInt8] = []
            while !later.reversed().starts(with: "new".utf8.reversed()) {
                later += try await port.read(atLeast: 3, until: soon) ?? []
            }
            close(peer)
            let end = await #expect(throws: SerialError.self) {
                while true { _ = try await port.read(atLeast: 1, until: soon) }
            }
            port.close()
            return (bytes, request, later, end)
        }
        #expect(request == GPSDAddress.request)
        #expect(String(decoding: bytes, as: UTF8.self) == "{\"class\":\"VERSION\"}\r\n$GP")
        #expect(String(decoding: later, as: UTF8.self).hasSuffix("new"))
        guard case .disconnected? = end else {
            Issue.record("\(String(describing: end))")
            return
        }
    }

    /// Bytes that arrive while a sensor sleeps are outdated when it wakes.
    @Test func whatComesBetweenTwoReadsIsThrownAway() throws {
        let server = try Server()
        let heard = try server.run { loop, path, address in
            let port = try await LinuxSerialPort.open(address, path: path, on: loop)
            let peer = try server.accept()
            let soon = loop.clock.now.advanced(by: .seconds(10))
            let wait = SerialWait(count: 1, until: soon)
            server.send(peer, "first")
            _ = try await port.read(into: Listener("first"), wait)
            // Less than a flood; each piece is a turn of the loop.
            for _ in 0..<40 {
                server.send(peer, String(repeating: "o", count: 1_000))
                try await loop.clock.sleep(for: .milliseconds(1), tolerance: .zero)
            }
            try port.discardInput()
            let listener = Listener("new")
            server.send(peer, "new")
            _ = try await port.read(into: listener, wait)
            port.close()
            close(peer)
            return listener.text
        }
        #expect(heard == "new")
    }

    @Test func aFloodEndsTheConnection() throws {
        let server = try Server()
        let error = try server.run { loop, path, address in
            let port = try await LinuxSerialPort.open(address, path: path, on: loop)
            let peer = try server.accept()
            let flood = Flood(server, peer)
            flood.send()
            let wait = SerialWait(count: 60, until: loop.clock.now.advanced(by: .seconds(10)))
            let error = await #expect(throws: SerialError.self) {
                _ = try await port.read(into: flood, wait)
            }
            port.close()
            close(peer)
            return error
        }
        guard case .flooded? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    /// Has more sent with all that it hears.
    private final class Flood: SerialReceiver {
        private let server: Server
        private let peer: Int32

        init(_ server: Server, _ peer: Int32) { (self.server, self.peer) = (server, peer) }

        func send() { server.send(peer, String(repeating: "$GPGSV,\r\n", count: 500)) }

        func receive(_ bytes: Span<UInt8>) -> SerialWait? {
            send()
            let far = MonotonicInstant.boot.advanced(by: .days(36_500))
            return SerialWait(count: 60, until: far)
        }
    }

    /// Reads until the text ends as wanted.
    private final class Listener: SerialReceiver {
        private let end: String
        private let heard = Mutex("")

        init(_ end: String) { self.end = end }

        var text: String { heard.withLock { $0 } }

        func receive(_ bytes: Span<UInt8>) -> SerialWait? {
            heard.withLock { heard in
                for index in 0..<bytes.count {
                    heard.unicodeScalars.append(UnicodeScalar(bytes[index]))
                }
                guard !heard.hasSuffix(end) else { return nil }
                let far = MonotonicInstant.boot.advanced(by: .days(36_500))
                return SerialWait(count: 1, until: far)
            }
        }
    }

    @Test func whereNothingListensItIsSaid() throws {
        let server = try Server(listens: false)
        let error = try server.run { loop, path, address in
            await #expect(throws: SerialError.self) {
                _ = try await LinuxSerialPort.open(address, path: path, on: loop)
            }
        }
        guard case .noServer? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect("\(try #require(error))".contains("no gpsd answers"))
    }

    /// A listener of this machine, read without waiting for more than what was sent.
    private struct Server {
        let listener: OwnedDescriptor
        let port: UInt16

        init(listens: Bool = true) throws {
            listener = OwnedDescriptor(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
            var place = sockaddr_in()
            place.sin_family = sa_family_t(AF_INET)
            place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let raw = listener.raw
            let isBound = withUnsafeMutablePointer(to: &place) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(raw, address, size) == 0 && getsockname(raw, address, &size) == 0
                }
            }
            try #require(isBound)
            if listens { try #require(listen(raw, 4) == 0) }
            port = UInt16(bigEndian: place.sin_port)
        }

        func run<Value: Sendable>(
            _ body: @escaping @Sendable (EventLoop, String, GPSDAddress) async throws -> Value
        ) throws -> Value {
            let path = "gpsd://127.0.0.1:\(port)"
            let address = try #require(GPSDAddress(path))
            let loop = try EventLoop()
            return try loop.run { try await body(loop, path, address) }
        }

        func accept() throws -> Int32 {
            let peer = Glibc.accept(listener.raw, nil, nil)
            try #require(peer >= 0)
            return peer
        }

        func receive(_ peer: Int32, _ count: Int) throws -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            let got = recv(peer, &bytes, count, Int32(MSG_WAITALL))
            try #require(got == count)
            return bytes
        }

        /// Sends without blocking; bytes for which the socket has no room are dropped.
        func send(_ peer: Int32, _ text: String) {
            let bytes = Array(text.utf8)
            _ = Glibc.send(peer, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        }
    }
}
