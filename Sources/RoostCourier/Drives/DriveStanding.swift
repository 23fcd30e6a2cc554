import ControlProtocol
import Core

/// State of a target of drives, for reports.
struct DriveStanding: Hashable, Sendable {
    /// The drive that is sent now.
    struct Present: Hashable, Sendable {
        let name: String
        let upload: DriveUpload
    }

    let mark: DriveCursor
    /// Drives with samples that wait, including the present one.
    let waitingCount: Int
    /// End of the oldest waiting drive; nil when none waits, or its date is unknown.
    let oldest: WallTime?
    let present: Present?
    let waitsForClock: Bool
    let delivery: DeliveryStanding

    /// Writes the state into the report of its target.
    func fill(_ report: inout OutboxReport, at now: MonotonicInstant) {
        let left = mark.leftOut.filter { $0.value.samples > 0 }
        report.samples = OutboxSampleCounts(
            delivered: mark.delivered.samples,
            waiting: mark.waiting,
            leftOut: Dictionary(left.map { ($0.key.rawValue, $0.value.samples) }) { $1 }
        )
        report.drives = OutboxDrives(
            delivered: mark.delivered.files,
            waiting: waitingCount,
            leftOut: mark.leftOut.values.reduce(0) { $0 + $1.files },
            present: present.map { present in
                OutboxDrives.Present(
                    name: present.name,
                    step: step(present.upload),
                    importID: present.upload.importID
                )
            }
        )
        report.oldestWaiting = oldest?.iso8601
        report.isWaitingForClock = waitsForClock
        delivery.fill(&report, at: now)
    }

    private func step(_ upload: DriveUpload) -> OutboxDrives.Step {
        if upload.importID == nil { return .upload }
        if delivery.working != nil { return .read }
        return upload.isDescribed ? .submit : .describe
    }
}
