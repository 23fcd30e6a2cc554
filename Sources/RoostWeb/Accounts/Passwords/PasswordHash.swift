import CArgon2

/// Argon2id as text, `$argon2id$v=19$m=19456,t=2,p=1$…`.
///
/// 19 MiB and two passes: 28 ms on one x86 core, some 150 ms on a Pi Zero 2 W.
///
/// - Source: OWASP, *Password Storage Cheat Sheet*, Argon2id; RFC 9106.
package struct PasswordHash: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Makes the hash of a password, as text.
    package let hash: @Sendable (_ password: String) throws -> String
    /// Checks a password against a hash.
    package let verify: @Sendable (_ password: String, _ kept: String) -> Bool

    package init(
        hash: @escaping @Sendable (String) throws -> String,
        verify: @escaping @Sendable (String, String) -> Bool
    ) {
        self.hash = hash
        self.verify = verify
    }

    /// Whether a hash from elsewhere is one of Argon2id that a log-in can afford: 64 MiB at most.
    static func isOfBoundedCost(_ hash: String) -> Bool {
        let parts = hash.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].isEmpty, parts[1] == "argon2id", hash.utf8.count <= 256
        else { return false }
        let costs = parts[3].split(separator: ",").map { $0.split(separator: "=") }
        guard costs.count == 3, costs.allSatisfy({ $0.count == 2 }) else { return false }
        let limits: [(name: String, most: Int)] = [("m", 65_536), ("t", 8), ("p", 4)]
        return zip(costs, limits).allSatisfy { cost, limit in
            cost[0] == limit.name && Int(cost[1]).map { (1...limit.most).contains($0) } == true
        }
    }

    static let argon2id = PasswordHash(
        hash: { password in
            var encoded = [CChar](repeating: 0, count: 128)
            let (bytes, salt) = (Array(password.utf8), RandomSecret.bytes(16))
            giveBack()
            let code = argon2id_hash_encoded(
                2,
                19_456,
                1,
                bytes,
                bytes.count,
                salt,
                salt.count,
                32,
                &encoded,
                encoded.count
            )
            guard code == 0 else {
                let words = argon2_error_message(code).map { String(cString: $0) }
                throw Failure(description: "Argon2: \(words ?? "error \(code)")")
            }
            let length = encoded.firstIndex(of: 0) ?? encoded.count
            return String(decoding: encoded[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        },
        verify: { password, kept in
            let bytes = Array(password.utf8)
            giveBack()
            return argon2id_verify(kept, bytes, bytes.count) == 0
        }
    )

    /// Makes glibc return blocks of a mebibyte and more to the kernel when they are freed: it would
    /// keep Argon2's 19 MiB for the next password, and the process is to be small.
    private static func giveBack() { mallopt(M_MMAP_THRESHOLD, 1 << 20) }

    /// Belongs to no password: unknown addresses take as long as known ones.
    static let ofNobody =
        "$argon2id$v=19$m=19456,t=2,p=1$cm9vc3Qtbm8tYWNjb3VudA"
        + "$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

    /// Whether Argon2 reads a text and computes, instead of refusing it at once.
    static func isComputed(_ kept: String) -> Bool {
        [0, ARGON2_VERIFY_MISMATCH.rawValue].contains(argon2id_verify(kept, "", 0))
    }
}
