import COpenSSL
import Glibc
import Synchronization
import Testing

@testable import CourierIO
@testable import LinuxIO
@testable import RoostCourier

/// A test server on loopback: one connection after the other, each by a script.
final class LocalServer: Sendable {
    let port: Int
    private let descriptor: Int32
    private let thread: DiskThread
    private let count = Atomic(0)
    private let text = Mutex("")

    init(
        _ certificate: TestCertificate? = nil,
        _ serve: @escaping @Sendable (ServerConnection) throws -> Void
    ) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let raw = descriptor
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(raw, pointer, size) == 0 && listen(raw, 16) == 0
                    && getsockname(raw, pointer, &size) == 0
            }
        }
        try #require(bound)
        port = Int(UInt16(bigEndian: address.sin_port))
        thread = try DiskThread(name: "server")
        try thread.submit { [self] in
            while true {
                let connection = accept(raw, nil, nil)
                guard connection >= 0 else { break }
                count.add(1, ordering: .relaxed)
                do {
                    try serve(
                        ServerConnection(connection, certificate) { [self] more in
                            text.withLock { $0 += more }
                        }
                    )
                } catch {
                    text.withLock { $0 += "(\(error))" }
                }
            }
            // Here and not in `stop()`: the number would go to the next socket of another test
            // while this thread may still accept with it.
            close(raw)
        }
    }

    /// Stops the server; a connection under way goes on to the end of its script.
    func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Number of connections so far.
    var connectionCount: Int { count.load(ordering: .relaxed) }
    /// All bytes that its scripts have read so far.
    var received: String { text.withLock { $0 } }
}

/// One connection of a `LocalServer`, blocking, encrypted when there is a certificate.
final class ServerConnection {
    struct Ended: Error {}

    private let descriptor: Int32
    private var context: OpaquePointer?
    private var session: OpaquePointer?
    private let note: (String) -> Void
    private var unread: [UInt8] = []

    /// - Parameters:
    ///   - descriptor: Is closed with the connection.
    ///   - certificate: Certificate for encryption from the start; nil without encryption.
    ///   - note: Takes what a script reads, as it comes.
    /// - Throws: `Ended` when OpenSSL refuses the certificate.
    init(
        _ descriptor: Int32,
        _ certificate: TestCertificate?,
        _ note: @escaping (String) -> Void
    ) throws {
        (self.descriptor, self.note) = (descriptor, note)
        // A time limit, so that no script hangs the tests.
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        if let certificate { try encrypt(certificate) }
    }

    deinit {
        copenssl_free_session(session)
        copenssl_free_context(context)
        close(descriptor)
    }

    /// Starts encryption, at once or after STARTTLS.
    func encrypt(_ certificate: TestCertificate) throws {
        context = copenssl_make_context(certificate.pem, certificate.key, nil)
        guard let context else { throw Ended() }
        session = copenssl_accept(context)
    }

    /// Reads until a text has come.
    @discardableResult
    func read(until end: String) throws -> String {
        let mark = Array(end.utf8)
        // Where the mark may begin; what comes before was searched already.
        var start = 0
        while true {
            if let range = unread[start...].firstRange(of: mark) {
                defer { unread.removeFirst(range.upperBound) }
                return String(decoding: unread[..<range.upperBound], as: UTF8.self)
            }
            start = max(0, unread.count - mark.count + 1)
            let more = try receive()
            unread += more
            note(String(decoding: more, as: UTF8.self))
        }
    }

    func write(_ text: String) throws {
        let bytes = Array(text.utf8)
        guard let session else { return try put(bytes) }
        guard copenssl_write(session, bytes, bytes.count) else { throw Ended() }
        try drain(session)
    }

    /// Sends nothing for a while.
    func stayQuiet(for milliseconds: Int) {
        var limit = timeval(tv_sec: milliseconds / 1_000, tv_usec: milliseconds % 1_000 * 1_000)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        var byte: UInt8 = 0
        _ = recv(descriptor, &byte, 1, Int32(MSG_PEEK))
    }

    /// Waits until the other side closes.
    func waitForEnd() {
        while (try? receive()) != nil {}
    }

    private func receive() throws -> [UInt8] {
        guard let session else { return try readBytes() }
        var plain = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            var count = 0
            let step = copenssl_read(session, &plain, plain.count, &count)
            try drain(session)
            switch step {
            case COPENSSL_READ: return Array(plain.prefix(count))
            case COPENSSL_WAITS:
                let bytes = try readBytes()
                _ = copenssl_feed(session, bytes, bytes.count)
            default: throw Ended()
            }
        }
    }

    private func drain(_ session: OpaquePointer) throws {
        var bytes = [UInt8](repeating: 0, count: copenssl_waiting(session))
        let count = copenssl_drain(session, &bytes, bytes.count)
        try put(Array(bytes.prefix(count)))
    }

    private func readBytes() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { throw Ended() }
        return Array(bytes.prefix(count))
    }

    private func put(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { throw Ended() }
            rest = rest.dropFirst(sent)
        }
    }
}

/// A certificate with its own authority.
struct TestCertificate: Sendable {
    let pem: String
    let key: String
    let authority: String

    /// - Parameters:
    ///   - from: Seconds from now.
    ///   - until: Seconds from now.
    /// - Throws: An expectation that failed: OpenSSL made no key or certificate.
    init(_ names: String = "IP:127.0.0.1", from: Int64 = -60, until: Int64 = 3600) throws {
        key = try Self.text { copenssl_make_key($0, $1) }
        let authorityKey = try Self.text { copenssl_make_key($0, $1) }
        let now = Int64(time(nil))
        func wish(
            _ name: UnsafePointer<CChar>,
            _ serial: UnsafePointer<UInt8>,
            _ days: (Int64, Int64)
        ) -> copenssl_wish {
            var wish = copenssl_wish()
            (wish.name, wish.serial) = (name, serial)
            (wish.from, wish.until) = (now + days.0, now + days.1)
            return wish
        }
        let serial = [UInt8](repeating: 7, count: 16)
        let constraints = "critical,permitted;DNS:localhost,permitted;IP:127.0.0.0/255.0.0.0"
        let authority = try "Test authority".withCString { name in
            try constraints.withCString { constraints in
                var wish = wish(name, serial, (-86_400, 864_000))
                wish.constraints = constraints
                return try Self.text {
                    copenssl_make_authority(&wish, authorityKey, $0, $1)
                }
            }
        }
        let key = self.key
        pem = try "Test server".withCString { name in
            try names.withCString { names in
                var wish = wish(name, serial, (from, until))
                wish.names = names
                return try Self.text {
                    copenssl_make_server(&wish, key, authority, authorityKey, $0, $1)
                }
            }
        }
        self.authority = authority
    }

    private static func text(_ write: (UnsafeMutablePointer<CChar>?, Int) -> Int) throws -> String {
        var buffer = [CChar](repeating: 0, count: Int(COPENSSL_PEM_MAX))
        try #require(write(&buffer, buffer.count) > 0)
        let bytes = buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        return String(decoding: bytes, as: UTF8.self)
    }
}
