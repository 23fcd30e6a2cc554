import ControlProtocol
import Core
import Profiles
import Testing

@testable import Doctor

/// A fault of a machine, and the finding that has to name it.
struct Ailment: Sendable, CustomTestStringConvertible {
    let check: String
    let verdict: DoctorVerdict
    /// Both stand in the words and their next act.
    let words: String
    let next: String
    var model = Boards.four
    /// Checks that change as well, for the same reason.
    var others: Set<String> = []
    let spoil: @Sendable (inout MadeUpMachine) -> Void

    var testDescription: String { "\(check): \(words)" }
}

enum Boards {
    static let three = "Raspberry Pi 3 Model B Plus Rev 1.3"
    static let four = "Raspberry Pi 4 Model B Rev 1.4"
    static let five = "Raspberry Pi 5 Model B Rev 1.0"
    static let zero = "Raspberry Pi Zero 2 W Rev 1.0"
    static let module = "Raspberry Pi Compute Module 4 Rev 1.0"
    static let all = [three, four, five, zero, module]
}

@Suite struct DoctorChecksTests {
    private static func findings(_ machine: MadeUpMachine) throws -> [String: DoctorFinding] {
        let facts = try machine.facts(in: MadeUpTree())
        return Dictionary(DoctorChecks.all.map { ($0.name, $0.decide(facts)) }) { $1 }
    }

    /// Findings of each healthy board, made once.
    private static let healthy: [String: [String: DoctorFinding]] = {
        var all: [String: [String: DoctorFinding]] = [:]
        for model in Boards.all { all[model] = try? findings(MadeUpMachine(model: model)) }
        return all
    }()

    /// A receiver of positions gives the station its time where no time server can be reached.
    @Test(arguments: [("receiver of positions", true), ("real time clock", false)])
    func theStationsOwnSourceOfTimeIsEnough(row: (trust: String, isSure: Bool)) throws {
        var machine = try MadeUpMachine(model: Boards.four)
        machine.isSynchronised = false
        machine.files["/run/systemd/timesync/synchronized"] = nil
        let clock = ClockReport(
            time: "2026-11-28T10:00:00Z",
            trust: row.trust,
            isSure: row.isSure,
            uncertaintySeconds: 1
        )
        machine.answer = .answers(processID: 900, faults: [], clock: clock)
        let finding = try #require(try Self.findings(machine)["clock"])
        #expect(finding.verdict == (row.isSure ? .ok : .warning), "\(finding.sentence)")
        #expect(finding.sentence.contains("receiver of positions, to 1 s") == row.isSure)
    }

    /// What the kernel does not let this user see is not called absent.
    @Test(arguments: ["/sys/class/hwmon", "/sys/class/thermal", "/sys/block", "/sys/class/net"])
    func aFolderThatCannotBeReadIsSaid(folder: String) throws {
        var machine = try MadeUpMachine(model: Boards.four)
        #expect(try Self.findings(machine)["folders"]?.verdict == .ok)
        machine.lose(folder)
        let finding = try #require(try Self.findings(machine)["folders"])
        #expect(finding.verdict == .warning)
        #expect(finding.sentence.contains(folder), "\(finding.sentence)")
        #expect(finding.next == "sudo roost doctor")
    }

    @Test func secretsThatAreForTheCourierOnlyAreNotCalledNone() throws {
        var machine = try MadeUpMachine(model: Boards.four)
        machine.lose("/etc/roost/secrets")
        let finding = try #require(try Self.findings(machine)["courier-secrets"])
        #expect(finding.verdict == .ok)
        #expect(finding.sentence.contains("/etc/roost/secrets cannot be seen"))
        #expect(finding.sentence.contains("sudo roost doctor"))
    }

    @Test(arguments: Boards.all) func aHealthyBoardHasNothingToDo(model: String) throws {
        let facts = try MadeUpMachine(model: model).facts(in: MadeUpTree())
        let report = DoctorReport(facts)
        let bad = report.findings.filter { $0.verdict != .ok }.map { "\($0.name): \($0.sentence)" }
        let expected =
            [
                model == Boards.five
                    ? nil
                    : "clock-keeper: there is no real time clock; /var/lib/systemd/timesync/clock "
                        + "lets the clock start where it was, late by the time without power; "
                        + "dates are uncertain until it is set",
                "history: there is no history in /var/lib/roost yet",
            ].compactMap(\.self)
        #expect(bad == expected)
        #expect(report.exitCode == 0)
    }

