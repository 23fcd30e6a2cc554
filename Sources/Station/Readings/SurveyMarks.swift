import Configuration
import Core
import Synchronization

/// Marks the beginning and the end of each survey by an event, so that its readings can be found.
final class SurveyMarks: Sendable {
    private let recorder: Recorder
    private let survey = Mutex<Survey?>(nil)

    private struct Survey {
        let name: String
        let isPrivate: Bool
        let since: MonotonicInstant
    }

    init(_ recorder: Recorder) { self.recorder = recorder }

    /// The mode is this from now on, or has been since an instant: a survey that goes on after a
    /// restart has all readings since then.
    ///
    /// A survey that is only prolonged has no new marks; one that becomes private, or no longer is,
    /// is a new one.
    func apply(_ mode: StationMode, since start: MonotonicInstant? = nil) {
        let next = mode.name.flatMap { name in
            mode.kind == .survey
                ? Survey(name: name, isPrivate: mode.isPrivate, since: start ?? recorder.clock.now)
                : nil
        }
        let (before, isSame) = survey.withLock { survey in
            let before = survey
            let isSame = before?.name == next?.name && before?.isPrivate == next?.isPrivate
            if !isSame { survey = next }
            return (before, isSame)
        }
        guard !isSame else { return }
        let now = next?.since ?? recorder.clock.now
        if let before {
            let lasted = Int(before.since.duration(to: now).inSeconds)
            let details = [
                Event.Detail("name", before.name), Event.Detail("lasted", "\(lasted) s"),
            ]
            mark(.plain(.surveyEnded), details, at: now)
        }
        guard let next else { return }
        mark(.surveyBegun(.init(next.name, isForUpload: !next.isPrivate)), [], at: now)
    }

    private func mark(
        _ kind: EventKind,
        _ details: [Event.Detail],
        at now: MonotonicInstant
    ) {
        recorder.recordSoon(
            Event(
                at: now,
                source: "mode",
                kind: kind,
                severity: .notice,
                details: details
            )
        )
    }
}
