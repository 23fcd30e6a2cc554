import Core

/// A file in the format age v1, encrypted with a passphrase.
///
/// - Source: https://age-encryption.org/v1 (C2SP, age.md).
package enum AgeFile {
    /// Each step doubles time and memory: 2^15 takes 32 MiB, which every Pi has.
    package static let logCost = 15
    private static let intro = "age-encryption.org/v1"
    private static let saltLabel = "age-encryption.org/v1/scrypt"
    private static let headerMax = 1_024
    private static let chunkByteCount = 64 << 10

    package enum Fault: Error, Hashable, Sendable {
        /// It does not begin as a file of age does.
        case foreign
        /// It is for keys and not for a passphrase, or of a later version.
        case otherKind
        /// Its passphrase was made slower than this program can check.
        case tooCostly(logCost: Int)
        case noMemory
        case wrongPassphrase
        /// It is cut, or bytes of it were changed.
        case damaged
    }

    package static func isOne(_ bytes: [UInt8]) -> Bool { bytes.starts(with: intro.utf8) }

    /// Encrypts bytes; nil without the memory.
    package static func seal(_ plain: [UInt8], passphrase: String) -> [UInt8]? {
        let (fileKey, salt) = (AgeCipher.random(16), AgeCipher.random(16))
        guard let wrapKey = wrapKey(passphrase, salt, logCost) else { return nil }
        let body = AgeCipher.seal(fileKey, key: wrapKey, nonce: zeros)
        let head = "\(intro)\n-> scrypt \(text(salt)) \(logCost)\n\(text(body))\n---"
        var file = Array("\(head) \(text(headerCode(head, fileKey)))\n".utf8)
        let nonce = AgeCipher.random(16)
        let key = AgeCipher.derive(fileKey, salt: nonce, info: "payload")
        file += nonce
        let starts = Array(stride(from: 0, to: max(plain.count, 1), by: chunkByteCount))
        for (number, start) in starts.enumerated() {
            let chunk = Array(plain[start..<min(start + chunkByteCount, plain.count)])
            let isLast = number == starts.count - 1
            file += AgeCipher.seal(chunk, key: key, nonce: chunkNonce(number, isLast: isLast))
        }
        return file
    }

    /// Decrypts a file.
    ///
    /// - Parameter logCostMax: The most that the passphrase may cost, 1…20.
    package static func open(
        _ file: [UInt8],
        passphrase: String,
        logCostMax: Int = logCost
    ) throws(Fault) -> [UInt8] {
        guard isOne(file) else { throw .foreign }
        let (lines, payload) = try header(file)
        guard lines[0] == intro else { throw .otherKind }
        let words = lines[1].split(separator: " ", omittingEmptySubsequences: false)
        guard words.count >= 2, words[0] == "->" else { throw .damaged }
        guard words[1] == "scrypt" else { throw .otherKind }
        guard words.count == 4, let salt = bytes(words[2]), salt.count == 16,
            let cost = Int(words[3]), cost > 0, "\(cost)" == words[3],
            let body = bytes(lines[2]), body.count == 16 + AgeCipher.tagByteCount,
            lines[3].hasPrefix("--- "), let code = bytes(lines[3].dropFirst(4))
        else { throw .damaged }
        guard cost <= min(logCostMax, 20) else { throw .tooCostly(logCost: cost) }
        guard let wrapKey = wrapKey(passphrase, salt, cost) else { throw .noMemory }
        guard let fileKey = AgeCipher.open(body, key: wrapKey, nonce: zeros) else {
            throw .wrongPassphrase
        }
        let head = lines[..<3].joined(separator: "\n") + "\n---"
        guard code == headerCode(head, fileKey) else { throw .damaged }
        return try open(payload, fileKey)
    }

    private static func open(
        _ payload: ArraySlice<UInt8>,
        _ fileKey: [UInt8]
    ) throws(Fault) -> [UInt8] {
        guard payload.count >= 16 else { throw .damaged }
        let key = AgeCipher.derive(fileKey, salt: Array(payload.prefix(16)), info: "payload")
        let sealed = Array(payload.dropFirst(16))
        let step = chunkByteCount + AgeCipher.tagByteCount
        var plain: [UInt8] = []
        let starts = Array(stride(from: 0, to: max(sealed.count, 1), by: step))
        for (number, start) in starts.enumerated() {
            let isLast = number == starts.count - 1
            let chunk = Array(sealed[start..<min(start + step, sealed.count)])
            let nonce = chunkNonce(number, isLast: isLast)
            guard let opened = AgeCipher.open(chunk, key: key, nonce: nonce),
                // Only an empty file has an empty last piece.
                !opened.isEmpty || number == 0
            else { throw .damaged }
            plain += opened
        }
        return plain
    }

    /// The four lines of a header with one recipient, and what is behind it.
    private static func header(
        _ file: [UInt8]
    ) throws(Fault) -> (lines: [String], payload: ArraySlice<UInt8>) {
        var lines: [String] = []
        var rest = file[...]
        while lines.count < 4 {
            guard let end = rest.prefix(headerMax).firstIndex(of: UInt8(ascii: "\n")) else {
                throw .damaged
            }
            lines.append(String(decoding: rest[..<end], as: UTF8.self))
            rest = rest[(end + 1)...]
        }
        return (lines, rest)
    }

    private static var zeros: [UInt8] { [UInt8](repeating: 0, count: 12) }

    private static func wrapKey(_ passphrase: String, _ salt: [UInt8], _ cost: Int) -> [UInt8]? {
        AgeCipher.scrypt(passphrase, salt: Array(saltLabel.utf8) + salt, logCost: cost)
    }

    private static func headerCode(_ head: String, _ fileKey: [UInt8]) -> [UInt8] {
        let key = AgeCipher.derive(fileKey, salt: [], info: "header")
        return AgeCipher.hmac(Array(head.utf8), key: key)
    }

    private static func chunkNonce(_ number: Int, isLast: Bool) -> [UInt8] {
        (0..<11).map { UInt8(truncatingIfNeeded: number >> (8 * min(10 - $0, 7))) & mask($0) }
            + [isLast ? 1 : 0]
    }

    /// Bytes of the counter beyond the 64 bits of a number are 0.
    private static func mask(_ place: Int) -> UInt8 { place < 3 ? 0 : 0xFF }

    /// Base64 without padding, as age writes it.
    private static func text(_ bytes: [UInt8]) -> String {
        String(Base64.text(bytes).prefix { $0 != "=" })
    }

    /// - Returns: Nil for any text that `text` does not write.
    private static func bytes(_ digits: some StringProtocol) -> [UInt8]? {
        guard let bytes = Base64.bytes(String(digits)), text(bytes) == digits else { return nil }
        return bytes
    }
}
