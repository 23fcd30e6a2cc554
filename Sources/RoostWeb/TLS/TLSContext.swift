import COpenSSL

/// A certificate with its key, ready for connections.
final class TLSContext: Sendable {
    // OpenSSL counts and locks by itself.
    nonisolated(unsafe) fileprivate let context: OpaquePointer
    private let other: TLSContext?

    /// - Parameters:
    ///   - certificates: PEM; the server's first, then those that lead to its authority.
    ///   - other: Serves clients that ask for a name it is for.
    init(certificates: String, key: String, other: TLSContext? = nil) throws(OpenSSLError) {
        guard let context = copenssl_make_context(certificates, key, other?.context) else {
            throw OpenSSLError()
        }
        (self.context, self.other) = (context, other)
    }

    deinit { copenssl_free_context(context) }
}

/// The server's side of one connection, over memory: bytes go in and come out, and nothing waits.
final class TLSSession {
    enum Step: Hashable {
        case waits
        case read(count: Int)
        case closed
        case failed(String)
    }

    private let context: TLSContext
    private let session: OpaquePointer

    /// - Throws: `OpenSSLError` when memory is short.
    init(_ context: TLSContext) throws(OpenSSLError) {
        guard let session = copenssl_accept(context.context) else { throw OpenSSLError() }
        (self.context, self.session) = (context, session)
    }

    deinit { copenssl_free_session(session) }

    /// Whether the handshake is done.
    var isOpen: Bool { copenssl_is_open(session) }

    /// Bytes that wait for the wire.
    var waitingCount: Int { copenssl_waiting(session) }

    /// Takes bytes from the wire.
    func feed(_ bytes: UnsafeRawBufferPointer) -> Bool {
        copenssl_feed(session, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
    }

    /// Gives bytes for the wire.
    ///
    /// - Returns: How many; 0 when none wait.
    func drain(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
        copenssl_drain(session, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
    }

    /// Continues the handshake, and reads plain bytes.
    func read(_ bytes: UnsafeMutableRawBufferPointer) -> Step {
        var count = 0
        let base = bytes.bindMemory(to: UInt8.self).baseAddress
        switch copenssl_read(session, base, bytes.count, &count) {
        case COPENSSL_READ: return .read(count: count)
        case COPENSSL_CLOSED: return .closed
        case COPENSSL_FAILED: return .failed(OpenSSLError().description)
        default: return .waits
        }
    }

    /// Encrypts bytes for `drain`.
    ///
    /// - Returns: Whether it did; false before the handshake is done.
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.isEmpty
            || copenssl_write(
                session,
                bytes.bindMemory(to: UInt8.self).baseAddress,
                bytes.count
            )
    }

    /// Says once that nothing follows.
    func close() { copenssl_close(session) }
}
