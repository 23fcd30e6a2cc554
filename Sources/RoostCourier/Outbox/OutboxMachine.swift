import Core

/// Decides what one target is sent, when, and what becomes of each sample.
///
/// Pure: a caller brings samples, answers and the time. While everything that waits fits into one
/// request there is one lane, oldest first; with more, the newest samples go ahead of it, so that a
/// month of backlog never delays the present value.
package struct OutboxMachine: Sendable {
    package enum Decision: Hashable, Sendable {
        /// Nothing to send before then, or before something is recorded.
        case wait(until: MonotonicInstant?)
        case send(OutboxDraft.Lane, limit: Int)
    }

    /// What a person should learn of.
    package enum Notice: Hashable, Sendable {
        case held(DeliveryReason)
        case resumed
        case refused(StreamID, from: OutboxPlace, count: Int, DeliveryReason)
        case expired(StreamID, count: Int)
        case drained(count: Int)
        /// The cursor could not be read: the target begins anew with what is recorded from now on.
        case cursorLost(String)
    }

    /// Equal refusals in a row after which a person has to look.
    package static let refusalLimit = 10
    /// A backlog that was larger than this is worth a word when it is gone.
    private static let drainWorth = 100

    package let traits: SampleTargetTraits
    package internal(set) var marks: [StreamID: StreamMark]
    package internal(set) var totals: OutboxTotals
    /// Why it is held; nil while it is not.
    package private(set) var held: DeliveryReason?
    /// The last failure; nil after a success.
    package private(set) var trouble: DeliveryReason?
    package private(set) var notBefore = MonotonicInstant.boot
    private var delay: RetryDelay
    /// Samples among which one is refused; nil when there is none.
    private var suspects: Int?
    private var refusals = 0
    /// The size of a batch of which no answer says whether it arrived.
    private var repeated: Int?
    private var lastLive: MonotonicInstant?
    /// While there is a backlog: where the live lane goes on, and what waits there.
    private var ahead: [StreamID: (after: OutboxPlace?, waiting: Int)] = [:]
    private var backlogPeak = 0
    private var isFlushing = false

    package init(
        _ traits: SampleTargetTraits,
        marks: [StreamID: StreamMark] = [:],
        totals: OutboxTotals = OutboxTotals(),
        seed: UInt64
    ) {
        (self.traits, self.marks, self.totals) = (traits, marks, totals)
        delay = RetryDelay(seed: seed)
    }

    package var waiting: Int { marks.values.reduce(0) { $0 + $1.waiting } }

    /// Whether more waits than fits into one request.
    package var isBehind: Bool { waiting > traits.itemLimit }

    /// Counts what was recorded.
    package mutating func see(_ count: Int, upTo place: OutboxPlace, of stream: StreamID) {
        var mark = marks[stream] ?? StreamMark()
        if isBehind {
            let (after, waiting) = ahead[stream] ?? (mark.seen, 0)
            ahead[stream] = (after, waiting + count)
        }
        mark.waiting += count
        mark.seen = place
        marks[stream] = mark
        backlogPeak = max(backlogPeak, waiting)
    }

    /// Notes that fewer samples than were seen can still be read: the ring wrote over them.
    ///
    /// - Parameters:
    ///   - stream: Where.
    ///   - left: Samples without a fate that the store still has.
    /// - Returns: What to say of it.
    package mutating func expire(_ stream: StreamID, left: Int) -> [Notice] {
        guard var mark = marks[stream] else { return [] }
        let lost = mark.waiting - left
        guard lost > 0 else { return [] }
        mark.waiting -= lost
        marks[stream] = mark
        totals.leaveOut([.expired: lost])
        return [.expired(stream, count: lost)]
    }

    package func decide(at now: MonotonicInstant) -> Decision {
        guard waiting > 0 else { return .wait(until: nil) }
        guard now >= notBefore else { return .wait(until: notBefore) }
        if held != nil || delay.failureCount >= 3 { return .send(.backlog, limit: 1) }
        if let suspects { return .send(.backlog, limit: max(suspects / 2, 1)) }
        if let repeated { return .send(.backlog, limit: repeated) }
        let limit = traits.itemLimit
        let due = lastLive.map { $0.advanced(by: traits.liveInterval) } ?? now
        guard isBehind else {
            return now >= due || isFlushing ? .send(.backlog, limit: limit) : .wait(until: due)
        }
        return .send(canGoAhead && now >= due ? .live : .backlog, limit: limit)
    }

    /// The place after which a lane goes on in a stream.
    package func start(_ lane: OutboxDraft.Lane, of stream: StreamID) -> OutboxPlace? {
        let settled = marks[stream]?.settled
        return lane == .live ? ahead[stream]?.after ?? settled : settled
    }

    /// Notes that the live lane found nothing.
    package mutating func foundNothingAhead() {
        for (stream, entry) in ahead { ahead[stream] = (entry.after, 0) }
    }

    /// The streams in which a lane has something to send.
    package func streams(_ lane: OutboxDraft.Lane) -> [StreamID] {
        let waiting = marks.filter { stream, mark in
            lane == .live ? ahead[stream].map { $0.waiting > 0 } ?? false : mark.waiting > 0
        }
        return waiting.keys.sorted()
    }

    /// Whether there is something new, and ranges can take one more.
    private var canGoAhead: Bool {
        guard !traits.isStrict, ahead.values.contains(where: { $0.waiting > 0 }) else {
            return false
        }
        return marks.values.allSatisfy { $0.ranges.count < StreamMark.rangeLimit }
    }

    /// Notes what became of a draft.
    package mutating func finish(
        _ draft: OutboxDraft,
        _ outcome: DeliveryOutcome,
        at now: MonotonicInstant
    ) -> [Notice] {
        notBefore = now.advanced(by: traits.pace)
        switch outcome {
        case .delivered: return deliver(draft, at: now)
        case .partly(let refused, let reason):
            var notices = deliver(draft, refused: refused.count, at: now)
            let places = refused.compactMap { draft.place(of: $0) }
            for (stream, place) in places {
                notices.append(.refused(stream, from: place, count: 1, reason))
            }
            return notices
        case .later(let reason, let seconds):
            fail(reason, at: now, after: seconds)
            return []
        case .foreign(let reason):
            fail(reason, at: now, after: nil)
            return []
        case .hold(let reason): return hold(reason, at: now)
        case .refused(let reason): return refuse(draft, reason, at: now)
        case .unknown(let reason):
            fail(reason, at: now, after: nil)
            if traits.repetition == .atMostOnce {
                settle(draft) { part in
                    part.leftOut[.unknown, default: 0] += part.sent
                    part.sent = 0
                }
            } else if draft.lane == .backlog {
                repeated = draft.samples.count
            }
            return []
        }
    }

    /// Ends waiting: after a new route, a repaired secret or `roost outbox flush`.
    package mutating func wake(at now: MonotonicInstant, within time: Duration = .zero) {
        let soon = now.advanced(by: time > .zero ? delay.spread(time) : .zero)
        notBefore = min(notBefore, soon)
    }

    /// A refused sample was taken after all.
    mutating func takeBack(_ count: Int, of reason: LeftOut) {
        let left = totals.leftOut[reason] ?? 0
        let moved = min(count, left)
        totals.leftOut[reason] = left == moved ? nil : left - moved
        totals.delivered += moved
    }

    /// Gives samples of a draft that is not sent their fates.
    mutating func leaveOut(_ draft: OutboxDraft) { settle(draft) }

    /// While flushing, nothing waits to go together.
    package mutating func flush(_ isOn: Bool, at now: MonotonicInstant) {
        isFlushing = isOn
        if isOn { wake(at: now) }
    }

    private mutating func deliver(
        _ draft: OutboxDraft,
        refused: Int = 0,
        at now: MonotonicInstant
    ) -> [Notice] {
        var left = refused
        settle(draft) { part in
            let taken = min(left, part.sent)
            guard taken > 0 else { return }
            part.sent -= taken
            part.leftOut[.refused, default: 0] += taken
            left -= taken
        }
        delay.succeed()
        (trouble, repeated, refusals) = (nil, nil, 0)
        if draft.lane == .live || !isBehind { lastLive = now }
        if let count = suspects {
            let rest = count - draft.samples.count
            suspects = rest > 0 ? rest : nil
        }
        var notices: [Notice] = []
        if held != nil {
            held = nil
            notices.append(.resumed)
        }
        if waiting == 0 {
            if backlogPeak > max(Self.drainWorth, traits.itemLimit) {
                notices.append(.drained(count: backlogPeak))
            }
            backlogPeak = 0
        }
        return notices
    }

    private mutating func fail(_ reason: DeliveryReason, at now: MonotonicInstant, after: Int?) {
        trouble = reason
        notBefore = now.advanced(by: delay.fail(afterSeconds: after))
    }

    private mutating func hold(_ reason: DeliveryReason, at now: MonotonicInstant) -> [Notice] {
        let isNew = held == nil
        (held, trouble) = (reason, reason)
        notBefore = now.advanced(by: delay.spread(RetryDelay.probe))
        return isNew ? [.held(reason)] : []
    }

    private mutating func refuse(
        _ draft: OutboxDraft,
        _ reason: DeliveryReason,
        at now: MonotonicInstant
    ) -> [Notice] {
        trouble = reason
        guard draft.samples.count <= 1 else {
            suspects = draft.samples.count
            return []
        }
        refusals += 1
        var notices: [Notice] = []
        if let (stream, place) = draft.place(of: 0) {
            notices.append(.refused(stream, from: place, count: 1, reason))
        }
        suspects = nil
        repeated = nil
        settle(draft) { part in
            part.leftOut[.refused, default: 0] += part.sent
            part.sent = 0
        }
        if refusals >= Self.refusalLimit { notices += hold(reason, at: now) }
        return notices
    }

    /// Gives every sample of a draft its fate.
    private mutating func settle(
        _ draft: OutboxDraft,
        _ change: (inout OutboxDraft.Part) -> Void = { _ in }
    ) {
        for (stream, planned) in draft.parts.sorted(by: { $0.key < $1.key }) {
            var part = planned
            change(&part)
            var mark = marks[stream] ?? StreamMark()
            mark.waiting -= part.count
            totals.delivered += part.sent
            totals.leaveOut(part.leftOut)
            switch draft.lane {
            case .backlog:
                mark.settle(to: part.to)
                if let (after, _) = ahead[stream], let settled = mark.settled,
                    after.map({ $0 <= settled }) ?? true
                {
                    ahead[stream] = (settled, mark.waiting)
                }
            case .live:
                let range = OutboxRange(from: part.from, to: part.to, count: part.count)
                let (after, waiting) = ahead[stream] ?? (nil, 0)
                mark.deliverAhead(range, continues: after == mark.ranges.last?.to)
                ahead[stream] = (part.to, max(waiting - part.count, 0))
            }
            marks[stream] = mark
        }
        if !isBehind { ahead = [:] }
    }
}
