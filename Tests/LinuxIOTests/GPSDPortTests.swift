import CLinux
import Core
import Glibc
import HardwareIO
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

        func send(_ peer: Int32, _ text: String) {
            let bytes = Array(text.utf8)
            _ = Glibc.send(peer, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }
    }
}
