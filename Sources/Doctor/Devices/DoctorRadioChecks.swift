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
