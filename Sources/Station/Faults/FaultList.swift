import Core
import Profiles
import Synchronization

/// Present faults; a component adds a fault when it begins and removes it when it is over.
///
/// What follows from the state of devices is not here: `StationFacts` derives it. Bound:
/// `limit` faults; one more is counted, and shown as *more faults*.
package final class FaultList: Sendable {
    static let limit = 64

    private struct State {
        var faults: [String: Fault] = [:]
        var omitted: Set<String> = []
        var observer: @Sendable () -> Void = {}
    }

    private let recorder: Recorder
    private let clock: any NodeClock
    private let state = Mutex(State())

    init(_ recorder: Recorder, clock: any NodeClock) {
        (self.recorder, self.clock) = (recorder, clock)
        recorder.watchEvents { [weak self] in self?.apply($0) }
    }

    /// Calls `observer` on every change.
    func join(_ observer: @escaping @Sendable () -> Void) {
        state.withLock { $0.observer = observer }
    }

    /// Every fault that was named and is not over.
    var faults: [Fault] {
        let (faults, omitted) = state.withLock { ($0.faults.values, $0.omitted.count) }
        guard omitted > 0 else { return Array(faults) }
        let last = faults.map(\.since).max() ?? clock.now
        return faults + [Fault(.more, since: last, "\(omitted) more things are wrong")]
    }

    /// Names a fault; one that is named already keeps its beginning.
    ///
    /// - Parameters:
    ///   - kind: The kind of the fault.
    ///   - subject: A device, adapter or file; nil for the station itself.
    ///   - sentence: The fault as a sentence, without a full stop.
    ///   - nextStep: What to do; nil means the default of its kind.
    ///   - isTold: An event says the same already; otherwise one is recorded, for log and history.
    package func raise(
        _ kind: Fault.Kind,
        of subject: String? = nil,
        _ sentence: String,
        next nextStep: String? = nil,
        isTold: Bool = false
    ) {
        let now = clock.now
        let id = Fault.id(kind, subject)
        let (isNew, observer) = state.withLock { state in
            let old = state.faults[id]
            guard old != nil || state.faults.count < Self.limit else {
                return (state.omitted.insert(id).inserted, state.observer)
            }
            let since = old?.since ?? now
            let fault = Fault(kind, of: subject, since: since, sentence, next: nextStep)
            state.faults[id] = fault
            return (old == nil, state.observer)
        }
        observer()
        if isNew, !isTold { record(.faultBegan, id, .warning, sentence) }
    }

    /// Removes a fault; does nothing when it is not in the list.
    package func clear(_ kind: Fault.Kind, of subject: String? = nil, isTold: Bool = false) {
        let id = Fault.id(kind, subject)
        let (was, observer) = state.withLock { state in
            let isOmitted = state.omitted.remove(id) != nil
            return (state.faults.removeValue(forKey: id) != nil || isOmitted, state.observer)
        }
        guard was else { return }
        observer()
        if !isTold { record(.faultOver, id, .notice, nil) }
    }

    /// Removes the faults of a device that is not there any more.
    func forget(_ subject: String) {
        for kind in Fault.Kind.allCases { clear(kind, of: subject, isTold: true) }
    }

    /// Removes all faults of a kind.
    func clear(all kind: Fault.Kind) {
        let subjects = state.withLock { state in
            state.faults.values.filter { $0.kind == kind }.map(\.subject)
        }
        for subject in subjects { clear(kind, of: subject, isTold: true) }
    }

    /// A fault reported by a driver lasts until the driver ends it.
    private func apply(_ event: Event) {
        let line = "the line of \(event.source)"
        switch event.kind {
        case .lineFault(.edgeStorm):
            let text = "\(line) changes so often that it is muted"
            raise(.lineStorm, of: event.source, text, isTold: true)
        case .lineFault(.stuckHigh), .lineFault(.stuckPressed):
            raise(.lineStuck, of: event.source, "\(line) does not move any more", isTold: true)
        case .recovered(let fault):
            let kind: Fault.Kind = fault == .edgeStorm ? .lineStorm : .lineStuck
            clear(kind, of: event.source, isTold: true)
        default: break
        }
    }

    // MARK: Configuration and start

    /// Adds a fault for each profile that is left out, and removes those that are used again.
    func set(leftOutProfiles problems: [ConfigurationError], before: [ConfigurationError] = []) {
        for error in before { clear(.profileLeftOut, of: error.file) }
        for error in problems {
            let text = error.problems.first.map { ": \($0)" } ?? ""
            raise(
                .profileLeftOut,
                of: error.file,
                "the profile \(error.file) is left out\(text)"
            )
        }
    }

    /// Adds and removes the faults that the start of the image found.
    ///
    /// Called again at a reload: the Wi-Fi is found wrong later, and right again.
    package func set(_ start: StartFindings) {
        if let first = start.fileProblems.first {
            let count = start.fileProblems.count - 1
            let more = count > 0 ? "; roost doctor shows \(count) more" : ""
            raise(.bootFilesWrong, "a file on the card is wrong: \(first)\(more)")
        }
        let file = "station.txt"
        if let wireless = start.wireless {
            let sentence = wireless.hasSuffix(".") ? String(wireless.dropLast()) : wireless
            raise(.bootFilesWrong, of: file, sentence)
        } else {
            clear(.bootFilesWrong, of: file)
        }
        if start.isDataInMemory {
            let text = "history and settings lie in memory, and are lost with the power"
            raise(.dataInMemory, text)
        }
    }

    /// A configuration was read and is wrong: the station goes on with the one before.
    package func reject(_ error: ConfigurationError) {
        let more = error.problems.count > 1 ? ", and \(error.problems.count - 1) more" : ""
        let text = error.problems.first.map { "\($0)" } ?? "cannot be read"
        raise(
            .configurationRejected,
            "the station runs on with the configuration before: \(error.file): \(text)\(more)"
        )
    }

    /// Adds or removes the fault of owner's settings that do not count now.
    func set(leftOutSettings problems: [ConfigurationProblem]) {
        guard let first = problems.first else { return clear(.settingsLeftOut) }
        let more = problems.count > 1 ? ", and \(problems.count - 1) more" : ""
        raise(.settingsLeftOut, "a setting does not count: \(first)\(more)")
    }

    private func record(
        _ kind: EventKind.Plain,
        _ id: String,
        _ severity: Event.Severity,
        _ sentence: String?
    ) {
        var details = [Event.Detail("fault", id)]
        if let sentence { details.append(Event.Detail("what", sentence)) }
        recorder.recordSoon(
            Event(
                at: clock.now,
                source: "station",
                kind: .plain(kind),
                severity: severity,
                details: details
            )
        )
    }
}
