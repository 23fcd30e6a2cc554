import HardwareIO
import Profiles

enum DoctorPinChecks {
    /// GPIO chips and the lines that the station wants.
    static let pins = [
        DoctorCheck(
            name: "pin-access",
            question: "May the GPIO chips be opened?",
            decide: pinAccess
        ),
        DoctorCheck(
            name: "pin-chip",
            question: "Is the board's GPIO chip there, by its label?",
            decide: pinChip
        ),
        DoctorCheck(
            name: "pin-names",
            question: "Do the header's lines have their names?",
            decide: pinNames
        ),
        DoctorCheck(
            name: "pin-holders",
            question: "Are the configured lines there and free?",
            decide: pinHolders
        ),
        DoctorCheck(
            name: "spi",
            question: "Is SPI on while lights or sensors use its pins?",
            decide: spi
        ),
        DoctorCheck(
            name: "gpio-kernel",
            question: "Do libgpiod and the kernel fit?",
            decide: gpioKernel
        ),
    ]

    /// Why there is nothing to say of pins; nil when there is.
    private static func reasonWithoutPins(_ facts: DoctorFacts) -> DoctorFinding? {
        guard let chips = facts.pins.chips else { return .ofImage }
        guard chips.isEmpty else { return nil }
        if facts.board?.board?.gpioChip != nil {
            return .failure(
                "there is no /dev/gpiochip at all, though the board has pins",
                next: "boot the kernel of the distribution, with CONFIG_GPIO_CDEV"
            )
        }
        let wanted = facts.configuration?.wantedLines ?? []
        guard let first = wanted.first else { return .skipped("this machine has no pins") }
        return .failure(
            "\(first.user) wants \(first.line), and this machine has no pins",
            next: "remove \(first.user) from \(facts.station.path)"
        )
    }

    @Sendable private static func pinAccess(_ facts: DoctorFacts) -> DoctorFinding {
        if let reason = reasonWithoutPins(facts) { return reason }
        guard let user = facts.user else { return .ofImage }
        let nodes = (facts.pins.chips ?? []).map(\.node)
        guard let node = nodes.first(where: { $0.mayUse == false }) else {
            let all = nodes.map(\.path).inWords
            return .ok("\(user.name) may use \(all)\(user.isRoot ? ", as root may all" : "")")
        }
        let isGroup = !["root", "0"].contains(node.group)
        let text =
            "\(user.name) may not open \(node.path) "
            + "(group \(node.group), mode \(node.mode))"
        let rule = #"SUBSYSTEM=="gpio", KERNEL=="gpiochip*", GROUP="gpio", MODE="0660""#
        let next =
            isGroup
            ? "sudo usermod -aG \(node.group) \(user.name), then log in again"
            : "sudo groupadd -f -r gpio && echo '\(rule)' | sudo tee "
                + "/etc/udev/rules.d/60-gpio.rules && sudo usermod -aG gpio \(user.name), "
                + "then reboot"
        let isWanted = !(facts.configuration?.wantedLines ?? []).isEmpty
        return isWanted ? .failure(text, next: next) : .warning(text, next: next)
    }

    @Sendable private static func pinChip(_ facts: DoctorFacts) -> DoctorFinding {
        if let reason = reasonWithoutPins(facts) { return reason }
        let chips = facts.pins.chips ?? []
        let labels = chips.compactMap(\.label)
        guard labels.count == chips.count else {
            return .skipped("a chip could not be opened: see pin-access")
        }
        let wanted = (facts.configuration?.wantedLines ?? []).first { line in
            line.chip.map { !labels.contains($0) } ?? false
        }
        if let wanted, let chip = wanted.chip {
            let label = facts.board?.board?.gpioChip ?? labels.first ?? ""
            return .failure(
                "\(wanted.user) wants the chip \(chip), and there is \(labels.inWords); labels "
                    + "stay, numbers such as gpiochip4 change with the kernel",
                next: "set `chip` of \(wanted.user) to \"\(label)\" in \(facts.station.path)"
            )
        }
        guard let board = facts.board, let label = board.board?.gpioChip else {
            return .skipped("nothing is known of this machine's header")
        }
        guard let chip = chips.first(where: { $0.label == label }) else {
            return .failure(
                "a \(board.name) has its header on \(label), and there is \(labels.inWords)",
                next: "sudo apt-get full-upgrade && sudo reboot, for a kernel with that driver"
            )
        }
        return .ok("the header is on \(label), \(chip.node.path) at this boot")
    }

