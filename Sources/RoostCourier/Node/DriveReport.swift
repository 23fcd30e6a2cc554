import ControlProtocol
import Core

/// Writes the state of a drive task into the report of its target.
enum DriveReport {
    static func fill(
        _ report: inout OutboxReport,
        _ standing: DriveTask.Standing,
        at now: MonotonicInstant
    ) {
        let mark = standing.mark
        var leftOut: [String: Int] = [:]
        for (reason, count) in mark.leftOut where count.samples > 0 {
            leftOut[reason.rawValue] = count.samples
        }
        report.samples = OutboxSampleCounts(
            delivered: mark.delivered.samples,
            waiting: mark.waiting,
            leftOut: leftOut
        )
        report.drives = OutboxDrives(
            delivered: mark.delivered.files,
            waiting: standing.waitingCount,
            leftOut: mark.leftOut.values.reduce(0) { $0 + $1.files },
            present: standing.present.map { present in
                OutboxDrives.Present(
                    name: present.name,
                    step: step(of: standing, present.upload),
                    importID: present.upload.importID
                )
            }
        )
        report.oldestWaiting = standing.oldest?.iso8601
        report.isWaitingForClock = standing.waitsForClock
        report.lastDeliverySeconds = standing.lastDelivery.map { $0.duration(to: now).inSeconds }
        if let trouble = standing.sourceTrouble {
            (report.state, report.why) = (.waitsForStation, trouble)
            return
        }
        let reason = standing.held ?? standing.trouble ?? standing.working
        (report.why, report.code) = (reason?.words, reason?.code)
        if standing.held != nil {
            report.state = .held
        } else if standing.trouble != nil {
            report.state = .later
        } else {
            report.state = mark.waiting > 0 ? .waiting : .idle
        }
        if mark.waiting > 0, standing.notBefore > now {
            report.nextTrySeconds = now.duration(to: standing.notBefore).inSeconds
        }
        // Refused drives do not stop the others.
        guard reason == nil, let refusals = standing.refusals.text else { return }
        (report.why, report.code) = (refusals, "refuses")
    }

    private static func step(
        of standing: DriveTask.Standing,
        _ upload: DriveUpload
    ) -> OutboxDrives.Step {
        if upload.importID == nil { return .upload }
        if standing.working != nil { return .read }
        return upload.isDescribed ? .submit : .describe
    }
}
