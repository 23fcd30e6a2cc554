import FileIO
import Glibc
import HardwareIO
import Provisioning

/// Turns the settings of a boot partition into files of the system.
struct SettingsWriter {
    /// Path of the system's root; empty for this machine.
    let root: String
    let accounts: any AccountTools

    static let wireless = "/etc/wpa_supplicant/wpa_supplicant-wlan0.conf"
    static let accessPoint = "/etc/roost/access-point"

    func knowsZone(_ name: String) -> Bool {
        let path = "\(root)/usr/share/zoneinfo/\(name)"
        return Files.start(of: path, limit: 4)?.elementsEqual("TZif".utf8) == true
    }

    /// - Parameters:
    ///   - file: Where they stand, for messages.
    /// - Returns: What could not be taken; empty when all was.
    func apply(_ settings: ProvisionedSettings, from file: String) -> [ProvisionProblem] {
        var problems: [ProvisionProblem] = []
        func attempt(_ body: () throws(StorageError) -> Void) {
            do throws(StorageError) { try body() } catch {
                problems.append(
                    ProvisionProblem(
                        file,
                        "a setting cannot be kept: \(error)",
                        next: "Start the station again; roost doctor says how the card is"
                    )
                )
            }
        }
        attempt { () throws(StorageError) in try takePlace(settings) }
        attempt { () throws(StorageError) in
            if let problem = try takeWireless(settings, file) { problems.append(problem) }
        }
        if let user = settings.user {
            do throws(ProvisionProblem) { try accounts.make(user, for: file) } catch {
                problems.append(error)
            }
        }
        attempt { () throws(StorageError) in try takeShell(settings) }
        return problems
    }

    private func takePlace(_ settings: ProvisionedSettings) throws(StorageError) {
        if let name = settings.hostName {
            try SettingFile.put("\(name)\n", "\(root)/etc/hostname", mode: 0o644)
            let hosts = [
                "127.0.0.1\tlocalhost", "127.0.1.1\t\(name)",
                "::1\tlocalhost ip6-localhost ip6-loopback",
            ]
            try SettingFile.put(
                hosts.joined(separator: "\n") + "\n",
                "\(root)/etc/hosts",
                mode: 0o644
            )
            if root.isEmpty { sethostname(name, name.utf8.count) }
        }
        if let zone = settings.timeZone {
            try SettingFile.link("\(root)/etc/localtime", to: "/usr/share/zoneinfo/\(zone)")
            try SettingFile.put("\(zone)\n", "\(root)/etc/timezone", mode: 0o644)
        }
        if let rule = settings.accessPoint {
            try SettingFile.put("\(rule.rawValue)\n", root + Self.accessPoint, mode: 0o644)
        }
        if let keyboard = settings.keyboard {
            let text = "XKBMODEL=\"pc105\"\nXKBLAYOUT=\"\(keyboard)\"\n"
            try SettingFile.put(text, "\(root)/etc/default/keyboard", mode: 0o644)
        }
    }

    private func takeWireless(
        _ settings: ProvisionedSettings,
        _ file: String
    ) throws(StorageError) -> ProvisionProblem? {
        guard settings.wireless != nil || settings.country != nil else { return nil }
        let path = root + Self.wireless
        let before = Files.text(path)
        let old = (before ?? "").split(separator: "\n").map(String.init)
        let known = before.flatMap(WirelessConfiguration.country)
        let text: String?
        if settings.wireless == nil, old.contains("network={") {
            // The country alone: the network of another file stays.
            let rest = old.filter { !$0.hasPrefix("country=") }
            let lines = (settings.country.map { ["country=\($0)"] } ?? []) + rest
            text = lines.joined(separator: "\n") + "\n"
        } else {
            text = WirelessConfiguration.text(
                settings.wireless,
                country: settings.country ?? known,
                before: before
            )
        }
        guard let text else {
            return ProvisionProblem(
                file,
                "the password of the Wi-Fi is not in the station any more",
                next: "Write it into \(file) again, in place of \(StationFile.taken)"
            )
        }
        try SettingFile.put(text, path, mode: 0o600)
        return nil
    }

    private func takeShell(_ settings: ProvisionedSettings) throws(StorageError) {
        if settings.acceptsPasswords {
            try SettingFile.put(
                "PasswordAuthentication yes\n",
                "\(root)/etc/ssh/sshd_config.d/40-roost-imager.conf",
                mode: 0o644
            )
        }
        if settings.acceptsPasswords || settings.user?.keys.isEmpty == false {
            // ssh.service and the keys of the host wait for this file.
            try SettingFile.put("", "\(root)/etc/roost/ssh", mode: 0o644)
        }
    }
}
