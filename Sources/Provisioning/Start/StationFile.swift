import Profiles

/// `station.txt`: a setting a line, as `name=balcony`.
package enum StationFile {
    package static let name = "station.txt"
    /// Text that replaces a secret after it was taken.
    package static let taken = "(taken)"

    /// What is said of a password that was replaced by it.
    ///
    /// - Parameter isKept: Whether the station has the password: a reset removes it.
    package static func noteOfMask(isKept: Bool) -> String {
        isKept
            ? "\(name): the Wi-Fi password was taken into the station, and stands here no longer. "
                + "To change it, write the new one in place of \(taken)."
            : "\(name): the station has no Wi-Fi password any more. Write it in place of \(taken)."
    }

    private static let keys = [
        "name", "country", "wifi", "wifi-password", "wifi-hidden", "timezone", "access-point",
        "user", "ssh-key",
    ]
    /// Names of keys that people write who know other systems.
    private static let otherNames = [
        "hostname": "name", "ssid": "wifi", "password": "wifi-password", "psk": "wifi-password",
        "key": "ssh-key", "zone": "timezone", "time-zone": "timezone",
    ]
    /// Keys of one user; those beyond it are left out.
    private static let keyCountMax = 16

    /// - Parameters:
    ///   - knowsZone: Whether the station has rules for a time zone.
    /// - Returns: What is right of it, and what is not.
    package static func read(
        _ bytes: [UInt8],
        knowsZone: @escaping (String) -> Bool
    ) -> ProvisionedFile {
        var draft = SettingsBuilder(name, knowsZone: knowsZone)
        let lines: PlainLines
        do throws(ProvisionProblem) { lines = try PlainLines(bytes, of: name) } catch {
            draft.file.problems = [error]
            return draft.file
        }
        var values: [String: (text: String, line: Int)] = [:]
        var sshKeys: [(text: String, line: Int)] = []
        for line in lines.lines {
            guard let (key, value, range) = entry(line, &draft.problems) else { continue }
            if key == "wifi-password", !value.isEmpty, value != taken {
                draft.file.secrets.append(range)
            }
            if key == "ssh-key" {
                if !value.isEmpty, sshKeys.count < keyCountMax {
                    sshKeys.append((value, line.number))
                }
                continue
            }
            if values[key] != nil {
                draft.problems.add(
                    line.number,
                    "\(key) is there twice, and the last one counts",
                    next: "Remove one of them"
                )
            }
            values[key] = value.isEmpty ? nil : (value, line.number)
        }
        apply(values, &draft)
        takeWireless(values, &draft)
        // A password that was not taken is the owner's only copy: it stays, and is said.
        switch draft.file.settings.wireless?.secret {
        case .passphrase, .key: break
        case .none?, .taken, nil:
            draft.file.hasUnusedSecret = !draft.file.secrets.isEmpty
            draft.file.secrets = []
        }
        takeUser(values["user"], sshKeys, &draft)
        return draft.finished
    }

    /// Key, value and the value's bytes in the file; nil for a comment, and for what is no setting.
    private static func entry(
        _ line: PlainLines.Line,
        _ problems: inout ProvisionProblems
    ) -> (key: String, value: String, range: Range<Int>)? {
        let text = line.text.trimmedSpace
        guard !text.isEmpty, !text.hasPrefix("#"), !text.hasPrefix(";") else { return nil }
        guard let equals = line.text.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            problems.add(
                line.number,
                "\(subject(text) ?? "the line") has no =, and is left out",
                next: "Write it as name=value, or put # in front"
            )
            return nil
        }
        let written = line.text[..<equals].trimmedSpace
        let key = normal(written)
        guard keys.contains(key) else {
            let meant = otherNames[key] ?? Spelling.nearest(to: key, among: keys)
            let isName = written.count <= 16 && !written.contains(" ")
            let shown =
                meant != nil || isName
                ? ProvisionProblems.shown(written) : subject(written) ?? "the line"
            problems.add(
                line.number,
                "\(shown) is no setting, and is left out",
                next: meant.map { "Write \($0)= if you mean that" }
                    ?? "Settings are \(keys.joined(separator: ", "))"
            )
            return nil
        }
        let after = line.text[line.text.index(after: equals)...]
        let value = after.trimmedSpace
        let lead = after.utf8.prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.count
        let start = line.range.upperBound - after.utf8.count + lead
        return (key, value, start..<(start + value.utf8.count))
    }

    private static func normal(_ name: String) -> String {
        name.lowercased().replacing("_", with: "-").replacing(" ", with: "-")
    }

    /// Returns the setting that a line begins with: the text behind it may be a password, and
    /// messages about the line are shown on the card, in the log and on the dashboard.
    private static func subject(_ text: String) -> String? {
        let word = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "_-".contains($0)) }
        let key = normal(String(word))
        let isKnown = keys.contains(key) || otherNames[key] != nil
        return isKnown ? ProvisionProblems.shown(word) : nil
    }

    private static func apply(
        _ values: [String: (text: String, line: Int)],
        _ draft: inout SettingsBuilder
    ) {
        if let (text, line) = values["name"] {
            draft.file.settings.hostName = draft.value(line) { () throws(SettingRules.Refusal) in
                try SettingRules.hostName(text)
            }
        }
        if let (text, line) = values["country"] {
            draft.file.settings.country = draft.value(line) { () throws(SettingRules.Refusal) in
                try SettingRules.country(text)
            }
        }
        if let (text, line) = values["access-point"] {
            draft.file.settings.accessPoint = draft.value(line) {
                () throws(SettingRules.Refusal) in
                try SettingRules.accessPoint(text)
            }
        }
        if let (text, line) = values["timezone"] {
            let knows = draft.knowsZone
            draft.file.settings.timeZone = draft.value(line) { () throws(SettingRules.Refusal) in
                try SettingRules.timeZone(text, knows)
            }
        }
    }

    private static func takeWireless(
        _ values: [String: (text: String, line: Int)],
        _ draft: inout SettingsBuilder
    ) {
        guard let (text, line) = values["wifi"] else {
            if let other = values["wifi-password"] ?? values["wifi-hidden"] {
                draft.problems.add(
                    other.line,
                    "it belongs to a Wi-Fi, and there is no line wifi=",
                    next: "Add wifi= with the network's name"
                )
            }
            return
        }
        let password = values["wifi-password"]
        let name = draft.value(line) { () throws(SettingRules.Refusal) in
            try SettingRules.networkName(text)
        }
        let secret = draft.value(password?.line) {
            () throws(SettingRules.Refusal) -> WirelessNetwork.Secret in
            guard let password, password.text != taken else {
                return password == nil ? .none : .taken
            }
            return try SettingRules.secret(password.text)
        }
        guard let name, let secret else { return }
        if text.count > 1, text.hasPrefix("\""), text.hasSuffix("\"") {
            draft.problems.add(
                line,
                "the quotation marks are taken as part of the Wi-Fi's name",
                next: "Remove them unless the network is called so"
            )
        }
        let hidden = values["wifi-hidden"]?.text.lowercased()
        let isHidden = hidden == "yes" || hidden == "true" || hidden == "1"
        draft.file.settings.wireless = WirelessNetwork(
            name: name,
            secret: secret,
            isHidden: isHidden
        )
        if values["country"] == nil {
            draft.problems.add(
                line,
                "without a country the radio uses the channels alone that every country allows",
                next: "Add country= with two letters, as country=DE"
            )
        }
    }

    private static func takeUser(
        _ user: (text: String, line: Int)?,
        _ keys: [(text: String, line: Int)],
        _ draft: inout SettingsBuilder
    ) {
        let right = keys.compactMap { key in
            draft.value(key.line) { () throws(SettingRules.Refusal) in
                try SettingRules.key(key.text)
            }
        }
        guard user != nil || !right.isEmpty else { return }
        let text = user?.text ?? "pi"
        guard
            let name = draft.value(
                user?.line,
                { () throws(SettingRules.Refusal) in try SettingRules.user(text) }
            )
        else { return }
        guard !right.isEmpty else {
            if keys.isEmpty {
                draft.problems.add(
                    user?.line,
                    "no login as \(name) is possible, as there is no line ssh-key=",
                    next: "Add ssh-key= with the line of your file id_ed25519.pub"
                )
            }
            return
        }
        draft.file.settings.user = LoginUser(name: name, keys: right)
    }

    /// The file with each secret replaced, byte for byte as long as before.
    package static func withoutSecrets(_ bytes: [UInt8], _ secrets: [Range<Int>]) -> [UInt8] {
        var bytes = bytes
        let mark = Array(taken.utf8)
        for range in secrets where range.upperBound <= bytes.count {
            let spaces = [UInt8](repeating: 0x20, count: max(0, range.count - mark.count))
            bytes.replaceSubrange(range, with: (mark + spaces).prefix(range.count))
        }
        return bytes
    }
}
