import Core
import Store

/// A stretch of time that a person named: from the mark of its beginning to that of its end.
///
/// A survey ends with the run that it began in, if no mark says so: it does not outlive a run.
package struct StoredSurvey: Hashable, Sendable {
    /// Marks that are looked through, at most; the newest ones.
    private static let readMax = 4_000

    package let name: String
    /// Whether it is marked *do not upload*.
    package let isPrivate: Bool
    package let boot: BootID
    /// First tick of the survey.
    package let from: Tick
    /// End of the survey, exclusive; nil while it goes on.
    package private(set) var to: Tick?
    /// Range by the wall clock: open where nothing dates the boot, and at the end while it goes on.
    package private(set) var range = TimeRange()

    /// Reads all surveys of a history, oldest first.
    ///
    /// - Returns: Oldest first.
    /// - Throws: `StoreError.database`.
    package static func all(_ reader: HistoryReader, _ times: StoreTimes) throws -> [StoredSurvey] {
        let marks = try HistoryEvents(reader).newest(readMax) { isMark($0.event) }
        var found: [StoredSurvey] = []
        for mark in marks { apply(mark, &found, times) }
        close(&found, times)
        for index in found.indices {
            let survey = found[index]
            found[index].range = TimeRange(
                from: times.clock.time(survey.boot, survey.from)?.wall,
                to: survey.to.flatMap { times.clock.time(survey.boot, $0)?.wall }
            )
        }
        return found
    }

    /// The newest of a name; nil when there is none, or nothing dates it.
    ///
    /// - Throws: `StoreError.database`.
    package static func newest(
        named name: String,
        _ reader: HistoryReader,
        _ times: StoreTimes
    ) throws -> StoredSurvey? {
        try all(reader, times).last { $0.name == name && $0.range.from != nil }
    }

    /// The parts of spans that lie in the survey.
    package func clip(_ spans: [HistorySpan]) -> [HistorySpan] {
        spans.compactMap { span in
            guard span.boot == boot else { return nil }
            let (from, to) = (max(span.from, from), min(span.to, to ?? .end))
            guard from < to else { return nil }
            let offset = span.offset + from.tenths - span.from.tenths
            return HistorySpan(boot: boot, from: from, to: to, offset: offset)
        }
    }

    private static func isMark(_ event: Event) -> Bool {
        if case .surveyBegun = event.kind { true } else { event.kind == .plain(.surveyEnded) }
    }

    private static func apply(
        _ mark: BootEvent,
        _ found: inout [StoredSurvey],
        _ times: StoreTimes
    ) {
        let tick = Tick(mark.event.instant)
        if let last = found.indices.last, found[last].to == nil, found[last].boot == mark.boot,
            found[last].from <= tick
        {
            let end = found[last].runEnd(times)
            found[last].to = min(end ?? tick, tick)
        } else {
            close(&found, times)
        }
        guard case .surveyBegun(let survey) = mark.event.kind else { return }
        // A sample within the tick in which a private survey ended is private.
        let isAfterPrivate = found.last.map {
            $0.isPrivate && $0.boot == mark.boot && $0.to == tick
        }
        found.append(
            StoredSurvey(
                name: survey.name,
                isPrivate: !survey.isForUpload,
                boot: mark.boot,
                from: isAfterPrivate == true ? Tick(tenths: tick.tenths + 1) : tick,
                to: nil
            )
        )
    }

    /// Ends the newest survey with its run, unless the run goes on.
    private static func close(_ found: inout [StoredSurvey], _ times: StoreTimes) {
        guard let last = found.indices.last, found[last].to == nil else { return }
        found[last].to = found[last].runEnd(times)
    }

    /// Just after the last tick of the run that it began in; nil while that goes on.
    private func runEnd(_ times: StoreTimes) -> Tick? {
        let run = times.runs.last { $0.boot == boot && $0.started <= from }
        guard let run else {
            // The run is not known any more: others came after it.
            return times.runs.isEmpty ? nil : from
        }
        return run.end == .running ? nil : Tick(tenths: max(run.ended, from).tenths + 1)
    }
}
