import ControlProtocol
import Core
import HardwareIO
import Profiles

/// What the service of root said of one part, and what that means for a person.
struct BusAnswered: Sendable {
    let line: BusResult.Line?
    /// Whether it said anything.
    let isDone: Bool
    /// Why it was not woken; nil where it was.
    var trouble: StorageError?

    /// Why nothing happened, as the end of a sentence.
    private var silence: String {
        trouble.map { "roost-bus.service cannot be woken: \($0)" }
            ?? "nothing on this computer has carried the list out"
    }

    /// Whether the kernel has the part under its name, from elsewhere, and no driver took it.
    private var isUndrivenElsewhere: Bool { line?.outcome == .elsewhere && line?.other == nil }

    /// Whether a driver has the part, the list's or one from elsewhere.
    var isBound: Bool {
        line?.outcome == .bound || (line?.outcome == .elsewhere && !isUndrivenElsewhere)
    }

    // MARK: Outcomes

    /// What came of a part that was to have its driver.
    func used(_ part: BusPart, _ profile: Profile) -> BusReport.Outcome {
        let address = BusPart.text(part.address)
        func outcome(
            _ state: BusReport.Outcome.State,
            _ sentence: String,
            _ next: String? = nil
        ) -> BusReport.Outcome {
            Self.outcome(state, part, "\(part.name) at \(address) " + sentence, next)
        }
        guard isDone, let line else {
            let next =
                "\(BusText.units); without these units: echo \(part.name) \(address) | sudo tee "
                + "/sys/bus/i2c/devices/i2c-\(part.bus)/new_device"
            return outcome(.waiting, "is on the list, and \(silence)", next)
        }
        switch isUndrivenElsewhere ? .undriven : line.outcome {
        case .bound: return outcome(.bound, "has the kernel's driver \(line.other ?? "")")
        case .undriven:
            let direct = profile.i2c?.direct
            var undriven = outcome(
                .undriven,
                "has no driver: this kernel has none, or it refused the part",
                direct.map { "`roost bus use \(address) --as \($0)` reads it without one" }
                    ?? "`sudo dmesg | tail` may say why"
            )
            undriven.direct = direct
            return undriven
        case .taken: return outcome(.taken, "finds its address taken by \(line.other ?? "a part")")
        case .noBus: return outcome(.noBus, "has no bus i2c-\(part.bus)")
        case .unknown: return outcome(.unknown, "is no name that a shipped profile has")
        case .elsewhere:
            return outcome(.bound, "was in use already: " + BusText.elsewhere, BusText.overlay)
        case .failed, .kept:
            return outcome(.failed, "was refused by the kernel", "`sudo dmesg | tail`")
        }
    }

    /// What came of a part that was to be forgotten.
    ///
    /// - Parameter isForeign: Whether the kernel has it still, although the service answered, and
    ///   said nothing about it: no run made it.
    func forgotten(_ part: BusPart, isForeign: Bool = false) -> BusReport.Outcome {
        let place = "\(part.name) at \(BusPart.text(part.address))"
        if isForeign || line?.outcome == .elsewhere {
            let sentence = place + " is off the list and stays in use: " + BusText.elsewhere
            return Self.outcome(.elsewhere, part, sentence, BusText.overlay)
        }
        return unfinished(part, name: part.name, place + " is off the list")
            ?? Self.outcome(
                .forgotten,
                part,
                place + " is not used any more; what it measured stays"
            )
    }

    /// What came of a part that the station reads itself from now on, and that was on the list.
    func handedOver(_ part: BusPart, to profile: Profile) -> BusReport.Outcome {
        unfinished(part, name: profile.id, "\(profile.name) is to be read without a driver")
            ?? Self.direct(part.address, profile)
    }

    static func direct(_ address: UInt8, _ profile: Profile) -> BusReport.Outcome {
        BusReport.Outcome(
            .direct,
            address: BusPart.text(address),
            name: profile.id,
            sentence: "\(profile.name) is read without a driver from now on"
        )
    }

    /// What came of a part that is off the list, while the kernel may still have it; nil where it
    /// has not.
    private func unfinished(
        _ part: BusPart,
        name: String,
        _ sentence: String
    ) -> BusReport.Outcome? {
        let address = BusPart.text(part.address)
        let byHand =
            "echo \(address) | sudo tee /sys/bus/i2c/devices/i2c-\(part.bus)/delete_device"
        func outcome(
            _ state: BusReport.Outcome.State,
            _ end: String,
            _ next: String
        ) -> BusReport.Outcome {
            BusReport.Outcome(
                state,
                address: address,
                name: name,
                sentence: "\(sentence), and \(end)",
                nextStep: next
            )
        }
        guard isDone else {
            return outcome(.waiting, silence, "\(BusText.units); without these units: \(byHand)")
        }
        guard line?.outcome == .kept else { return nil }
        return outcome(.failed, "the kernel did not let go of \(part.name)", "`\(byHand)`")
    }

    private static func outcome(
        _ state: BusReport.Outcome.State,
        _ part: BusPart,
        _ sentence: String,
        _ next: String? = nil
    ) -> BusReport.Outcome {
        BusReport.Outcome(
            state,
            address: BusPart.text(part.address),
            name: part.name,
            sentence: sentence,
            nextStep: next
        )
    }

    // MARK: The event

    /// Details of the event about a part that was to have its driver.
    var detail: Event.Detail {
        if isBound { return Event.Detail("driver", line?.other ?? "") }
        let silence = trouble.map { "roost-bus.service cannot be woken: \($0)" }
        let none = silence ?? "roost-bus.service did not answer"
        let outcome = isUndrivenElsewhere ? .undriven : line?.outcome
        return Event.Detail("cause", outcome.map { BusText.reason($0) } ?? none)
    }
}
