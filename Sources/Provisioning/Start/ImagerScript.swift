/// `firstrun.sh`, the script that Raspberry Pi Imager writes for its settings.
///
/// It is read and never run: its lines that call `imager_custom` and `userconf` hold all settings.
///
/// - Source: raspberrypi/rpi-imager, `customization_generator.cpp`, the script of systems without
///   cloud-init.
package enum ImagerScript {
    package static let name = "firstrun.sh"

    private struct Login {
        var name: String?
        var isRefused = false
        var hash: String?
        var keys: [String] = []
    }

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
        var login = Login()
        for line in lines.lines {
            let text = line.text.trimmedSpace
            let isCall = ["/imager_custom ", "/userconf "].contains { call in
                text.hasPrefix("/") && text.prefix { $0 != " " }.hasSuffix(call.dropLast())
            }
            guard isCall else { continue }
            guard let words = ShellWords.split(text), words.count > 1 else {
                draft.problems.add(
                    line.number,
                    "this line is not in Raspberry Pi Imager's form, and is left out",
                    next: "Write the setting into station.txt instead"
                )
                continue
            }
            if words[0].hasSuffix("/userconf") {
                apply(login: Array(words.dropFirst()), line.number, &login, &draft)
            } else {
                apply(words[1], Array(words.dropFirst(2)), line.number, &login.keys, &draft)
            }
        }
        // A name that was refused is no reason to let another one in.
        let name = login.isRefused ? nil : login.name ?? (login.keys.isEmpty ? nil : "pi")
        draft.file.settings.user = name.map { name in
            LoginUser(name: name, keys: login.keys, passwordHash: login.hash)
        }
        return draft.finished
    }

    private static func apply(
        login words: [String],
        _ line: Int,
        _ login: inout Login,
        _ draft: inout SettingsBuilder
    ) {
        guard let first = words.first else { return }
        login.name = draft.value(line) { () throws(SettingRules.Refusal) in
            try SettingRules.user(first)
        }
        login.isRefused = login.name == nil
        guard words.count > 1 else { return }
        login.hash = draft.value(line) { () throws(SettingRules.Refusal) in
            try SettingRules.passwordHash(words[1])
        }
    }

    private static func apply(
        _ command: String,
        _ words: [String],
        _ line: Int,
        _ keys: inout [String],
        _ draft: inout SettingsBuilder
    ) {
        switch command {
        case "set_hostname":
            guard let first = words.first else { return }
            draft.file.settings.hostName = draft.value(line) { () throws(SettingRules.Refusal) in
                try SettingRules.hostName(first)
            }
        case "enable_ssh":
            guard words.first == "-k" else {
                draft.file.settings.acceptsPasswords = true
                return
            }
            // Several keys stand in one word, or in one each.
            let lines = words.dropFirst().flatMap { $0.split(whereSeparator: \.isNewline) }
            keys = lines.prefix(16).compactMap { key in
                draft.value(line) { () throws(SettingRules.Refusal) in
                    try SettingRules.key(String(key))
                }
            }
        case "set_wlan": takeWireless(words, line, &draft)
        case "set_keymap":
            guard let first = words.first else { return }
            draft.file.settings.keyboard = draft.value(line) { () throws(SettingRules.Refusal) in
                try SettingRules.keyboard(first)
            }
        case "set_timezone":
            guard let first = words.first else { return }
            let knows = draft.knowsZone
            draft.file.settings.timeZone = draft.value(line) { () throws(SettingRules.Refusal) in
                try SettingRules.timeZone(first, knows)
            }
        default: break
        }
    }

    private static func takeWireless(
        _ words: [String],
        _ line: Int,
        _ draft: inout SettingsBuilder
    ) {
        let plain = words.filter { $0 != "-h" && $0 != "-p" }
        guard let first = plain.first, !first.isEmpty else { return }
        let name = draft.value(line) { () throws(SettingRules.Refusal) in
            try SettingRules.networkName(first)
        }
        let secret = draft.value(line) { () throws(SettingRules.Refusal) in
            try SettingRules.secret(plain.count > 1 ? plain[1] : "")
        }
        if plain.count > 2, !plain[2].isEmpty {
            draft.file.settings.country = draft.value(line) { () throws(SettingRules.Refusal) in
                try SettingRules.country(plain[2])
            }
        }
        guard let name, let secret else { return }
        draft.file.settings.wireless = WirelessNetwork(
            name: name,
            secret: secret,
            isHidden: words.contains("-h")
        )
    }
}
