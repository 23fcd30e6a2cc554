import Core

/// A batch under delivery, with the samples that it settles.
struct OutboxBatch: Hashable, Sendable {
    enum Lane: String, Hashable, Sendable {
        /// The lane of the newest samples, ahead of older ones.
        case live
        /// The lane of the oldest samples that wait.
        case backlog
    }

    /// The samples of one stream.
    struct Part: Hashable, Sendable {
        let from: OutboxPosition
        var to: OutboxPosition
        var sent = 0
        var leftOut: [LeftOut: Int] = [:]

        var count: Int { sent + leftOut.values.reduce(0, +) }
    }

    let lane: Lane
    private(set) var parts: [StreamID: Part] = [:]
    private(set) var samples: [OutboxSample] = []
    /// Whether samples wait because no trusted clock has dated them yet.
    private(set) var waitsForClock = false
    /// Whether all its samples were recorded since the machine started.
    private(set) var isOfPresentBoot = true

    init(_ lane: Lane) { self.lane = lane }

    var isEmpty: Bool { parts.isEmpty }

    /// Adds samples of a page, until `limit` samples are to be sent.
    ///
    /// - Parameters:
    ///   - mark: Samples that it has as delivered are passed over, those it has not seen left.
    ///   - limit: Samples that are to be sent, in all streams together.
    ///   - dating: Rule for samples without a date.
    ///   - leaveOut: Why a sample is left out; nil sends it.
    mutating func add(
        _ page: OutboxPage,
        after mark: StreamCursor,
        limit: Int,
        dating: SampleTargetTraits.Dating,
        _ leaveOut: (OutboxSample) -> LeftOut?
    ) {
        isOfPresentBoot = isOfPresentBoot && page.isPresent
        for sample in page.samples {
            let place = page.place(sample)
            // Samples recorded since the last look are counted by the next look.
            guard let seen = mark.seen, place <= seen else { return }
            if mark.isDelivered(place) {
                settle(page.stream, place)
                continue
            }
            if sample.time == nil, dating == .needed, page.isPresent {
                waitsForClock = true
                return
            }
            if sample.time == nil, dating != .unneeded, !page.isPresent {
                // Times of a boot that is over will never be known.
                settle(page.stream, place) { $0.leftOut[.timeUnknown, default: 0] += 1 }
            } else if let reason = leaveOut(sample) {
                settle(page.stream, place) { $0.leftOut[reason, default: 0] += 1 }
            } else {
                guard samples.count < limit else { return }
                var sample = sample
                sample.isOfPresentBoot = page.isPresent
                samples.append(sample)
                settle(page.stream, place) { $0.sent += 1 }
            }
        }
    }

    /// Returns the draft with samples left out instead of sent, at most `count` of them.
    func leavingOut(_ reason: LeftOut, count: Int = .max) -> OutboxBatch {
        var (draft, left) = (self, count)
        for (stream, planned) in parts.sorted(by: { $0.key < $1.key }) {
            let taken = min(left, planned.sent)
            guard taken > 0 else { continue }
            var part = planned
            part.sent -= taken
            part.leftOut[reason, default: 0] += taken
            draft.parts[stream] = part
            left -= taken
        }
        return draft
    }

    /// Makes an id of 26 letters and digits, the same for the same samples and target.
    func id(of target: String) -> String {
        guard let first = samples.first, let last = samples.last else { return "" }
        let ends = [first, last].map { "\($0.stream.rawValue)/\($0.boot)/\($0.tick.tenths)" }
        let text = ([target] + ends + ["\(samples.count)"]).joined(separator: " ")
        return BatchID.digest(Array(text.utf8))
    }

    /// Returns notices of single samples that are refused.
    func refusals(_ indices: [Int], _ reason: DeliveryReason) -> [DeliveryNotice] {
        indices.compactMap { place(of: $0) }.map {
            .refused(.sample(.init(stream: $0.stream, place: $0.place)), samples: 1, reason)
        }
    }

    /// Returns the place of the sample with this number.
    func place(of index: Int) -> (stream: StreamID, place: OutboxPosition)? {
        guard samples.indices.contains(index) else { return nil }
        let sample = samples[index]
        guard let part = parts[sample.stream] else { return nil }
        let number = part.to.boot == sample.boot ? part.to.bootNumber : part.from.bootNumber
        let place = OutboxPosition(boot: sample.boot, bootNumber: number, tick: sample.tick)
        return (sample.stream, place)
    }

    private mutating func settle(
        _ stream: StreamID,
        _ place: OutboxPosition,
        _ change: (inout Part) -> Void = { _ in }
    ) {
        var part = parts[stream] ?? Part(from: place, to: place)
        part.to = place
        change(&part)
        parts[stream] = part
    }
}