    @Sendable private static func pinNames(_ facts: DoctorFacts) -> DoctorFinding {
        if let reason = reasonWithoutPins(facts) { return reason }
        guard let board = facts.board?.board, let label = board.gpioChip else {
            return .skipped("nothing is known of this machine's header")
        }
        guard let chip = facts.pins.chips?.first(where: { $0.label == label }) else {
            return .skipped("the header's chip is not to be seen: see pin-chip")
        }
        let names = Set(chip.lines.compactMap(\.name))
        let missing = board.header.sorted { $0.key < $1.key }.map(\.value)
            .filter { !names.contains($0) && !$0.hasPrefix("ID_") }
        guard !missing.isEmpty else {
            return .ok("all \(board.header.count) lines of the header have their names")
        }
        return .warning(
            "\(missing.count) of the header's lines have no name on \(label): "
                + missing.prefix(4).joined(separator: ", ") + (missing.count > 4 ? ", …" : ""),
            next: "name such a line in \(facts.station.path) by its offset, as 17 for GPIO17"
        )
    }

    @Sendable private static func pinHolders(_ facts: DoctorFacts) -> DoctorFinding {
        guard let chips = facts.pins.chips else { return .ofImage }
        let wanted = facts.configuration?.wantedLines ?? []
        guard !wanted.isEmpty else { return .skipped("no line is configured") }
        for use in wanted {
            let fitting = chips.filter { use.chip == nil || $0.label == use.chip }
            let found = fitting.lazy.compactMap { chip in
                chip.lines.first { line in
                    switch use.line {
                    case .name(let name): line.name == name
                    case .offset(let offset): line.offset == offset
                    }
                }
            }.first
            guard let line = found else {
                guard chips.allSatisfy({ $0.label != nil }) else {
                    return .skipped("a chip could not be opened: see pin-access")
                }
                return .failure(
                    "\(use.user) wants \(use.line), and no chip has it",
                    next: "gpioinfo, and name one of those lines in \(facts.station.path)"
                )
            }
            guard let holder = line.holder, !holder.hasPrefix("roost") else { continue }
            let who = holder.isEmpty ? "another program or driver" : holder
            return .failure(
                "\(use.user) wants \(use.line), and \(who) holds it",
                next: holder.hasPrefix("spi")
                    ? turnSPIOff(facts)
                    : "stop \(who), or name another line in \(facts.station.path)"
            )
        }
        return .ok("\(wanted.map(\.line.description).inWords): there and free")
    }

    private static func turnSPIOff(_ facts: DoctorFacts) -> String {
        let file = facts.pins.firmwareFile ?? "/boot/firmware/config.txt"
        return facts.pins.spiIsAskedFor == true
            ? "sudo sed -i 's/^dtparam=spi=on/dtparam=spi=off/' \(file) && sudo reboot"
            : "echo dtparam=spi=off | sudo tee -a \(file) && sudo reboot"
    }

    @Sendable private static func spi(_ facts: DoctorFacts) -> DoctorFinding {
        guard facts.isPi else { return .noPi }
        let pins = facts.pins
        let isOn = !pins.spiNodes.isEmpty || pins.spiIsAskedFor == true
        let names = (facts.configuration?.wantedLines ?? []).map { use in
            switch use.line {
            case .name(let name): name
            case .offset(let offset): "GPIO\(offset)"
            }
        }
        let hint = PinHint.spi(lineNames: names)
        guard isOn else {
            return .ok(
                pins.spiIsAskedFor == nil && pins.firmwareFile == nil
                    ? "there is no sign of SPI" : "SPI is off, GPIO7–11 are free"
            )
        }
        let proof =
            pins.spiNodes.isEmpty
            ? "\(pins.firmwareFile ?? "config.txt") turns SPI on"
            : "SPI is on (\(pins.spiNodes.inWords))"
        guard hint != nil else {
            return .hint("\(proof): GPIO7–11 are in use; no configured line needs them")
        }
        return .failure(
            "\(proof), and the configuration uses its pins, GPIO7–11: lamps stay dark",
            next: turnSPIOff(facts)
        )
    }

    @Sendable private static func gpioKernel(_ facts: DoctorFacts) -> DoctorFinding {
        guard let chips = facts.pins.chips else { return .ofImage }
        guard !chips.isEmpty, let kernel = facts.kernel else {
            return .skipped("this machine has no pins")
        }
        let library = facts.pins.library
        let text = "kernel \(kernel), libgpiod \(library)"
        // The second version of the character device's calls.
        if library.hasPrefix("2."), kernel < KernelVersion(5, 10) {
            return .failure(
                "\(text): libgpiod 2 wants a kernel of 5.10 or newer",
                next: "sudo apt-get full-upgrade && sudo reboot"
            )
        }
        // raspberrypi/linux issue 6144.
        if facts.board?.board?.gpioChip == "pinctrl-rp1", kernel < KernelVersion(6, 6, 45) {
            return .hint(
                "\(text): the header is gpiochip4 and becomes gpiochip0 with 6.6.45; Roost goes "
                    + "by label, other programs of yours may go by number"
            )
        }
        return .ok(text)
    }
}
