import CLinux
import Core
import Glibc
import HardwareIO

/// HTTP on the loop: one GET on a connection of its own.
///
/// Small HTTP devices close after each answer and serve one client at a time, so nothing is kept
/// open. A silent name server costs the deadline and no more; see `NameLookup`.
package actor LinuxHTTP: HTTPFetcher {
    private static let chunk = 4_096

    private let loop: EventLoop
    private let names: NameLookup

    package init(on loop: EventLoop) {
        self.init(on: loop, names: NameLookup(clock: loop.clock))
    }

    init(on loop: EventLoop, names: NameLookup) { (self.loop, self.names) = (loop, names) }

    package func get(
        _ target: HTTPTarget,
        until deadline: MonotonicInstant
    ) async throws -> HTTPResponse {
        let addresses = try await addresses(of: target, until: deadline)
        // The guard judges the address that is connected to: a second look-up could say another.
        let admitted = addresses.filter { AddressGuard.admits($0, target.reach) }
        guard !admitted.isEmpty else {
            throw addresses.isEmpty ? HTTPError.unknownHost(target) : .notLocal(target)
        }
        var failure: any Error = HTTPError.timedOut(target)
        for address in admitted.prefix(NameLookup.addressLimit) {
            do {
                return try await exchange(with: address, target, until: deadline)
            } catch let error as HTTPError {
                failure = error
                if case .malformed = error { throw error }
                if loop.clock.now >= deadline { throw error }
            }
        }
        throw failure
    }

    private func addresses(
        of target: HTTPTarget,
        until deadline: MonotonicInstant
    ) async throws -> [[UInt8]] {
        if Self.isNumeric(target.host) { return NameLookup.ask(target.host) }
        let found = try await names.addresses(of: target.host, until: deadline)
        guard let found else { throw HTTPError.nameServerSilent(target) }
        return found
    }

    /// Whether looking it up asks no name server.
    private static func isNumeric(_ host: String) -> Bool {
        host.contains(":") || host.utf8.allSatisfy { $0 == 0x2E || (0x30...0x39).contains($0) }
    }

    private func exchange(
        with address: [UInt8],
        _ target: HTTPTarget,
        until deadline: MonotonicInstant
    ) async throws -> HTTPResponse {
        let family = address.count == 4 ? AF_INET : AF_INET6
        let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let raw = socket(family, flags, 0)
        guard raw >= 0 else { throw HTTPError.system(call: "socket", errno: errno, target) }
        let descriptor = OwnedDescriptor(raw)
        let watched = try loop.register(raw)
        defer { watched.close() }
        let result = clinux_tcp_connect(raw, address, Int32(address.count), target.port)
        if result != 0, errno != EINPROGRESS { throw Self.error(errno, "connect", target) }
        if result != 0 {
            guard try await watched.writable(until: deadline) else {
                throw HTTPError.timedOut(target)
            }
            let code = clinux_socket_error(raw)
            guard code == 0 else { throw Self.error(code, "connect", target) }
        }
        try await send(Self.request(target), on: descriptor, watched, target, deadline)
        return try await receive(on: descriptor, watched, target, deadline)
    }

    private func send(
        _ request: [UInt8],
        on descriptor: OwnedDescriptor,
        _ watched: Watched,
        _ target: HTTPTarget,
        _ deadline: MonotonicInstant
    ) async throws {
        var rest = request[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes {
                Glibc.send(descriptor.raw, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if sent > 0 {
                rest = rest.dropFirst(sent)
            } else if errno == EAGAIN {
                guard try await watched.writable(until: deadline) else {
                    throw HTTPError.timedOut(target)
                }
            } else if errno != EINTR {
                throw Self.error(errno, "send", target)
            }
        }
    }

    private func receive(
        on descriptor: OwnedDescriptor,
        _ watched: Watched,
        _ target: HTTPTarget,
        _ deadline: MonotonicInstant
    ) async throws -> HTTPResponse {
        var decoder = HTTPResponseDecoder()
        while !Task.isCancelled {
            var received = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: Self.chunk) { buffer, count in
                received = recv(descriptor.raw, buffer.baseAddress, Self.chunk, 0)
                count = max(received, 0)
            }
            let code = received < 0 ? errno : 0
            if code == EAGAIN {
                guard try await watched.readable(until: deadline) else {
                    throw HTTPError.timedOut(target)
                }
                continue
            }
            if code == EINTR { continue }
            guard code == 0 else { throw Self.error(code, "recv", target) }
            do throws(HTTPResponseDecoder.Flaw) {
                let response = try decoder.receive(bytes, isAtEnd: received == 0)
                if let response { return response }
            } catch {
                throw HTTPError.malformed(target, error.words)
            }
            // A device that sends without end counts as silent.
            guard loop.clock.now < deadline else { throw HTTPError.timedOut(target) }
        }
        throw CancellationError()
    }

    private static func request(_ target: HTTPTarget) -> [UInt8] {
        Array(
            ("GET \(target.path) HTTP/1.1\r\nHost: \(target.authority)\r\n"
                + "User-Agent: roost\r\nAccept: text/plain, */*\r\nConnection: close\r\n\r\n").utf8
        )
    }

    private static func error(_ code: Int32, _ call: String, _ target: HTTPTarget) -> HTTPError {
        switch code {
        case ECONNREFUSED, ECONNRESET, EPIPE: .refused(target)
        case ETIMEDOUT, EHOSTUNREACH, ENETUNREACH: .timedOut(target)
        default: .system(call: call, errno: code, target)
        }
    }
}
