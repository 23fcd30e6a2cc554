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
