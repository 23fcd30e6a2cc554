import ControlProtocol
import Devices
import HardwareIO
import Profiles

/// What a look saw, as sentences with their next step.
struct BusText {
    /// The last of a list of names that is shown.
    private static let nameLimit = 8

    static let noBus = (
        "this computer shows no I²C bus",
        "on a Raspberry Pi write the line dtparam=i2c_arm=on at the end of "
            + "/boot/firmware/config.txt, then `sudo reboot`; a PC has no header"
    )

    /// What is wrong with a bus, and what to do.
    static func trouble(_ sight: BusSight) -> (why: String, nextStep: String?)? {
        let bus = "i2c-\(sight.bus.number)"
        switch sight.state {
        case .seen: return nil
        case .partly:
            return (
                "\(bus) cannot send an address alone, so parts that are silent, such as an SCD41 "
                    + "or an SHT31, are not seen there",
                "name such a part: `roost bus use 0x62 --as sensirion-scd4x-direct`"
            )
        case .left(.mainboard):
            return (
                "\(bus) is left alone: memory modules, clocks and fans of a PC are on a bus of "
                    + "this kind",
                nil
            )
        case .left(.screen):
            return ("\(bus) is left alone: it leads to a screen", nil)
        case .closed(.noDevice(let path)):
            return (
                "the kernel has \(bus), and \(path) is not there: the module i2c-dev is not loaded",
                "`sudo modprobe i2c-dev`; for each start write i2c-dev into a file of "
                    + "/etc/modules-load.d"
            )
        case .closed(.noPermission(let path, let owner, let group, let mode)):
            return (
                "\(path) may not be opened: it belongs to \(owner):\(group), mode \(mode)",
                group == "root"
                    ? "install the rule 71-roost-board.rules, which gives it to the group i2c, "
                        + "then `sudo udevadm trigger --subsystem-match=i2c-dev`"
                    : "`sudo usermod -aG \(group) roost`, then `sudo systemctl restart roostd`; "
                        + "for yourself the same with your name, then log in again"
            )
        case .closed(.failed(let path, let code)):
            return ("\(path) cannot be opened: errno \(code)", "`sudo dmesg | tail` may say why")
        case .hangs:
            return (
                "\(bus) hangs: no transfer ends in time",
                "a part may hold the clock: pull the parts off one by one, or switch the power off "
                    + "and on; a restart leaves the parts powered"
            )
        case .everywhere:
            return (
                "\(bus) answers at every address: its data line SDA is held low",
                "look for SDA and SCL exchanged, a short, or a part without power; pull the parts "
                    + "off one by one"
            )
        case .fails(let code):
            return (
                "transfers on \(bus) fail with errno \(code)",
                "`sudo dmesg | tail` may say why"
            )
        }
    }

    /// The sentence of a part, and its next step.
    ///
    /// - Parameters:
    ///   - isSeen: Whether the bus was looked at.
    ///   - isOnly: Whether no other bus is there.
    static func part(
        _ part: BusReport.Part,
        onBus number: Int,
        isSeen: Bool,
        isOnly: Bool
    ) -> BusReport.Part {
        var part = part
        let place = part.address + (isOnly ? "" : " --bus \(number)")
        let name = part.name ?? ""
        let use = "`roost bus use \(place)"
        switch part.state {
        case .bound:
            let driver = "\(name), which the kernel's driver \(part.driver ?? "") has"
            part.sentence = part.device.map { "\(driver); the station reads it as \($0)" } ?? driver
            if part.device == nil, part.looksLike.isEmpty {
                part.sentence += "; no profile knows it"
            }
        case .undriven:
            // A part that the kernel does not know has its sentence by the list.
            if part.sentence.isEmpty {
                part.sentence =
                    "\(name) for the kernel, and no driver took it: it has none, or that "
                    + "refused the part"
            }
            guard part.nextStep == nil else { break }
            let direct = part.looksLike.compactMap(\.direct).first
            let forget = "; `roost bus forget \(place)` takes it off the list"
            part.nextStep =
                direct.map { "\(use) --as \($0)` reads it without a driver" }
                ?? "`sudo dmesg | tail` may say why" + (part.isListed ? forget : "")
        case .direct:
            part.sentence = "read without a driver as \(part.device ?? "")"
        case .found:
            part.sentence = "this looks like \(names(part.looksLike))"
            part.nextStep =
                part.looksLike.count == 1
                ? "\(use)`" : "\(use) --as NAME`, \(choices(part.looksLike))"
        case .possible:
            // One that does not finish its answer has its sentence already.
            guard part.sentence.isEmpty else { break }
            part.sentence = "something answers; parts with this address: \(names(part.looksLike))"
            part.nextStep = "\(use) --as NAME`, \(choices(part.looksLike))"
        case .unknown:
            guard part.sentence.isEmpty else { break }
            part.sentence = "something answers, and it is no part that Roost knows"
        case .multiplexer:
            part.sentence = "a multiplexer such as TCA9548A; parts behind it are not looked at"
        case .missing:
            let off = "`roost bus forget \(place)` takes it off the list"
            part.nextStep = isSeen ? "look at its wires; " + off : off
        }
        return part
    }

