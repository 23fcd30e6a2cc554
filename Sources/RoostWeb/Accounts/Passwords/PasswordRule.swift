/// The rule for passwords: which are accepted, and why others are not.
enum PasswordRule {
    /// Least number of characters.
    static func least(_ role: Role) -> Int { role == .owner ? 12 : 10 }
    /// Greatest length in bytes; longer passwords only cost time.
    static let mostBytes = 256

    /// Returns why a password is refused; nil for a good one.
    ///
    /// - Parameters:
    ///   - known: What others know: name, e-mail address, the station's name.
    /// - Returns: A sentence for the person who types it.
    static func objection(_ password: String, _ role: Role, known: [String]) -> String? {
        guard password.count >= least(role) else {
            return "too short: at least \(least(role)) characters, it has \(password.count)"
        }
        guard password.utf8.count <= mostBytes else {
            return "too long: at most \(mostBytes) bytes"
        }
        guard Set(password).count >= 5 else {
            return "weak: it has only \(Set(password).count) different characters"
        }
        let typed = password.lowercased()
        if let word = CommonPasswords.core(of: typed) ?? CommonPasswords.core(of: plain(typed)) {
            return "weak: it is the common password \(word), with little around it"
        }
        if isSequence(password) { return "weak: its characters follow each other" }
        let parts = known.flatMap { text in
            [text.lowercased()] + text.lowercased().split { "@. ".contains($0) }.map(String.init)
        }
        var (rest, found) = (typed, [String]())
        // The longest first: an address before its parts.
        for part in parts.sorted(by: { $0.count > $1.count })
        where part.count >= 4 && rest.contains(part) {
            rest = rest.replacing(part, with: "")
            found.append(part)
        }
        guard !found.isEmpty, rest.count < 8 else { return nil }
        return "weak: it is mostly \(found.joined(separator: " and ")), which others know"
    }

    /// Usual replacements taken back: `p@ssw0rd` is `password`.
    private static func plain(_ typed: String) -> String {
        let replaced: [Character: Character] = [
            "@": "a", "4": "a", "3": "e", "1": "i", "!": "i", "0": "o", "$": "s", "5": "s",
            "7": "t",
        ]
        return String(typed.map { replaced[$0] ?? $0 })
    }

    /// `abcdefghijkl`, `210987654321`, `qwertyuiop[]`.
    private static func isSequence(_ password: String) -> Bool {
        let rows = ["qwertyuiop[]", "asdfghjkl;'", "zxcvbnm,./", "qwertzuiop", "azertyuiop"]
        let text = Array(password.lowercased())
        let steps = zip(text, text.dropFirst()).count { left, right in
            let pairs = ["\(left)\(right)", "\(right)\(left)"]
            if rows.contains(where: { row in pairs.contains { row.contains($0) } }) { return true }
            guard let left = left.asciiValue, let right = right.asciiValue else { return false }
            // 9 is followed by 0.
            return [0, 1, 9].contains(abs(Int(right) - Int(left)))
        }
        return steps * 10 >= (text.count - 1) * 8
    }
}
