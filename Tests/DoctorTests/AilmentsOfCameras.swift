import ControlProtocol

@testable import Doctor

extension Ailments {
    static let camera = [
        Ailment(
            check: "camera",
            verdict: .failure,
            words: "no roost-eyes runs",
            next: "systemctl start roost-eyes"
        ) { $0.camera = .absent },
        Ailment(
            check: "camera",
            verdict: .skipped,
            words: "no picture is taken",
            next: ""
        ) { ($0.files["/etc/roost/eyes.json"], $0.camera) = (nil, .absent) },
        Ailment(
            check: "camera",
            verdict: .skipped,
            words: "no camera is chosen",
            next: ""
        ) {
            var report = MadeUpMachine.eyes
            report.isOff = true
            $0.camera = .report(report)
        },
        Ailment(
            check: "camera",
            verdict: .failure,
            words: "settings cannot be used",
            next: "roost camera undo"
        ) {
            var report = MadeUpMachine.eyes
            let trouble = "the camera is off, as its settings cannot be used: not JSON"
            (report.isOff, report.settingsTrouble) = (true, trouble)
            $0.camera = .report(report)
        },
        Ailment(
            check: "camera",
            verdict: .warning,
            words: "does not answer",
            next: "journalctl -u roost-eyes"
        ) { $0.camera = .refuses(words: "roost-eyes does not answer") },
        Ailment(
            check: "camera",
            verdict: .warning,
            words: "no picture: the command did not end",
            next: "roost-eyes try"
        ) {
            var report = MadeUpMachine.eyes
            (report.lastTrouble, report.leftOutCount) = ("the command did not end", 3)
            $0.camera = .report(report)
        },
        Ailment(
            check: "camera",
            verdict: .warning,
            words: "does not follow the station",
            next: "systemctl start roostd"
        ) {
            var report = MadeUpMachine.eyes
            report.stationTrouble = "no station answers"
            $0.camera = .report(report)
        },
        Ailment(
            check: "camera",
            verdict: .failure,
            words: "cannot keep pictures: no space",
            next: "roost-eyes check"
        ) {
            var report = MadeUpMachine.eyes
            report.ringTrouble = "no space left"
            $0.camera = .report(report)
        },
    ]
}
