import Configuration
import Core
import Synchronization

/// Marks the beginning and the end of each survey by an event, so that its readings can be found.
final class SurveyMarks: Sendable {
    private let clock: any NodeClock
    private let note: @Sendable (Event) -> Void
    private let survey = Mutex<(name: String, since: MonotonicInstant)?>(nil)

    init(_ clock: any NodeClock, _ note: @escaping @Sendable (Event) -> Void) {
        (self.clock, self.note) = (clock, note)
    }

    /// The mode is this from now on; a survey that is only prolonged has no new marks.
    func take(_ mode: StationMode) {
        let (now, name) = (clock.now, mode.kind == .survey ? mode.name : nil)
        let before = survey.withLock { survey in
            guard survey?.name != name else { return (name: String, since: MonotonicInstant)?.none }
            defer { survey = name.map { ($0, now) } }
            return survey ?? ("", now)
        }
        guard let before else { return }
        if !before.name.isEmpty {
            let lasted = Int(before.since.duration(to: now).inSeconds)
            mark(.surveyEnded, ["name": before.name, "lasted": "\(lasted) s"], at: now)
        }
        if let name { mark(.surveyBegun, ["name": name], at: now) }
    }

    private func mark(
        _ kind: EventKind.Plain,
        _ details: KeyValuePairs<String, String>,
        at now: MonotonicInstant
    ) {
        note(Event(at: now, source: "mode", kind: .plain(kind), severity: .notice, details))
    }
}
