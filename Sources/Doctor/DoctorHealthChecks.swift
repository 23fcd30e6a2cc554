import Configuration
import ControlProtocol
import Core
import Profiles
import Station
import StoreQueries

enum DoctorHealthChecks {
    /// The supply, heat, and the watchdog.
    static let power = [
        DoctorCheck(
            name: "under-voltage",
            question: "Is the supply strong enough?",
            decide: underVoltage
        ),
        DoctorCheck(
            name: "usb-power",
            question: "Does the kernel put adapters to sleep?",
            decide: usbPower
        ),
        DoctorCheck(
            name: "temperature",
            question: "Is the processor cool enough?",
            decide: temperature
        ),
        DoctorCheck(
            name: "watchdog",
            question: "Is the board's watchdog there, armed, and within its limit?",
            decide: watchdog
        ),
        DoctorCheck(
            name: "watchdog-settings",
            question: "Does one alone ask for the watchdog, for a time that it supports?",
            decide: watchdogSettings
        ),
    ]

    /// Whether the clock can be believed.
    static let clocks = [
        DoctorCheck(
            name: "clock",
            question: "Is the clock kept right?",
            decide: clock
        ),
        DoctorCheck(
            name: "clock-keeper",
            question: "Does the time outlive a power cut?",
            decide: timeService
        ),
    ]

    /// Temperature from which a Pi slows down.
    ///
    /// - Source: Raspberry Pi, *Frequency management and thermal control*: 80 °C.
    private static let hotMillidegrees = 80_000
    /// 2025-01-01T00:00:00Z: a clock before it has never been set.
    private static let oldestTime = 1_735_689_600

    /// - Source: Linux, `drivers/hwmon/raspberrypi-hwmon.c`: asks the firmware every 2 s;
    ///   Raspberry Pi, *Power supply warnings*: below 4.63 V.
    @Sendable private static func underVoltage(_ facts: DoctorFacts) -> DoctorFinding {
        guard !facts.isImage else { return .ofImage }
        guard let isLow = facts.health.isUnderVoltage else {
            return facts.isPi ? .skipped("this kernel has no rpi_volt sensor") : .noPi
        }
        guard isLow else { return .ok("no under-voltage") }
        return .failure(
            "the supply fell below 4.63 V: the card and USB devices fail at random",
            next:
                "use the supply made for this board, 5.1 V, with a short cable, and a powered hub "
                + "for many sensors"
        )
    }

    /// - Source: Linux, `Documentation/driver-api/usb/power-management.rst`: `on` and `auto`.
    @Sendable private static func usbPower(_ facts: DoctorFacts) -> DoctorFinding {
        let adapters = facts.ports.adapters.filter { $0.powerControl != nil }
        guard !adapters.isEmpty else { return .skipped("there is no USB adapter") }
        let sleepy = adapters.filter { $0.powerControl == "auto" }
        guard let first = sleepy.first else {
            return .ok("\(adapters.map(\.node.path).inWords) stay powered")
        }
        let ids = (first.id ?? "").split(separator: ":")
        let rule =
            #"ACTION=="add", SUBSYSTEM=="usb", ATTR{idVendor}=="\#(ids.first ?? "")", "#
            + #"ATTR{idProduct}=="\#(ids.last ?? "")", ATTR{power/control}="on""#
        return .warning(
            "the kernel may suspend \(sleepy.map(\.node.path).inWords) when nothing is sent",
            next: "echo '\(rule)' | sudo tee /etc/udev/rules.d/71-usb-power.rules "
                + "&& sudo udevadm control --reload, and plug it in again"
        )
    }

    @Sendable private static func temperature(_ facts: DoctorFacts) -> DoctorFinding {
        guard !facts.isImage else { return .ofImage }
        guard let hottest = facts.health.hottestMillidegrees else {
            return .skipped("this machine reports no temperature")
        }
        let message = "\(FigureText.rounded(Double(hottest) / 1_000)) °C"
        guard hottest >= hotMillidegrees else { return .ok(message) }
        return .warning(
            "\(message): from 80 °C on a Pi slows itself down, and cards age fast",
            next: "give it air, shade or a heat sink"
        )
    }

