import COpenSSL
import Core

/// SHA-256 of bytes that are added piece by piece.
package struct UpdateDigest: ~Copyable {
    private let hash: OpaquePointer

    package init() {
        guard let hash = copenssl_make_hash(COPENSSL_SHA256) else {
            preconditionFailure("a digest needs 400 bytes of memory")
        }
        self.hash = hash
    }

    deinit { copenssl_free_hash(hash) }

    // The optimiser of Swift 6.2.3 crashes where this is inlined into its callers.
    @inline(never)
    package mutating func add(_ bytes: some Collection<UInt8>) {
        let isDone =
            bytes.withContiguousStorageIfAvailable {
                copenssl_add(hash, $0.baseAddress, $0.count)
            } ?? { copenssl_add(hash, $0, $0.count) }(Array(bytes))
        precondition(isDone, "a digest takes bytes until it is finished")
    }

    /// Returns the digest: 64 hexadecimal digits in lower case.
    @inline(never)
    package consuming func finish() -> String {
        var value = [UInt8](repeating: 0, count: 32)
        let count = copenssl_finish(hash, &value)
        precondition(count == 32, "a digest is finished once")
        return Hexadecimal.text(value)
    }

    /// Returns the digest of all bytes at once, as `finish` does.
    package static func of(_ bytes: [UInt8]) -> String {
        var digest = UpdateDigest()
        digest.add(bytes)
        return digest.finish()
    }
}
