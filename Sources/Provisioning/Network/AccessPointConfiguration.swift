/// Who may join the station's own access point.
package enum AccessPointRule: String, Hashable, Sendable, CaseIterable {
    /// Everyone near.
    case open
    /// Who has the password that stands on the boot partition.
    case locked
}

/// The file of wpa_supplicant for the access point of a station without a network.
package enum AccessPointConfiguration {
    /// Letters and digits of a password that are not taken for another.
    private static let letters = Array("abcdefghjkmnpqrstuvwxyz23456789")
    private static let groupCount = 3, groupLength = 4

    /// `roost-35CC`, by the end of the radio's address; nil for what is no address.
    package static func name(hardwareAddress text: String) -> String? {
        let digits = text.filter(\.isHexDigit).uppercased()
        return digits.count == 12 ? "roost-\(digits.suffix(4))" : nil
    }

    /// - Parameters:
    ///   - password: Nil for an open network.
    /// - Source: wpa_supplicant.conf(5); channel 6 is allowed in every country.
    package static func text(name: String, country: String?, password: String?) -> String {
        let key =
            password.map {
                ["\tkey_mgmt=WPA-PSK", "\tproto=RSN", "\tpairwise=CCMP", "\tpsk=\"\($0)\""]
            } ?? ["\tkey_mgmt=NONE"]
        let lines =
            (country.map { ["country=\($0)"] } ?? [])
            + ["network={", "\tssid=\"\(name)\"", "\tmode=2", "\tfrequency=2437"] + key + ["}"]
        return lines.joined(separator: "\n") + "\n"
    }

    /// Whether it is locked: until a station has an owner, it is open to who claims it.
    package static func isLocked(_ rule: AccessPointRule?, hasOwner: Bool) -> Bool {
        rule.map { $0 == .locked } ?? hasOwner
    }

    /// A password of 59 random bits, as `k7qf-m2px-9abc`.
    package static func makePassword(
        using random: inout some RandomNumberGenerator
    ) -> String {
        let groups = (0..<groupCount).map { _ in
            String((0..<groupLength).map { _ in letters.randomElement(using: &random) ?? "x" })
        }
        return groups.joined(separator: "-")
    }
}
