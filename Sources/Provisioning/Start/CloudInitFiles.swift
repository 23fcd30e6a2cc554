/// `user-data` and `network-config`, the files that Raspberry Pi Imager writes for systems with
/// cloud-init.
///
/// Of cloud-init's hundreds of settings those are read that Imager sets: name, user, key, password,
/// time zone, keyboard and Wi-Fi. Commands and packages in them are passed over.
///
/// - Source: raspberrypi/rpi-imager, `customization_generator.cpp`; cloud-init, *User-data formats*
///   and *Networking config version 2*.
package enum CloudInitFiles {
    package static let userName = "user-data"
    package static let networkName = "network-config"

    /// - Parameters:
    ///   - knowsZone: Whether the station has rules for a time zone.
    /// - Returns: What is right of it, and what is not.
    package static func readUser(
        _ bytes: [UInt8],
        knowsZone: @escaping (String) -> Bool
    ) -> ProvisionedFile {
        var draft = SettingsBuilder(userName, knowsZone: knowsZone)
        guard let tree = tree(bytes, &draft) else { return draft.file }
        apply(tree["hostname"], &draft) { settings, text throws(SettingRules.Refusal) in
            settings.hostName = try SettingRules.hostName(text)
        }
        let knows = draft.knowsZone
        apply(tree["timezone"], &draft) { settings, text throws(SettingRules.Refusal) in
            settings.timeZone = try SettingRules.timeZone(text, knows)
        }
        apply(tree["keyboard"]?["layout"], &draft) { settings, text throws(SettingRules.Refusal) in
            settings.keyboard = try SettingRules.keyboard(text)
        }
        apply(tree["ssh_pwauth"], &draft) { settings, text in
            settings.acceptsPasswords = text == "true" || text == "yes"
        }
        if let user = tree["users"]?.items.first(where: { $0["name"] != nil }) {
            takeUser(user, &draft)
        }
        return draft.finished
    }

    /// - Returns: What is right of it, and what is not.
    package static func readNetwork(_ bytes: [UInt8]) -> ProvisionedFile {
        var draft = SettingsBuilder(networkName) { _ in false }
        guard let tree = tree(bytes, &draft) else { return draft.file }
        let root = tree["network"] ?? tree
        guard let radio = root["wifis"]?["wlan0"] else { return draft.finished }
        apply(radio["regulatory-domain"], &draft) { settings, text throws(SettingRules.Refusal) in
            settings.country = try SettingRules.country(text)
        }
        guard case .map(let points)? = radio["access-points"],
            let (name, point) = points.sorted(by: { $0.key < $1.key }).first
        else { return draft.finished }
        var password = (text: "", line: Int?.none)
        if case .text(let text, let line)? = point["password"] { password = (text, line) }
        let known = draft.value(password.line) { () throws(SettingRules.Refusal) in
            WirelessNetwork(
                name: try SettingRules.networkName(name),
                secret: try SettingRules.secret(password.text)
            )
        }
        draft.file.settings.wireless = known
        if case .text("true", _)? = point["hidden"] {
            draft.file.settings.wireless?.isHidden = true
        }
        return draft.finished
    }

    private static func tree(_ bytes: [UInt8], _ draft: inout SettingsBuilder) -> BlockYAML? {
        do throws(ProvisionProblem) {
            return BlockYAML(try PlainLines(bytes, of: draft.problems.file).lines)
        } catch {
            draft.file.problems = [error]
            return nil
        }
    }

    private static func apply(
        _ value: BlockYAML?,
        _ draft: inout SettingsBuilder,
        _ body: (inout ProvisionedSettings, String) throws(SettingRules.Refusal) -> Void
    ) {
        guard case .text(let text, let line)? = value, !text.isEmpty else { return }
        var settings = draft.file.settings
        _ = draft.value(line) { () throws(SettingRules.Refusal) in try body(&settings, text) }
        draft.file.settings = settings
    }

    private static func takeUser(_ user: BlockYAML, _ draft: inout SettingsBuilder) {
        guard case .text(let text, let line)? = user["name"],
            let name = draft.value(
                line,
                { () throws(SettingRules.Refusal) in try SettingRules.user(text) }
            )
        else { return }
        var login = LoginUser(name: name)
        for case .text(let key, let line) in (user["ssh_authorized_keys"]?.items ?? []).prefix(16) {
            let right = draft.value(line) { () throws(SettingRules.Refusal) in
                try SettingRules.key(key)
            }
            if let right { login.keys.append(right) }
        }
        if case .text(let hash, let line)? = user["passwd"] {
            login.passwordHash = draft.value(line) { () throws(SettingRules.Refusal) in
                try SettingRules.passwordHash(hash)
            }
        }
        draft.file.settings.user = login
    }
}
