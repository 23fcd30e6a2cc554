import Core

/// What became of one sample at one target.
package struct SampleFate: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case delivered
        /// Delivered, or left out for a reason that does not show in the sample itself: dropped,
        /// too old then, or sent without an answer.
        case settled
        case waiting
        case leftOut(LeftOut)
        /// The task has not looked since it was recorded.
        case notSeen
    }

    package let stream: StreamID
    package let device: String
    /// UTC; nil while nothing dates it.
    package let time: WallTime?
    package let kind: Kind
}

extension OutboxTask {
    /// Refused samples that are remembered, the newest.
    static let refusedLimit = 256

    /// What became of the first sample of each stream from a moment on.
    ///
    /// What a target takes and leaves out is decided anew by its rules; age is not, since it was
    /// another one then.
    ///
    /// - Throws: What reading the store throws.
    package func fates(from moment: WallTime) async throws -> [SampleFate] {
        try await begin()
        guard let start = try await world.source.place(notAfter: moment) else { return [] }
        var fates: [SampleFate] = []
        for stream in try await world.source.streams() {
            let page = try await world.source.page(of: stream, after: start.earlier, limit: 1)
            guard let page, let sample = page.samples.first else { continue }
            let place = page.place(sample)
            fates.append(
                SampleFate(
                    stream: stream,
                    device: sample.device,
                    time: sample.time,
                    kind: kind(of: sample, at: place)
                )
            )
        }
        return fates
    }

    func kind(of sample: OutboxSample, at place: OutboxPlace) -> SampleFate.Kind {
        guard let mark = machine.marks[sample.stream] else { return .notSeen }
        let isSettled = mark.settled.map { place <= $0 } ?? false
        guard isSettled || mark.isDelivered(place) else {
            return mark.seen.map { place <= $0 } ?? false ? .waiting : .notSeen
        }
        if refused.contains(where: { $0.stream == sample.stream && $0.place == place }) {
            return .leftOut(.refused)
        }
        if sample.isPrivate { return .leftOut(.markedPrivate) }
        if let reason = target.leavesOut(sample) { return .leftOut(reason) }
        let hidden: [LeftOut] = [.dropped, .tooOld, .unknown, .refused]
        let isSure = hidden.allSatisfy { machine.totals.leftOut[$0] == nil }
        return isSure ? .delivered : .settled
    }

    /// Sends once more what was refused since this task began, after its cause was repaired.
    ///
    /// - Returns: How many samples were taken, and how many still are refused.
    /// - Throws: What reading the store throws; `CancellationError`.
    package func retry() async throws -> (taken: Int, left: Int) {
        var (taken, left) = (0, refused)
        for entry in refused {
            let before = entry.place.earlier
            let page = try await world.source.page(of: entry.stream, after: before, limit: 1)
            guard let page, let sample = page.samples.first, page.place(sample) == entry.place
            else { continue }
            let id = BatchID.digest(Array("\(id) \(entry.stream.rawValue) \(entry.place)".utf8))
            let batch = SampleBatch([sample], id: id, isLate: true)
            guard try await target.deliver(batch, over: world.network) == .delivered else {
                continue
            }
            machine.takeBack(1, of: .refused)
            left.removeAll { $0 == entry }
            taken += 1
        }
        refused = left
        if taken > 0 { try await keep(machine) }
        return (taken, left.count)
    }
}

/// A sample that a target refused.
package struct RefusedSample: Hashable, Sendable {
    let stream: StreamID
    let place: OutboxPlace
}
