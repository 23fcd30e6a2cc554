import Core

/// The file of wpa_supplicant that a Wi-Fi of the owner becomes.
///
/// - Source: wpa_supplicant.conf(5).
package enum WirelessConfiguration {
    /// - Parameters:
    ///   - network: The owner's; nil to say the country alone.
    ///   - country: Two letters; nil where it is not known.
    ///   - before: The present file, which has a secret that was taken.
    /// - Returns: The file; nil where the secret of another network was taken.
    package static func text(
        _ network: WirelessNetwork?,
        country: String?,
        before: String?
    ) -> String? {
        var lines = country.map { ["country=\($0)"] } ?? []
        lines += ["ctrl_interface=DIR=/run/wpa_supplicant GROUP=netdev", "update_config=0"]
        guard let network else { return lines.joined(separator: "\n") + "\n" }
        // In digits, so that no character of a name has a special meaning.
        let name = "\tssid=\(Hexadecimal.text(network.name))"
        lines += ["network={", name]
        if network.isHidden { lines.append("\tscan_ssid=1") }
        // WPA3 where the router has it: it needs the passphrase itself.
        let either = "\tkey_mgmt=WPA-PSK WPA-PSK-SHA256 SAE"
        switch network.secret {
        case .none: lines.append("\tkey_mgmt=NONE")
        case .passphrase(let words):
            lines += [either, "\tieee80211w=1", "\tpsk=\"\(words)\""]
        case .key(let key): lines += ["\tkey_mgmt=WPA-PSK WPA-PSK-SHA256", "\tpsk=\(key)"]
        case .taken:
            let old = (before ?? "").split(separator: "\n").map(String.init)
            guard old.contains(name), let secret = old.first(where: { $0.hasPrefix("\tpsk=") })
            else { return nil }
            let isPassphrase = secret.hasPrefix("\tpsk=\"")
            lines +=
                isPassphrase
                ? [either, "\tieee80211w=1", secret]
                : ["\tkey_mgmt=WPA-PSK WPA-PSK-SHA256", secret]
        }
        return (lines + ["}"]).joined(separator: "\n") + "\n"
    }

    /// The network of such a file.
    package struct Network: Hashable, Sendable {
        /// 1 to 32 bytes.
        package let name: [UInt8]
        package let isOpen: Bool
    }

    /// The country of such a file; nil where it says none.
    package static func country(of text: String) -> String? {
        let line = text.split(separator: "\n").first { $0.hasPrefix("country=") }
        return line.map { String($0.dropFirst(8)) }
    }

    /// - Returns: Nil where the file has none, several, or one in another form than `text` writes.
    package static func network(of text: String) -> Network? {
        let lines = text.split(separator: "\n").map(\.trimmedSpace)
        let names = lines.filter { $0.hasPrefix("ssid=") }
        guard names.count == 1 else { return nil }
        guard let name = Hexadecimal.bytes(String(names[0].dropFirst(5))),
            (1...32).contains(name.count)
        else { return nil }
        return Network(name: name, isOpen: !lines.contains { $0.hasPrefix("psk=") })
    }
}
