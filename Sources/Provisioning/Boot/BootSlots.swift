/// The good root and the root on trial, by `slot.txt` and `tried.txt` of the boot partition.
///
/// Linux alone writes the first, the boot loader alone the second, each within one sector. The
/// texts are read as the boot loader reads them, so that both decide alike.
///
/// - Source: packaging/image/boot/boot.txt.
package struct BootSlots: Hashable, Sendable {
    /// Bytes of `slot.txt`: one sector, so that a write replaces it whole or not at all.
    static let sectorByteCount = 512
    /// Bytes that are read of a file at most.
    static let textByteCountMax = 4_096
    /// Largest number of a trial; the next one is 1 again.
    private static let numberMax = 999_999_999

    package var good: RootSlot
    package var trial: RootSlot?
    /// Different for each trial; text, as the boot loader compares it.
    package var number: String
    /// The trial that the boot loader started last.
    package let tried: String

    package init(good: RootSlot, trial: RootSlot? = nil, number: String = "", tried: String = "") {
        self.good = good
        self.trial = trial
        self.number = number
        self.tried = tried
    }

    /// - Parameters:
    ///   - slotText: What `slot.txt` holds; nil without one.
    ///   - triedText: What `tried.txt` holds; nil without one.
    package init(slotText: String?, triedText: String?) {
        let slots = Self.variables(slotText ?? "")
        good = slots["slot"] == "3" ? .second : .first
        trial = slots["trial"].flatMap { $0 == "2" ? .first : $0 == "3" ? .second : nil }
        number = slots["number"] ?? ""
        tried = Self.variables(triedText ?? "")["tried"] ?? ""
    }

    /// Lines `name=value` up to a zero byte; the last of a name counts, `#` begins a comment.
    package static func variables(_ text: String) -> [String: String] {
        var variables: [String: String] = [:]
        let read = text.utf8.prefix(textByteCountMax).prefix { $0 != 0 }
        for line in read.split(separator: UInt8(ascii: "\n")) {
            let trimmed = line.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            guard trimmed.first != UInt8(ascii: "#"),
                let equals = trimmed.firstIndex(of: UInt8(ascii: "="))
            else { continue }
            let name = String(decoding: trimmed[..<equals], as: UTF8.self)
            let value = String(decoding: trimmed[equals...].dropFirst(), as: UTF8.self)
            variables[name] = value.isEmpty ? nil : value
        }
        return variables
    }

    /// Whether the boot loader has yet to start the root that is on trial.
    package var isTrialWaiting: Bool { trial != nil && tried != number }

    /// The content of `slot.txt`.
    package var sector: [UInt8] {
        var text = "slot=\(good.rawValue)\n"
        if let trial { text += "trial=\(trial.rawValue)\nnumber=\(number)\n" }
        let bytes = Array(text.utf8)
        let fill = [UInt8](
            repeating: UInt8(ascii: "\n"),
            count: Self.sectorByteCount - bytes.count
        )
        return bytes + fill
    }

    /// The same with another root to be tried at the next start.
    package func trying(_ slot: RootSlot) -> BootSlots {
        let newest = max(Int(number) ?? 0, Int(tried) ?? 0)
        let next = (0..<Self.numberMax).contains(newest) ? newest + 1 : 1
        return BootSlots(good: good, trial: slot, number: "\(next)", tried: tried)
    }

    /// The same without a trial, and with this root as the good one.
    package func settled(on slot: RootSlot) -> BootSlots { BootSlots(good: slot, tried: tried) }
}
