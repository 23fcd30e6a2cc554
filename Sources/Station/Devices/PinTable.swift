import Configuration
import ControlProtocol
import HardwareIO
import Profiles

/// What uses each pin of the header: decided from the kernel's list and the configuration.
struct PinTable {
    let chips: [GPIOChipReport]
    let board: Profile?
    let used: [UsedLine]
    /// Names of the buttons that give the station away.
    var resetting: Set<String> = []
    /// Whether a button can do that on this machine.
    var canReset = false

    /// Lines that show a chip to be that of a header when the computer is not known.
    private static let telling = ["GPIO4", "GPIO17", "GPIO27"]

    /// The chip with the header's lines, by the label that the board's profile names, else by the
    /// names of its lines.
    var header: GPIOChipReport? {
        if let label = board?.board?.gpioChip,
            let chip = chips.first(where: { $0.label == label })
        {
            return chip
        }
        return chips.first { chip in
            let names = Set(chip.lines.compactMap(\.name))
            return Self.telling.allSatisfy(names.contains)
        }
    }

    /// The kernel's state of a header's line; nil when the chip does not have it.
    ///
    /// Where lines have other names, as with older kernels, a Pi's own chip has them by number.
    func line(of pin: HeaderPin) -> GPIOLineReport? {
        guard let header, let number = pin.line else { return nil }
        let names = [board?.board?.header[pin.number], pin.name]
        if let line = header.lines.first(where: { $0.name != nil && names.contains($0.name) }) {
            return line
        }
        guard header.label?.hasPrefix("pinctrl-") == true else { return nil }
        return header.lines.first { $0.offset == number }
    }

    var report: PinsReport {
        guard let header, let label = header.label else { return absence }
        var all = PinsReport(chip: label, board: board?.id, items: HeaderPin.all.map(report))
        all.canReset = canReset
        return all
    }

    private func report(of pin: HeaderPin) -> PinReport {
        var report = PinReport(pin)
        guard pin.line != nil else { return report }
        let line = line(of: pin)
        report.device = used.first { $0.pin == pin }?.device
        report.resets = report.device.flatMap { resetting.contains($0) ? true : nil }
        report.isOutput = line.flatMap { $0.isUsed ? $0.isOutput : nil }
        if let line, line.isUsed, !isOurs(line, report.device) { report.holder = line.consumer }
        report.state =
            if report.device != nil {
                .device
            } else if let line {
                line.isUsed ? .program : .free
            } else {
                .absent
            }
        return report
    }

    /// The line that a text means: `GPIO17`, `17`, `ID_SDA`, or the name of a line of another chip.
    ///
    /// - Throws: `ControlFailure`, with `pointer`.
    func place(_ text: String, at pointer: String) throws(ControlFailure) -> PinPlace {
        if header == nil, chips.allSatisfy({ $0.label == nil }) {
            let why = absence
            throw ControlFailure(
                code: .conflict,
                message: "\(why.why ?? ""); \(why.nextStep ?? "")",
                pointer: pointer
            )
        }
        let named = Int(text).map(LineRequest.Line.offset) ?? .name(text)
        if let pin = HeaderPin.of(named, chip: nil), let label = header?.label,
            let line = line(of: pin)
        {
            return PinPlace(chip: label, line: line, pin: pin)
        }
        for chip in chips {
            guard let label = chip.label, let line = chip.lines.first(where: { $0.name == text })
            else { continue }
            return PinPlace(chip: label, line: line, pin: nil)
        }
        throw .badRequest(
            "this machine has no line \(PlainText.shown(text)); `roost devices pins` shows those "
                + "of the header",
            at: pointer
        )
    }

    /// The line that a text means, if no other program holds it.
    ///
    /// - Throws: `ControlFailure` that names the holder.
    func demandFree(_ text: String, at pointer: String) throws(ControlFailure) -> PinPlace {
        let place = try place(text, at: pointer)
        guard place.line.isUsed, place.line.consumer?.hasPrefix("roost") != true else {
            return place
        }
        let holder = place.line.consumer ?? "another program or the kernel"
        let hint = PinHint.text(lineNames: [place.name]).map { "; \($0)" } ?? ""
        throw ControlFailure(
            code: .conflict,
            message: "\(place.name) is in use by \(holder)\(hint)",
            pointer: pointer
        )
    }

    /// Whether the station itself holds a line for one of its devices.
    private func isOurs(_ line: GPIOLineReport, _ device: String?) -> Bool {
        device != nil && line.consumer?.hasPrefix("roost") == true
    }

    /// Why there is no header, with the next step.
    private var absence: PinsReport {
        func because(_ state: PinsReport.State, _ why: String, next: String) -> PinsReport {
            PinsReport(state, why: why, nextStep: next, board: board?.id)
        }
        if let problem = chips.lazy.compactMap(\.problem).first {
            return because(
                .noAccess,
                "\(problem)",
                next: "sudo usermod -aG gpio roost, then sudo systemctl restart roostd"
            )
        }
        guard chips.isEmpty else {
            let labels = chips.compactMap(\.label).joined(separator: ", ")
            return because(
                .noHeader,
                "no GPIO chip of this machine has the lines of a 40-pin header; there is \(labels)",
                next: "name the lines that `gpioinfo` lists in the configuration file"
            )
        }
        if let board, board.board?.gpioChip != nil {
            return because(
                .noChip,
                "there is no /dev/gpiochip, though a \(board.name) has pins",
                next: "boot the kernel of the distribution, with CONFIG_GPIO_CDEV"
            )
        }
        return because(
            .noChip,
            "this machine has no GPIO pins",
            next: "use a Raspberry Pi with a 40-pin header; parts on USB need no pins"
        )
    }
}