    @Test(arguments: Ailments.all)
    func whatIsWrongIsSaidByItsCheckAloneWithTheNextAct(ailment: Ailment) throws {
        var ill = try MadeUpMachine(model: ailment.model)
        ailment.spoil(&ill)
        let (before, after) = (try #require(Self.healthy[ailment.model]), try Self.findings(ill))
        let found = try #require(after[ailment.check])
        #expect(found.verdict == ailment.verdict, "\(found)")
        #expect(found.sentence.contains(ailment.words), "\(found)")
        #expect((found.next ?? "").contains(ailment.next), "\(found)")
        for (name, finding) in after {
            let isBad = finding.verdict == .warning || finding.verdict == .failure
            #expect(!isBad || finding.next != nil, "\(name)")
        }
        let changed = before.keys.filter { before[$0]?.verdict != after[$0]?.verdict }
        #expect(Set(changed) == ailment.others.union([ailment.check]))
    }

    @Test func everyCheckHasATreeWhereItIsContentAndOneWhereItIsNot() throws {
        let names = Set(DoctorChecks.all.map(\.name))
        #expect(names.count == DoctorChecks.all.count)
        #expect(Set(Ailments.all.map(\.check)).union(["history"]) == names)
        let five = try Self.findings(MadeUpMachine(model: Boards.five))
        let content = five.filter { $0.value.verdict == .ok }.map(\.key)
        #expect(Set(content).union(["history"]) == names)
    }

    @Test func aComputerThatIsNoPiIsAskedOnlyWhatItCanAnswer() throws {
        let findings = try Self.findings(MadeUpMachine.personalComputer())
        let skipped = findings.filter { $0.value.verdict == .skipped }.keys.sorted()
        #expect(
            skipped == [
                "camera", "card-erase", "card-journal", "card-mount", "card-wear", "clock-keeper",
                "courier", "courier-network", "courier-secrets", "gpio-kernel",
                "history", "http-devices", "pin-access", "pin-chip",
                "pin-holders", "pin-names", "serial-access",
                "serial-console", "serial-holders", "serial-present", "serial-twins", "spi",
                "station", "store", "temperature", "under-voltage", "usb-power", "watchdog",
                "watchdog-settings", "wifi-radio",
            ]
        )
        #expect(findings.values.allSatisfy { $0.verdict != .failure })
        #expect(findings.values.allSatisfy { !$0.sentence.isEmpty })
    }

    @Test func anImageIsNotAskedWhatOnlyAMachineKnows() throws {
        var machine = try MadeUpMachine(model: Boards.four)
        (machine.user, machine.chips, machine.answer) = (nil, nil, nil)
        machine.isSynchronised = nil
        let empty = ["/proc/", "/sys/", "/dev/", "/run/"]
        for path in machine.files.keys where empty.contains(where: path.hasPrefix) {
            machine.files[path] = nil
        }
        machine.links = [:]
        machine.files["/boot/firmware/config.txt"] = "dtparam=spi=on\n"
        machine.files["/boot/firmware/cmdline.txt"] = "console=serial0,115200 console=tty1\n"
        machine.files["/etc/fstab"] =
            "proc /proc proc defaults 0 0\nPARTUUID=1-02 / ext4 defaults\t0 1\n"
        machine.files["/etc/systemd/journald.conf.d/volatile.conf"] = "Storage=persistent\n"
        let findings = try Self.findings(machine)
        let others = findings.filter {
            $0.value.sentence != "asks the running machine; this is an image"
        }
        let verdicts = others.mapValues(\.verdict)
        #expect(
            verdicts == [
                "brltty": .ok, "card-mount": .note, "card-space": .ok, "card-writable": .ok,
                "configuration": .ok, "courier-secrets": .ok, "folders": .ok,
                "history": .note, "log-writes": .warning, "profiles": .ok,
                "serial-console": .note, "serial-twins": .skipped, "spi": .failure, "store": .ok,
                "card-journal": .ok,
                "udev-rules": .ok, "usb-power": .skipped, "watchdog-settings": .skipped,
            ]
        )
    }

    @Test func theExitCodeGoesByTheWorst() throws {
        let check = { (verdict: DoctorVerdict) in
            DoctorCheck(name: verdict.rawValue, question: "") { _ in
                DoctorFinding(verdict: verdict, sentence: "")
            }
        }
        func code(_ verdicts: DoctorVerdict...) -> Int32 {
            DoctorReport(DoctorFacts(), verdicts.map(check)).exitCode
        }
        #expect(code() == 0)
        #expect(code(.skipped, .ok, .note) == 0)
        #expect(code(.note, .warning, .ok) == 1)
        #expect(code(.warning, .failure, .skipped) == 2)
    }

    @Test func aReportHasTheNextActBesideEachFinding() throws {
        var machine = try MadeUpMachine(model: Boards.zero)
        machine.files["/dev/spidev0.0"] = ""
        let facts = try machine.facts(in: MadeUpTree())
        let checks = DoctorChecks.all.filter { ["spi", "swap"].contains($0.name) }
        let report = DoctorReport(facts, checks)
        #expect(report.findings.map(\.verdict) == [.failure, .ok])
        #expect(report.findings[0].nextStep?.hasPrefix("echo dtparam=spi=off") == true)
    }

    /// Inside a sandbox some checks are named and not guessed.
    @Test(arguments: [true, false])
    func whatIsHiddenIsNamedAndNotAsked(isSandboxed: Bool) throws {
        let machine = try MadeUpMachine(model: Boards.zero)
        let report = DoctorInside.report(
            try machine.facts(in: MadeUpTree()),
            isSandboxed: isSandboxed
        )
        let names = report.findings.map(\.name)
        let wanted = Set(DoctorInside.left + (isSandboxed ? DoctorInside.outside : []))
        #expect(Set(report.hidden) == wanted)
        #expect(wanted.isDisjoint(with: names))
        #expect(names.count + report.hidden.count == DoctorChecks.all.count)
    }

    @Test(arguments: [
        ("14", 14.0), ("14s", 14), ("1min 30s", 90), ("2min", 120), ("off", 0), ("500ms", 0.5),
        ("1h", 3_600), ("default", nil), ("", nil), ("14x", nil),
    ])
    func timesAreReadAsSystemdReadsThem(text: String, seconds: Double?) {
        #expect(SystemdTime.seconds(text) == seconds)
    }

    @Test(arguments: [
        ("dtparam=spi=on", true), ("#dtparam=spi=on", nil), ("dtparam=i2c=on,spi", true),
        ("dtparam=spi=on\n dtparam=spi=off", false), ("dtoverlay=spi1-1cs", nil),
    ])
    func theFirmwaresFileSaysWhetherSPIIsOn(text: String, isOn: Bool?) {
        #expect(DoctorPins.spi(text) == isOn)
    }
}