    @Sendable private static func watchdog(_ facts: DoctorFacts) -> DoctorFinding {
        let limit = facts.board?.board?.watchdogLimit
        guard !facts.isImage else { return .ofImage }
        guard let watchdog = facts.health.watchdogs.first else {
            guard limit != nil || facts.configuration?.watchdog != nil else {
                return .skipped("this machine has no watchdog")
            }
            return .failure(
                "there is no watchdog device, so nothing resets a board that hangs",
                next: "echo dtparam=watchdog=on | sudo tee -a "
                    + "\(facts.pins.firmwareFile ?? "/boot/firmware/config.txt") && sudo reboot"
            )
        }
        let name = "\(watchdog.name) (\(watchdog.identity ?? "no name"))"
        guard let state = watchdog.state else {
            return .hint(
                "\(name) is there; this kernel does not report whether it is armed",
                next: "sudo wdctl"
            )
        }
        guard state == "active" else {
            return .warning(
                "\(name) is there and not armed: a board that hangs stays so",
                next: facts.configuration?.watchdog == nil
                    ? "add \"watchdog\": {} to \(facts.station.path) and restart roostd"
                    : facts.startStation
            )
        }
        guard let seconds = watchdog.timeoutSeconds else {
            return .hint("\(name) is armed; its time cannot be read", next: "sudo wdctl")
        }
        if let limit, .seconds(Int64(seconds)) > limit {
            // raspberrypi/linux pull request 7432.
            return .warning(
                "\(name) is armed with \(seconds) s, more than the hardware's "
                    + "\(limit.components.seconds) s: kernels before 2026-06 then reset after "
                    + "the remainder, such as 12 s in place of 60",
                next: systemdEdit
            )
        }
        return .ok("\(name) is armed with \(seconds) s")
    }

    private static let systemdEdit =
        "sudo mkdir -p /etc/systemd/system.conf.d && "
        + "printf '[Manager]\\nRuntimeWatchdogSec=14s\\nRebootWatchdogSec=14s\\n' | sudo tee "
        + "/etc/systemd/system.conf.d/watchdog.conf && sudo systemctl daemon-reexec"

    /// - Source: systemd issue 27427; raspberrypi/linux pull requests 5838 and 7432.
    @Sendable private static func watchdogSettings(_ facts: DoctorFacts) -> DoctorFinding {
        let limit = facts.board?.board?.watchdogLimit
        let settings = facts.health.managerSettings
        let isOurs = facts.configuration?.watchdog != nil
        guard let text = settings["RuntimeWatchdogSec"],
            let seconds = SystemdTime.seconds(text), seconds > 0
        else {
            guard limit != nil else { return .skipped("no watchdog is known of this machine") }
            return isOurs
                ? .ok("the station has the watchdog; systemd does not ask for it")
                : .hint(
                    "neither systemd nor the station asks for the watchdog",
                    next: "add \"watchdog\": {} to \(facts.station.path), or: "
                        + systemdEdit
                )
        }
        if isOurs {
            return .failure(
                "systemd (RuntimeWatchdogSec=\(text)) and the station both want the watchdog, and "
                    + "only one can have it",
                next: "remove \"watchdog\" from \(facts.station.path): systemd pets it, and "
                    + "watches roostd"
            )
        }
        guard let limit, seconds > Double(limit.components.seconds) else {
            return .ok("systemd asks for \(text)")
        }
        let isOld = facts.kernel.map { $0 < KernelVersion(6, 8) } ?? true
        let what =
            isOld
            ? "before 6.8 the kernel refuses that, and systemd runs without"
            : "until 2026-06 the kernel's arithmetic made less of that, such as 12 s of 60"
        let message =
            "RuntimeWatchdogSec=\(text) is more than the hardware's "
            + "\(limit.components.seconds) s: \(what)"
        return isOld ? .failure(message, next: systemdEdit) : .warning(message, next: systemdEdit)
    }

