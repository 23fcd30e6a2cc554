import ControlProtocol

enum DoctorCameraChecks {
    static let camera = [
        DoctorCheck(name: "camera", question: "Does the camera take pictures?", decide: takes)
    ]

    @Sendable private static func takes(_ facts: DoctorFacts) -> DoctorFinding {
        guard !facts.isImage else { return .ofImage }
        switch facts.camera.answer {
        case .report(let report): return finding(report)
        case .refuses(let words):
            return .warning(
                words,
                next: "journalctl -u roost-eyes; sudo systemctl restart roost-eyes"
            )
        case .absent, nil:
            guard facts.camera.isWanted else {
                return .skipped("no roost-eyes runs, so no picture is taken")
            }
            return .failure(
                "there is a \(DoctorCamera.path), and no roost-eyes runs",
                next: "roost-eyes check && sudo systemctl start roost-eyes"
            )
        }
    }

    private static func finding(_ report: EyesReport) -> DoctorFinding {
        if let trouble = report.settingsTrouble {
            return .failure(
                trouble,
                next: "roost camera undo, or remove settings.json of /var/lib/roost-eyes"
            )
        }
        if report.isOff == true {
            return .skipped("no camera is chosen, so no picture is taken: roost camera")
        }
        if let trouble = report.ringTrouble {
            return .failure(
                "roost-eyes runs and cannot keep pictures: \(trouble)",
                next: "see that the card has room for \(report.ring); roost-eyes check"
            )
        }
        if let trouble = report.stationTrouble {
            return .warning(
                "roost-eyes runs and does not follow the station: \(trouble)",
                next: "sudo systemctl start roostd"
            )
        }
        if let wanted = report.wantedCamera, report.camera == nil {
            return .failure(
                "the camera \(wanted) is not plugged in",
                next: "plug it in; roost-eyes cameras lists those that are"
            )
        }
        if let trouble = report.lastTrouble {
            return .warning(
                "the last motion has no picture: \(trouble)",
                next: "sudo -u roost-eyes roost-eyes try --output /tmp/now.jpg"
            )
        }
        let name = report.camera.map { " with \($0.name) at \($0.path)" } ?? ""
        return .ok("roost-eyes runs\(name); \(report.sentence)")
    }
}

extension EyesReport {
    /// `12 of 400 pictures in 64 MiB, the last one of 2026-11-25T08:49:03Z (door)`, and what was
    /// left out.
    package var sentence: String {
        var words =
            "\(pictureCount ?? 0) of \(room) pictures in \((ringBytes + (1 << 19)) >> 20) MiB"
        if let newest {
            words += ", the last one of \(newest.time ?? "an unknown time") (\(newest.source))"
        }
        if leftOutCount > 0 {
            words += "; \(leftOutCount) motions without a picture since its start"
        }
        if maskedCount > 0 { words += "; \(maskedCount) in masked times" }
        return words
    }
}
