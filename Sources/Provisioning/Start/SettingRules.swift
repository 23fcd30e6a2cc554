/// Rules for the value of each setting of a station; the same for every file that has it.
enum SettingRules {
    /// Why a setting is not taken, and what to write.
    struct Refusal: Error, Hashable {
        let words: String
        let next: String
    }

    /// - Source: RFC 1123, section 2.1; of one label, as `.local` follows it.
    static func hostName(_ text: String) throws(Refusal) -> String {
        let name = text.lowercased()
        let isName =
            (1...63).contains(name.utf8.count) && !name.hasPrefix("-") && !name.hasSuffix("-")
            && name.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
        guard isName, name != "localhost" else {
            throw Refusal(
                words: "the name \(ProvisionProblems.shown(text)) cannot be one in a network",
                next: "Take 1 to 63 letters (a to z), digits and hyphens, as balcony-2"
            )
        }
        return name
    }

    static func networkName(_ text: String) throws(Refusal) -> String {
        guard (1...32).contains(text.utf8.count) else {
            throw Refusal(
                words: "the Wi-Fi name has \(text.utf8.count) bytes",
                next: "Write the name as the router shows it, 1 to 32 bytes"
            )
        }
        return text
    }

    /// - Source: IEEE 802.11-2020, J.4.1: a passphrase has 8 to 63 printable ASCII characters.
    static func secret(_ text: String) throws(Refusal) -> WirelessNetwork.Secret {
        if text.isEmpty { return .none }
        let isHexadecimal = text.utf8.allSatisfy { isDigit($0) || isHexadecimalLetter($0) }
        if text.utf8.count == 64, isHexadecimal { return .key(text.lowercased()) }
        guard (8...63).contains(text.utf8.count), text.utf8.allSatisfy({ (0x20...0x7E) ~= $0 })
        else {
            throw Refusal(
                words: "the Wi-Fi password has \(text.count) characters or other ones than it may",
                next: "Write it as the router has it: 8 to 63 characters, without umlauts"
            )
        }
        // wpa_supplicant takes what follows for a comment, and reads no backslash there.
        if let quote = text.firstIndex(of: "\""), text[quote...].contains("#") {
            throw Refusal(
                words: "the Wi-Fi password has a # behind a quotation mark, which cannot be used",
                next: "Write the key of 64 digits in its place, or give the router another one"
            )
        }
        return .passphrase(text)
    }

    static func country(_ text: String) throws(Refusal) -> String {
        let code = text.uppercased()
        guard code.utf8.count == 2, code.utf8.allSatisfy({ (0x41...0x5A) ~= $0 }) else {
            throw Refusal(
                words: "\(ProvisionProblems.shown(text)) is no country's code",
                next: "Write its two letters, as DE, IT or GB"
            )
        }
        return code
    }

    static func accessPoint(_ text: String) throws(Refusal) -> AccessPointRule {
        guard let rule = AccessPointRule(rawValue: text.lowercased()) else {
            throw Refusal(
                words: "\(ProvisionProblems.shown(text)) is no kind of access point",
                next: "Write open or locked, or leave the line out"
            )
        }
        return rule
    }

    /// - Parameters:
    ///   - knows: Whether the station has rules for a zone.
    /// - Returns: The zone.
    static func timeZone(_ text: String, _ knows: (String) -> Bool) throws(Refusal) -> String {
        let isName =
            (1...64).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: "/")
            && !text.contains("..")
            && text.utf8.allSatisfy { byte in
                isLetter(byte) || (0x41...0x5A) ~= byte || isDigit(byte)
                    || "/_+-".utf8.contains(byte)
            }
        guard isName, knows(text) else {
            throw Refusal(
                words: "the time zone \(ProvisionProblems.shown(text)) is not known",
                next: "Write continent and city, as Europe/Berlin or America/New_York"
            )
        }
        return text
    }

    /// - Source: useradd(8), as Debian configures it.
    static func user(_ text: String) throws(Refusal) -> String {
        let bytes = Array(text.utf8)
        let isName =
            (1...32).contains(bytes.count) && !isDigit(bytes[0]) && bytes[0] != UInt8(ascii: "-")
            && bytes.allSatisfy { isLetter($0) || isDigit($0) || "_-".utf8.contains($0) }
        guard isName, text != "root", !text.hasPrefix("roost") else {
            throw Refusal(
                words: "\(ProvisionProblems.shown(text)) cannot be a user here",
                next: "Take small letters, digits, _ and -, a letter first; not root, not roost"
            )
        }
        return text
    }

    /// Checks a key, which is one line of a `.pub` file.
    static func key(_ text: String) throws(Refusal) -> String {
        let kinds: Set = [
            "ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384",
            "ecdsa-sha2-nistp521", "sk-ssh-ed25519@openssh.com",
            "sk-ecdsa-sha2-nistp256@openssh.com",
        ]
        let words = text.split(whereSeparator: { $0 == " " || $0 == "\t" })
        let body = words.count > 1 ? words[1].drop { $0 == "=" } : ""
        let letters = body.utf8.prefix { $0 != UInt8(ascii: "=") }
        let isBase64 = letters.allSatisfy { byte in
            isLetter(byte) || (0x41...0x5A) ~= byte || isDigit(byte) || "+/".utf8.contains(byte)
        }
        guard let kind = words.first, kinds.contains(String(kind)), body.hasPrefix("AAAA"),
            letters.count >= 64, isBase64, !text.contains("\n")
        else {
            let isPrivate = text.contains("PRIVATE KEY")
            throw Refusal(
                words: isPrivate
                    ? "this is the private key, which belongs on no other machine"
                    : "this is no public SSH key",
                next: "Paste the one line of the file that ends in .pub, as id_ed25519.pub"
            )
        }
        return text
    }

    /// A password as crypt(5) stores it; never a password itself.
    static func passwordHash(_ text: String) throws(Refusal) -> String {
        let bytes = Array(text.utf8)
        guard (13...512).contains(bytes.count), bytes[0] == UInt8(ascii: "$"),
            bytes.count(where: { $0 == UInt8(ascii: "$") }) >= 3,
            bytes.allSatisfy({ (0x21...0x7E) ~= $0 && $0 != UInt8(ascii: ":") })
        else {
            throw Refusal(
                words: "the password is not in the form that Raspberry Pi Imager gives it",
                next: "Set it in Raspberry Pi Imager, or take a key"
            )
        }
        return text
    }

    static func keyboard(_ text: String) throws(Refusal) -> String {
        guard (1...32).contains(text.utf8.count),
            text.utf8.allSatisfy({ isLetter($0) || isDigit($0) || "_-".utf8.contains($0) })
        else {
            throw Refusal(
                words: "the keyboard \(ProvisionProblems.shown(text)) is not known",
                next: "Write its short name, as de or us"
            )
        }
        return text
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A) ~= byte }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39) ~= byte }
    private static func isHexadecimalLetter(_ byte: UInt8) -> Bool {
        (0x61...0x66) ~= byte || (0x41...0x46) ~= byte
    }
}
