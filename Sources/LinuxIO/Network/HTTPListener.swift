import CLinux
import Core
import Glibc
import HardwareIO
import Synchronization

/// Request of a client, without its headers and body.
package struct HTTPRequest: Hashable, Sendable {
    package let method: String
    package let path: String
}

/// Answers HTTP on a port of this machine: for simulated HTTP devices, which close after each
/// answer.
///
/// Bounds: `clientLimit` clients at once, 8 KiB of head, ten seconds each; who goes beyond is cut
/// off.
package final class HTTPListener: Sendable {
    static let clientLimit = 8
    private static let headLimit = 8 * 1_024
    private static let patience: Duration = .seconds(10)

    /// The one that was asked for, or the free one that was found.
    package let port: UInt16
    private let loop: EventLoop
    private let watched: Watched
    private let descriptor: OwnedDescriptor

    /// Listens.
    ///
    /// - Parameters:
    ///   - address: Four bytes of IPv4.
    ///   - port: 0 picks a free one.
    ///   - loop: Where clients are waited for.
    package init(address: [UInt8], port: UInt16, on loop: EventLoop) throws(LinuxError) {
        precondition(address.count == 4, "IPv4")
        let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let raw = socket(AF_INET, flags, 0)
        guard raw >= 0 else { throw .system(call: "socket", errno: errno, path: nil) }
        descriptor = OwnedDescriptor(raw)
        var yes: Int32 = 1
        setsockopt(raw, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        place.sin_addr.s_addr = address.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(raw, $0, length) == 0 && getsockname(raw, $0, &length) == 0
            }
        }
        guard isBound else { throw .system(call: "bind", errno: errno, path: nil) }
        guard listen(raw, Int32(Self.clientLimit)) == 0 else {
            throw .system(call: "listen", errno: errno, path: nil)
        }
        self.port = UInt16(bigEndian: place.sin_port)
        self.loop = loop
        watched = try loop.register(raw)
    }

    package func close() { watched.close() }

    /// Answers until cancelled.
    ///
    /// - Parameter answer: Makes the answer; nil sends nothing until the client gives up.
    /// - Throws: `CancellationError`; `LinuxError` when the port is lost.
    package func run(
        _ answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse?
    ) async throws {
        let count = ClientCount()
        try await withThrowingDiscardingTaskGroup { group in
            while !Task.isCancelled {
                let raw = clinux_accept(descriptor.raw)
                if raw < 0 {
                    guard [EAGAIN, EINTR, ECONNABORTED].contains(errno) else {
                        throw LinuxError.system(call: "accept4", errno: errno, path: nil)
                    }
                    if errno == EAGAIN { _ = try await watched.readable() }
                    continue
                }
                let client = OwnedDescriptor(raw)
                guard count.admits(upTo: Self.clientLimit) else { continue }
                group.addTask {
                    await self.serve(client, answer)
                    count.leave()
                }
            }
        }
    }

    /// One client; its mistakes end its own connection and nothing else.
    private func serve(
        _ client: OwnedDescriptor,
        _ answer: @Sendable (HTTPRequest) -> HTTPResponse?
    ) async {
        let deadline = loop.clock.now.advanced(by: Self.patience)
        guard let watched = try? loop.register(client.raw) else { return }
        defer { watched.close() }
        guard let head = await Self.head(client, watched, until: deadline) else { return }
        guard let request = Self.request(head) else {
            return Self.send(HTTPResponse(status: 400, body: []), to: client)
        }
        guard let response = answer(request) else {
            // Silent until the client goes away.
            while await Self.receive(client, watched, until: deadline) != nil {}
            return
        }
        Self.send(response, to: client)
    }

    private static func head(
        _ client: OwnedDescriptor,
        _ watched: Watched,
        until deadline: MonotonicInstant
    ) async -> [UInt8]? {
        var head: [UInt8] = []
        while head.count <= headLimit {
            guard let bytes = await receive(client, watched, until: deadline) else { return nil }
            head += bytes
            let text = String(decoding: head, as: UTF8.self)
            if text.contains("\r\n\r\n") || text.contains("\n\n") { return head }
        }
        return nil
    }

    /// Returns the next bytes; nil at the end, at the deadline and after an error.
    private static func receive(
        _ client: OwnedDescriptor,
        _ watched: Watched,
        until deadline: MonotonicInstant
    ) async -> [UInt8]? {
        while !Task.isCancelled {
            var bytes = [UInt8](repeating: 0, count: 1_024)
            let count = recv(client.raw, &bytes, bytes.count, 0)
            if count > 0 { return Array(bytes.prefix(count)) }
            guard count < 0, errno == EAGAIN || errno == EINTR else { return nil }
            guard (try? await watched.readable(until: deadline)) == true else { return nil }
        }
        return nil
    }

    private static func request(_ head: [UInt8]) -> HTTPRequest? {
        let line = head.prefix { $0 != 0x0D && $0 != 0x0A }
        let parts = String(decoding: line, as: UTF8.self).split(separator: " ")
        guard parts.count == 3, parts[2].hasPrefix("HTTP/1."), parts[1].hasPrefix("/") else {
            return nil
        }
        return HTTPRequest(method: String(parts[0]), path: String(parts[1]))
    }

    /// An answer of a few hundred bytes fits the socket's buffer; what does not is cut off.
    private static func send(_ response: HTTPResponse, to client: OwnedDescriptor) {
        let head =
            "HTTP/1.1 \(response.status) -\r\nContent-Type: text/plain\r\n"
            + "Content-Length: \(response.body.count)\r\nConnection: close\r\n\r\n"
        let bytes = Array(head.utf8) + response.body
        _ = bytes.withUnsafeBytes {
            Glibc.send(client.raw, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }
}

/// How many clients are served now.
private final class ClientCount: Sendable {
    private let count = Mutex(0)

    func admits(upTo limit: Int) -> Bool {
        count.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
    }

    func leave() { count.withLock { $0 -= 1 } }
}
