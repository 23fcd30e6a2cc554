import FileIO
import Glibc
import HardwareIO
import LinuxIO
import Provisioning

/// The station's own access point: its file for wpa_supplicant, and its password.
package struct AccessPoint {
    private static let passwordPath = "/etc/roost/access-point-password"

    /// Path of the system's root; empty for this machine.
    private let root: String
    private let hasOwner: Bool

    /// - Parameters:
    ///   - root: Empty for this machine.
    ///   - hasOwner: Whether the dashboard has an owner.
    package init(root: String, hasOwner: Bool) { (self.root, self.hasOwner) = (root, hasOwner) }

    var rule: AccessPointRule? {
        Files.line(root + SettingsWriter.accessPoint).flatMap(AccessPointRule.init)
    }

    /// Changes who may join it, from the next time that it opens.
    func choose(_ rule: AccessPointRule?) throws(StorageError) {
        let path = root + SettingsWriter.accessPoint
        if let rule {
            try SettingFile.put("\(rule.rawValue)\n", path, mode: 0o644)
            return
        }
        guard unlink(path) == 0 || errno == ENOENT else {
            throw StorageError("unlink", errno: errno, path)
        }
        do { try Files.sync(folder: Files.folder(of: path)) } catch { throw StorageError(error) }
    }

    private var isLocked: Bool { AccessPointConfiguration.isLocked(rule, hasOwner: hasOwner) }

    /// Its name; nil without a radio.
    private var name: String? {
        Files.line("\(root)/sys/class/net/\(RadioTools.device)/address")
            .flatMap(AccessPointConfiguration.name)
    }

    /// Writes the file of wpa_supplicant.
    ///
    /// - Returns: The network's name.
    package func write(_ path: String) throws -> String {
        guard let name else { throw StorageError("read", errno: ENODEV, RadioTools.device) }
        let configuration = Files.text(root + SettingsWriter.wireless, limit: 1 << 16) ?? ""
        let text = AccessPointConfiguration.text(
            name: name,
            country: WirelessConfiguration.country(of: configuration),
            password: isLocked ? try password() : nil
        )
        try WholeFile.write(Array(text.utf8), to: path, mode: 0o600)
        return name
    }

    /// The password, which is made at the first start.
    private func password() throws(StorageError) -> String {
        if let known = Files.line(root + Self.passwordPath), known.utf8.count >= 8 { return known }
        var random = SystemRandomNumberGenerator()
        let made = AccessPointConfiguration.makePassword(using: &random)
        try SettingFile.put("\(made)\n", root + Self.passwordPath, mode: 0o600)
        return made
    }

    /// The line of `roost-said.txt` about it, for the boot partition alone.
    func line() throws(StorageError) -> String? {
        guard rule != .open else { return nil }
        let since = rule == .locked ? "" : ", once the station has an owner"
        return "The station's own Wi-Fi roost-XXXX has this password\(since): \(try password())"
    }
}