    static let perhapsMultiplexer = "something answers; a multiplexer usually has this address"

    /// A part that begins an answer, and its next step.
    static func unfinished(_ candidates: [BusReport.Candidate]) -> (String, String?) {
        let sentence = "what is at this address does not finish its answer"
        let parts = candidates.isEmpty ? "" : "; parts with this address: \(names(candidates))"
        return (sentence + parts, "look at its wires, or pull it off; then look again")
    }

    /// Where the service of root says why it binds nothing.
    static let units = "`systemctl status roost-bus.path roost-bus.service`"

    /// Why a part has no driver, as a sentence without its end.
    static func reason(_ outcome: BusResult.Outcome) -> String {
        switch outcome {
        case .bound: ""
        case .undriven: "no driver took it"
        case .taken: "another part has its address"
        case .noBus: "there is no such bus"
        case .unknown: "no shipped profile has this name"
        case .failed: "the kernel refused it"
        case .kept: "the kernel did not let go of what was there"
        case .elsewhere: "it was in use before the list asked for it"
        }
    }

    /// Why a part is not taken back, as a sentence without its end.
    static let elsewhere =
        "a line of config.txt or another program bound it, and only what the list bound is taken "
        + "back"
    static let foreign = "a line of config.txt or another program bound it before the list did"
    static let overlay =
        "take its line dtoverlay= out of /boot/firmware/config.txt, then `sudo reboot`"

    /// A part of the list that has no driver.
    ///
    /// - Parameter outcome: What root did last with it; nil where it said nothing.
    static func unbound(_ entry: BusPart, _ outcome: BusResult.Outcome?) -> String {
        let why: String
        switch outcome {
        case nil: why = "roost-bus.service has not bound it"
        case .bound, .elsewhere: why = "it has no driver any more"
        case .some(let outcome): why = reason(outcome)
        }
        return "\(entry.name) is on the list, and " + why
    }

    /// A part of the list that is not seen on its bus.
    static func missing(
        _ entry: BusPart,
        on state: BusReport.Bus.State,
        _ outcome: BusResult.Outcome?
    ) -> String {
        let listed = "\(entry.name) is on the list"
        switch state {
        case .seen:
            let refused: [BusResult.Outcome] = [.taken, .unknown, .failed]
            let isRefused = outcome.map { refused.contains($0) } ?? false
            let why = isRefused ? outcome.map { "; " + reason($0) } : nil
            return listed + ", and nothing answers" + (why ?? "")
        case .partly: return listed + ", and nothing answers; this bus cannot find silent parts"
        case .absent: return listed + ", and there is no such bus"
        case .left, .noDevice, .noAccess, .hangs, .everywhere, .fails:
            return listed + "; this bus was not looked at"
        }
    }

    static func names(_ candidates: [BusReport.Candidate]) -> String {
        let names = candidates.prefix(nameLimit).map(\.name)
        guard names.count > 1, let last = names.last else { return names.first ?? "" }
        return names.dropLast().joined(separator: ", ") + " or " + last
    }

    /// What the NAME of `--as` can be.
    static func choices(_ candidates: [BusReport.Candidate]) -> String {
        let names = candidates.prefix(nameLimit).map { $0.kernelName ?? $0.profile }
        return "where NAME is " + names.joined(separator: " or ")
    }
}
