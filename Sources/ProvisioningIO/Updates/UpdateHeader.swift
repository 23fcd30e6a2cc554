import Core

/// The beginning of an update file: who signed it, and what.
///
/// `ROOST-UPDATE-1`, then one to four lines `ed25519 KEY SIGNATURE`, then the manifest, one line of
/// JSON. The signature is of the manifest's bytes without the line's end. The payload follows.
struct UpdateHeader: Hashable, Sendable {
    struct Signature: Hashable, Sendable {
        /// 16 hexadecimal digits.
        let key: String
        /// 64 bytes.
        let bytes: [UInt8]
    }

    static let magic = "ROOST-UPDATE-1"
    /// Bytes in front of the payload; a file with more is refused.
    static let byteCountMax = 16_384
    static let signatureCountMax = 4

    let signatures: [Signature]
    let manifestBytes: [UInt8]
    /// Where the payload begins.
    let byteCount: Int

    /// - Parameter bytes: The beginning of a file; nil when the header goes on behind them.
    /// - Throws: `UpdateError.notAnUpdate` as soon as that is certain.
    init?(_ bytes: [UInt8]) throws(UpdateError) {
        let magic = Array((Self.magic + "\n").utf8)
        guard bytes.starts(with: magic.prefix(bytes.count)) else {
            throw .notAnUpdate("it does not begin with \(Self.magic)")
        }
        var signatures: [Signature] = []
        var rest = bytes[min(magic.count, bytes.count)...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = rest[..<end]
            guard end < Self.byteCountMax else { break }
            if line.first == UInt8(ascii: "{") {
                guard !signatures.isEmpty else { throw .notAnUpdate("it has no signature") }
                self.signatures = signatures
                manifestBytes = Array(line)
                byteCount = end + 1
                return
            }
            guard signatures.count < Self.signatureCountMax, let signature = Self.signature(line)
            else { throw .notAnUpdate("line \(signatures.count + 2) is no signature") }
            signatures.append(signature)
            rest = rest[(end + 1)...]
        }
        guard bytes.count <= Self.byteCountMax else {
            throw .notAnUpdate("its head is longer than \(Self.byteCountMax) bytes")
        }
        return nil
    }

    private static func signature(_ line: ArraySlice<UInt8>) -> Signature? {
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        let digits = Set("0123456789abcdef".utf8)
        guard words.count == 3, words[0].elementsEqual("ed25519".utf8), words[1].count == 16,
            words[1].allSatisfy(digits.contains)
        else { return nil }
        // As `openssl base64` writes it, and in no other form.
        let text = String(decoding: words[2], as: UTF8.self)
        guard let bytes = Base64.bytes(text), bytes.count == 64, Base64.text(bytes) == text else {
            return nil
        }
        return Signature(key: String(decoding: words[1], as: UTF8.self), bytes: bytes)
    }

    /// The manifest, once a key that the station trusts has signed it.
    ///
    /// - Throws: `UpdateError.untrusted`, `.wrongSignature`, `.notAnUpdate`.
    func manifest(
        trusting keys: [UpdateKey]
    ) throws(UpdateError) -> (manifest: UpdateManifest, key: String) {
        let known = Dictionary(keys.map { ($0.id, $0) }) { first, _ in first }
        var wrong: String?
        for signature in signatures {
            guard let key = known[signature.key] else { continue }
            if key.signed(manifestBytes, signature.bytes) {
                return (try UpdateManifest(manifestBytes), signature.key)
            }
            wrong = signature.key
        }
        if let wrong { throw .wrongSignature(key: wrong) }
        throw .untrusted(keys: signatures.map(\.key), trusted: known.keys.sorted())
    }
}
