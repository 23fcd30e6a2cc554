import Core

/// Delivery state of one sample at one target.
struct SampleFate: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case delivered
        /// Delivered, or left out for a reason that the sample itself does not show.
        ///
        /// It was dropped, too old then, too old for the target, or sent without an answer.
        case settled
        case waiting
        case leftOut(LeftOut)
        /// The sample was recorded before the target was added, which only gets newer ones.
        case earlier
        /// The sample was recorded since the task last looked.
        case notSeen
    }

    let stream: StreamID
    let device: String
    /// Time in UTC; nil while nothing dates it.
    let time: WallTime?
    let kind: Kind
}

/// Finds the delivery state of samples at one target.
struct SampleFates: Sendable {
    private let snapshot: OutboxSnapshot

    init(_ snapshot: OutboxSnapshot) { self.snapshot = snapshot }

    /// Finds the delivery state of the first sample of each stream from a moment on.
    ///
    /// The target's present rules decide which samples it leaves out, except age, since the date
    /// was another one then.
    ///
    /// - Throws: Errors of reading the store.
    func from(_ moment: WallTime) async throws -> [SampleFate] {
        let source = snapshot.source
        // Without a place, as nothing is older or dated: the oldest sample with a date.
        let start = try await source.place(notAfter: moment)
        var fates: [SampleFate] = []
        for stream in try await source.streams() {
            let page = try await source.page(of: stream, after: start?.earlier, limit: 1)
            guard let page, let sample = page.samples.first else { continue }
            guard start != nil || sample.time.map({ $0 >= moment }) ?? false else { continue }
            fates.append(
                SampleFate(
                    stream: stream,
                    device: sample.device,
                    time: sample.time,
                    kind: kind(of: sample, at: page.place(sample))
                )
            )
        }
        return fates
    }

    /// Returns the delivery state of one sample.
    func kind(of sample: OutboxSample, at place: OutboxPosition) -> SampleFate.Kind {
        guard let mark = snapshot.marks[sample.stream] else { return .notSeen }
        if let begin = mark.begin, place <= begin { return .earlier }
        let isSettled = mark.settled.map { place <= $0 } ?? false
        guard isSettled || mark.isDelivered(place) else {
            return mark.seen.map { place <= $0 } ?? false ? .waiting : .notSeen
        }
        let here = RefusedSample(stream: sample.stream, place: place)
        if snapshot.refused.contains(here) { return .leftOut(.refused) }
        if sample.isPrivate { return .leftOut(.markedPrivate) }
        if let reason = snapshot.target.reason(leavingOut: sample) { return .leftOut(reason) }
        let hidden: [LeftOut] = [.dropped, .tooOld, .notKept, .unknown, .refused]
        let isSure = hidden.allSatisfy { snapshot.totals.leftOut[$0] == nil }
        return isSure ? .delivered : .settled
    }
}