    @Sendable private static func clock(_ facts: DoctorFacts) -> DoctorFinding {
        guard let isSynchronised = facts.health.clockIsSynchronised else {
            return .ofImage
        }
        let services = facts.health.timeServices.inWords
        guard !isSynchronised else {
            let by = services.isEmpty ? "" : " (\(services))"
            return .ok("the kernel says that the clock is kept right\(by)")
        }
        if case .answers(_, _, let clock?) = facts.station.answer, clock.isSure,
            clock.trust != "time server"
        {
            let within = clock.uncertaintySeconds.map { ", to \($0) s" } ?? ""
            return .ok("the station has the time from another source (\(clock.trust)\(within))")
        }
        guard !services.isEmpty else {
            return .warning(
                "nothing keeps the clock right: readings are dated uncertainly",
                next: "sudo apt-get install systemd-timesyncd && sudo timedatectl set-ntp true, or "
                    + "without a network, once the clock is right: roost clock trust"
            )
        }
        guard facts.health.timeDaemons.contains(where: facts.runs) else {
            return .warning(
                "\(services) is installed and does not run: the clock is not kept right",
                next: "sudo timedatectl set-ntp true"
            )
        }
        let message =
            facts.health.hasTimesyncMark
            ? "the clock was right once after this boot, and the kernel does not trust it any more"
            : "the clock has not been set since this boot"
        return .warning(
            "\(message); until it is, readings are dated uncertainly",
            next: "timedatectl timesync-status, and see whether this machine reaches a time server"
        )
    }

    @Sendable private static func timeService(_ facts: DoctorFacts) -> DoctorFinding {
        let health = facts.health
        guard !facts.isImage else { return .ofImage }
        if let chip = health.clockChip {
            guard let seconds = health.clockChipSeconds, seconds < oldestTime else {
                return .ok("a real time clock keeps the time (\(chip))")
            }
            return .warning(
                "the real time clock (\(chip)) has never been set or has no battery: it says "
                    + WallTime(nanoseconds: Int64(seconds) * 1_000_000_000).iso8601,
                next: "give it its battery, then: sudo hwclock --systohc"
            )
        }
        if let keeper = health.timeService {
            return .hint(
                "there is no real time clock; \(keeper) lets the clock start where it was, late by "
                    + "the time without power; dates are uncertain until it is set"
            )
        }
        return facts.isPi
            ? .warning(
                "nothing keeps the time across a power cut: the clock starts years ago",
                next: "sudo apt-get install systemd-timesyncd, or fake-hwclock"
            )
            : .skipped("nothing is known of this machine's clock")
    }
}

/// Times as systemd's files have them.
enum SystemdTime {
    /// - Parameter text: `14`, `14s`, `1min 30s`, `off`, `default`.
    /// - Returns: Seconds; nil when the text is none of these.
    /// - Source: systemd.time(7), *Parsing time spans*.
    static func seconds(_ text: String) -> Double? {
        guard text != "off" else { return 0 }
        var (total, number, unit) = (0.0, "", "")
        func amount() -> Double? {
            guard let value = Double(number) else { return nil }
            let factors: [String: Double] = [
                "": 1, "s": 1, "sec": 1, "second": 1, "seconds": 1, "ms": 0.001, "m": 60,
                "min": 60, "minute": 60, "minutes": 60, "h": 3_600, "hr": 3_600, "hour": 3_600,
                "hours": 3_600,
            ]
            return factors[unit].map { $0 * value }
        }
        for character in text where !character.isWhitespace {
            if character.isNumber || character == "." {
                if !unit.isEmpty {
                    guard let part = amount() else { return nil }
                    (total, number, unit) = (total + part, "", "")
                }
                number.append(character)
            } else {
                unit.append(character)
            }
        }
        return amount().map { total + $0 }
    }
}
