import COpenSSL

/// A digest that is fed piece by piece, for files that are never whole in memory.
package struct StreamingHash: ~Copyable {
    package enum Kind: Hashable, Sendable {
        case sha256
        case md5
    }

    private let hash: OpaquePointer

    package init(_ kind: Kind) {
        let digest = kind == .md5 ? COPENSSL_MD5 : COPENSSL_SHA256
        guard let hash = copenssl_make_hash(digest) else {
            preconditionFailure("a digest needs 400 bytes of memory")
        }
        self.hash = hash
    }

    deinit { copenssl_free_hash(hash) }

    package mutating func add(_ bytes: [UInt8]) {
        let isDone = copenssl_add(hash, bytes, bytes.count)
        precondition(isDone, "a digest takes bytes until it is finished")
    }

    /// 32 bytes of SHA-256, 16 of MD5.
    package consuming func finish() -> [UInt8] {
        var value = [UInt8](repeating: 0, count: 32)
        let count = copenssl_finish(hash, &value)
        precondition(count > 0, "a digest is finished once")
        return Array(value.prefix(count))
    }

    static func of(_ bytes: [UInt8], _ kind: Kind) -> [UInt8] {
        var hash = StreamingHash(kind)
        hash.add(bytes)
        return hash.finish()
    }
}
