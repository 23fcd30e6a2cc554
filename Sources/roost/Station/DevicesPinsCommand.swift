import ArgumentParser
import ClientSupport
import ControlProtocol
import HardwareIO

struct DevicesPinsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pins",
        abstract: "The pins of the header, and what uses each of them now.",
        discussion: """
            Pins stand as on the board, seen from above with the header at the right edge. A pin \
            with ! has a risk, which is named below the table.

            Examples: roost devices pins
                      roost devices pins --json
            Exit codes: 0 done, 1 this machine has no header, 69 no station answers.
            """
    )

    @OptionGroup var client: ClientOptions

    func run() throws {
        let report = try client.withStation { try await $0.ask(GetPins()) }
        try client.show(report) { report, _ in Self.lines(report) }
        if report.state != .seen { throw ExitCode(1) }
    }

    static func lines(_ report: PinsReport) -> [String] {
        guard report.state == .seen else {
            return [report.why ?? "", "next: \(report.nextStep ?? "")"]
        }
        let rows = stride(from: 0, to: report.items.count - 1, by: 2).map { index in
            let (left, right) = (report.items[index], report.items[index + 1])
            return "\(text(left).column(34))\(number(left)) | \(number(right))  \(text(right))"
        }
        let risks = report.items.compactMap { pin in
            pin.sentence.map { "! pin \(pin.number): \($0)" }
        }
        let resets = report.items.filter { $0.resets == true }.map { pin in
            "\(pin.device ?? "") on pin \(pin.number): held for 15 s it "
                + (report.canReset == false
                    ? "would give a station of an image away; this is none"
                    : "gives this station away")
        }
        return rows + risks + resets
    }

    private static func number(_ pin: PinReport) -> String {
        pin.number < 10 ? " \(pin.number)" : "\(pin.number)"
    }

    private static func text(_ pin: PinReport) -> String {
        switch pin.kind {
        case .power3V3: return "3.3 V"
        case .power5V: return "5 V"
        case .ground: return "ground"
        case .line: break
        }
        let use =
            switch pin.state {
            case .device?:
                (pin.device ?? "") + (pin.holder.map { ", but \($0) holds it" } ?? "")
            case .program?: "held by \(pin.holder ?? "another program")"
            case .absent?: "not on this chip"
            case .free?, nil: "free"
            }
        return "\(pin.line ?? "")\(pin.risk == nil ? "" : "!") \(use)"
    }
}
