/// The radio switches of Wi-Fi, and whether the network comes by cable.
///
/// - Source: Linux, `Documentation/ABI/stable/sysfs-class-rfkill`.
struct DoctorRadio: Hashable {
    struct Switch: Hashable {
        /// Name such as `phy0`.
        let name: String
        /// Whether a program has it off, such as `rfkill block`.
        let isSoft: Bool
        /// Whether a switch or key of the machine has it off.
        let isHard: Bool
    }

    /// Switches of the Wi-Fi; empty without one.
    var switches: [Switch] = []
    var hasCable = false
}

extension DoctorRadio {
    init(_ tree: DoctorTree) {
        switches = tree.names("/sys/class/rfkill").sorted().compactMap { entry in
            let folder = "/sys/class/rfkill/\(entry)"
            guard tree.line("\(folder)/type") == "wlan" else { return nil }
            return Switch(
                name: tree.line("\(folder)/name") ?? entry,
                isSoft: tree.number("\(folder)/soft") == 1,
                isHard: tree.number("\(folder)/hard") == 1
            )
        }
        hasCable = tree.names("/sys/class/net").contains { name in
            let folder = "/sys/class/net/\(name)"
            // Only hardware counts, and no Wi-Fi.
            return tree.exists("\(folder)/device") && !tree.exists("\(folder)/phy80211")
                && tree.number("\(folder)/carrier") == 1
        }
    }
}

/// Whether the network can be reached at all.
enum DoctorRadioChecks {
    static let radio = [
        DoctorCheck(
            name: "wifi-radio",
            question: "Is the radio of Wi-Fi switched on?",
            decide: radio
        )
    ]

    @Sendable private static func radio(_ facts: DoctorFacts) -> DoctorFinding {
        guard !facts.isImage else { return .ofImage }
        let switches = facts.radio.switches
        guard let first = switches.first else { return .skipped("this machine has no Wi-Fi") }
        guard switches.allSatisfy({ $0.isSoft || $0.isHard }) else {
            return .ok("the radio of Wi-Fi is on")
        }
        let next =
            first.isHard
            ? "switch it on at the machine; rfkill list shows it"
            : "sudo rfkill unblock wifi; Raspberry Pi OS keeps it off until it knows the country: "
                + "sudo raspi-config nonint do_wifi_country IT, with yours in place of IT"
        let by = first.isHard ? "a switch of the machine" : "a program (rfkill)"
        let words = "the radio of Wi-Fi (\(first.name)) is switched off by \(by)"
        return facts.radio.hasCable
            ? .hint("\(words); the network comes by cable", next: next)
            : .warning("\(words), and no cable is plugged in: there is no network", next: next)
    }
}
