import Core

/// Decides what one target is sent, when, and what becomes of each sample.
///
/// Pure: a caller brings samples, answers and the time. While all waiting samples fit into one
/// request there is one lane, oldest first. With more, and while some are refused, the newest are
/// sent ahead, so that no backlog delays the present value.
struct OutboxMachine: Sendable {
    package typealias Decision = OutboxDecision

    let traits: SampleTargetTraits
    var marks: [StreamID: StreamCursor]
    var totals: OutboxTotals
    private(set) var state: DeliveryState
    /// Until then the backlog is held after refusals while new values go on; nil otherwise.
    private(set) var pastRest: MonotonicInstant?
    /// Samples of the backlog among which one is refused; nil when none is suspected.
    private var suspects: Int?
    private var age = OutboxAge()
    private var doubt = OutboxDoubt()
    /// Whether there are two lanes although everything would fit into one request.
    private var isApart = false
    /// Whether the last request was of the live lane.
    private var wasLive = false
    /// Size of the batch for which no answer says whether it arrived.
    private var repeated: Int?
    private var lastLive: MonotonicInstant?
    /// The live lane, while there are two lanes.
    private var ahead = LiveLane()
    private var drain = OutboxDrain()
    private var isFlushing = false

    init(
        _ traits: SampleTargetTraits,
        marks: [StreamID: StreamCursor] = [:],
        totals: OutboxTotals = OutboxTotals(),
        seed: UInt64
    ) {
        (self.traits, self.marks, self.totals) = (traits, marks, totals)
        state = DeliveryState(pace: traits.pace, seed: seed)
    }

    var waiting: Int { marks.values.reduce(0) { $0 + $1.waiting } }

    /// Whether more samples wait than fit into one request.
    var isBehind: Bool { waiting > traits.itemLimit }

    /// Returns why a sample of the backlog is left out: it is older than the target keeps.
    func leavesOut(_ sample: OutboxSample) -> LeftOut? { age.leavesOut(sample) }

    /// Whether new samples have a lane of their own.
    var hasLanes: Bool { isBehind || isApart }

    /// Whether samples of the backlog wait.
    private var hasPast: Bool { waiting > ahead.waiting }

    /// Whether a sample may be sent out of order, and repeated.
    private var canSearch: Bool { traits.refusesByAge && traits.repetition != .atMostOnce }

    /// Counts newly recorded samples.
    mutating func see(_ count: Int, upTo place: OutboxPosition, of stream: StreamID) {
        var mark = marks[stream] ?? StreamCursor()
        if hasLanes { ahead.see(count, after: mark.seen, of: stream, limit: traits.itemLimit) }
        mark.waiting += count
        mark.seen = place
        marks[stream] = mark
        drain.see(waiting)
    }

    func decide(at now: MonotonicInstant) -> Decision {
        guard waiting > 0 else { return .wait(until: nil) }
        let isNew = doubt.wantsNew && state.held == nil && !wasLive && canGoAhead
        guard now >= state.notBefore || isNew else { return .wait(until: state.notBefore) }
        let due = due(at: now)
        if let pastRest, now < pastRest, hasLanes, state.delay.failureCount < 3 {
            guard canGoAhead else { return .wait(until: pastRest) }
            guard now >= due else { return .wait(until: min(due, pastRest)) }
            return .send(.live, limit: traits.itemLimit)
        }
        if age.search == nil, state.held == nil, let batch = doubt.batch(hasLanes: hasLanes) {
            return .send(batch == 1 && canGoAhead && !wasLive ? .live : .backlog, limit: batch)
        }
        if age.search == nil, state.held != nil || state.delay.failureCount >= 3 {
            return .send(.backlog, limit: 1)
        }
        if let repeated { return .send(.backlog, limit: repeated) }
        if hasLanes, canGoAhead, now >= due, !(wasLive && hasPast) {
            return .send(.live, limit: traits.itemLimit)
        }
        if let search = age.search, case .look(let moment) = search.step {
            return .probe(after: moment, of: search.stream)
        }
        let limit = suspects.map { max($0 / 2, 1) } ?? traits.itemLimit
        guard !hasLanes else { return .send(.backlog, limit: limit) }
        return now >= due || isFlushing ? .send(.backlog, limit: limit) : .wait(until: due)
    }

    /// Returns when the live lane may send.
    private func due(at now: MonotonicInstant) -> MonotonicInstant {
        lastLive.map { $0.advanced(by: traits.liveInterval) } ?? now
    }

    /// Returns the place in a stream after which a lane goes on.
    func start(_ lane: OutboxBatch.Lane, of stream: StreamID) -> OutboxPosition? {
        let settled = marks[stream]?.settled
        return lane == .live ? ahead.starts[stream]?.after ?? settled : settled
    }

    /// Records that a lane has nothing to send now.
    ///
    /// - Returns: When the live lane goes on, where it was the other; nil with nothing new.
    mutating func foundNothing(in lane: OutboxBatch.Lane) -> MonotonicInstant? {
        wasLive = lane == .live
        if lane == .live { ahead.empty() }
        return canGoAhead ? due(at: state.notBefore) : nil
    }

    /// Returns the streams in which a lane has samples to send.
    func streams(_ lane: OutboxBatch.Lane) -> [StreamID] {
        let waiting = marks.filter { stream, mark in
            (lane == .live ? ahead.starts[stream]?.waiting ?? 0 : mark.waiting) > 0
        }
        return doubt.inTurn(waiting.keys.sorted())
    }

    /// Whether new samples wait and the ranges have room for one more.
    private var canGoAhead: Bool {
        ahead.waiting > 0 && marks.values.allSatisfy { $0.ranges.count < StreamCursor.rangeLimit }
    }

    /// Records the outcome of a draft.
    mutating func finish(
        _ draft: OutboxBatch,
        _ outcome: DeliveryOutcome,
        at now: MonotonicInstant
    ) -> [DeliveryNotice] {
        state.notBefore = now.advanced(by: traits.pace)
        wasLive = draft.lane == .live
        switch outcome {
        case .delivered: return deliver(draft, at: now)
        case .partly(let refused, let reason):
            if reason.isAge, refused.count >= draft.samples.count {
                return refuseAll(draft, reason, at: now)
            }
            let notices = deliver(draft, refused: refused.count, reason, at: now)
            guard !reason.isAge else { return notices }
            state.trouble = reason
            return notices + draft.refusals(refused, reason)
        case .later(let reason, nil) where reason.isServerFault && state.held == nil:
            return failAtServer(draft, reason, at: now)
        case .later(let reason, let seconds): fail(reason, at: now, after: seconds)
        case .foreign(let reason): fail(reason, at: now)
        case .hold(let reason): return hold(reason, at: now)
        case .refused(let reason): return refuse(draft, reason, at: now)
        case .unknown(let reason):
            fail(reason, at: now)
            if traits.repetition == .atMostOnce {
                settle(draft.leavingOut(.unknown))
            } else if draft.lane == .backlog {
                repeated = draft.samples.count
            }
        }
        return []
    }

    /// Applies a probe's answer; no `outcome`: the target has the sample; no `time`: none waits.
    mutating func finishProbe(
        _ time: WallTime?,
        _ outcome: DeliveryOutcome?,
        at now: MonotonicInstant
    ) -> [DeliveryNotice] {
        if outcome != nil { state.notBefore = now.advanced(by: traits.pace) }
        wasLive = false
        switch outcome {
        case nil: age.record(time, isTaken: time != nil)
        case .delivered: record(time, isTaken: true)
        case .partly(_, let reason), .refused(let reason):
            if reason.code == age.search?.reason.code {
                record(time, isTaken: false)
            } else {
                age.giveUp()
            }
        case .later(let reason, let seconds): fail(reason, at: now, after: seconds)
        case .foreign(let reason), .unknown(let reason): fail(reason, at: now)
        case .hold(let reason):
            age.giveUp()
            return hold(reason, at: now)
        }
        return endSearch(at: now)
    }

    private mutating func record(_ time: WallTime?, isTaken: Bool) {
        age.record(time, isTaken: isTaken)
        state.delay.succeed()
        if isTaken { state.refusals = 0 }
    }

    private mutating func endSearch(at now: MonotonicInstant) -> [DeliveryNotice] {
        guard let (step, reason) = age.end() else { return [] }
        switch step {
        case .found:
            (suspects, state.trouble) = (nil, nil)
            return resume()
        case .everything: return reason.isAge ? hold(reason, at: now) : []
        case .look, .otherReason: return []
        }
    }

    /// Ends the waiting, after a new route, a repaired secret or `roost outbox flush`.
    mutating func wake(at now: MonotonicInstant, within time: Duration = .zero) {
        state.notBefore = pastRest ?? state.notBefore
        state.wake(at: now, within: time)
        pastRest = nil
    }

    /// Settles samples of a draft without sending them.
    @discardableResult mutating func leaveOut(_ draft: OutboxBatch) -> [DeliveryNotice] {
        settle(draft)
        wasLive = draft.lane == .live
        return sayGone(after: draft)
    }

    /// Counts samples overwritten by the ring before they were settled; `left` are still there.
    mutating func expire(_ stream: StreamID, left: Int) -> [DeliveryNotice] {
        guard let lost = marks[stream].map({ $0.waiting - left }), lost > 0 else { return [] }
        marks[stream]?.waiting = left
        totals.leaveOut([.expired: lost])
        return [.expired(.stream(stream), samples: lost)]
    }

    /// While flushing, samples do not wait for further ones.
    mutating func flush(_ isOn: Bool, at now: MonotonicInstant) {
        isFlushing = isOn
        if isOn { wake(at: now) }
    }

    private mutating func deliver(
        _ draft: OutboxBatch,
        refused: Int = 0,
        _ reason: DeliveryReason? = nil,
        at now: MonotonicInstant
    ) -> [DeliveryNotice] {
        let isAge = reason?.isAge == true
        let settled = draft.leavingOut(isAge ? .notKept : .refused, count: refused)
        if let reason, isAge { age.leaveOut(reason) }
        settle(settled)
        state.delay.succeed()
        // An accepted new value does not end the hold of the backlog.
        let staysHeld = pastRest != nil && draft.lane == .live && hasPast
        (state.trouble, repeated) = (staysHeld ? state.held : nil, nil)
        if !staysHeld { state.refusals = 0 }
        if draft.lane == .live || !hasLanes { lastLive = now }
        if draft.lane == .backlog {
            age.deliver()
            suspects = suspects.flatMap { count in
                count > draft.samples.count ? count - draft.samples.count : nil
            }
            if suspects == nil, age.search == nil { join() }
        }
        doubt.succeed(draft, isWhole: suspects == nil, isLast: waiting == 0)
        return (staysHeld ? [] : resume()) + sayGone(after: settled)
    }

    /// Returns the notices that are due when samples are settled.
    private mutating func sayGone(after draft: OutboxBatch) -> [DeliveryNotice] {
        let said = draft.lane == .backlog ? age.say(after: draft, isLast: waiting == 0) : []
        return waiting == 0 ? said + drain.end(worth: traits.itemLimit) : said
    }

    /// Gives the samples recorded from now on a lane of their own.
    mutating func part() {
        if !hasLanes { beginLane() }
        isApart = true
    }

    private mutating func beginLane() { ahead = LiveLane(after: marks) }

    private mutating func join() {
        isApart = false
        if !isBehind { ahead = LiveLane() }
    }

    private mutating func fail(
        _ reason: DeliveryReason,
        at now: MonotonicInstant,
        after seconds: Int? = nil
    ) {
        doubt.interrupt(reason)
        state.fail(reason, after: seconds, at: now)
    }

    /// Handles a failure of the server: it may be down, or unable to accept one sample.
    private mutating func failAtServer(
        _ draft: OutboxBatch,
        _ reason: DeliveryReason,
        at now: MonotonicInstant
    ) -> [DeliveryNotice] {
        switch doubt.fail(draft, reason) {
        case .isRefused: return refuse(draft, reason, at: now)
        case .soon: state.trouble = reason
        case .later: fail(reason, at: now)
        }
        if doubt.isSearching { part() }
        return []
    }

    /// Whether single samples set aside may be tried: the server accepts others, as far as known.
    var mayTryAsides: Bool { state.held == nil && !doubt.isSearching }

    /// Records a request beside the lanes.
    mutating func rest(at now: MonotonicInstant) { state.rest(at: now) }

    private mutating func hold(
        _ reason: DeliveryReason,
        at now: MonotonicInstant
    ) -> [DeliveryNotice] {
        pastRest = nil
        return state.hold(reason, at: now)
    }

    private mutating func resume() -> [DeliveryNotice] {
        pastRest = nil
        return state.resume()
    }

    private mutating func refuse(
        _ draft: OutboxBatch,
        _ reason: DeliveryReason,
        at now: MonotonicInstant
    ) -> [DeliveryNotice] {
        state.trouble = reason
        state.delay.succeed()
        part()
        guard draft.samples.count <= 1 else {
            guard draft.lane == .backlog else {
                beginLane()
                return []
            }
            // The same batch would be refused for ever.
            (suspects, repeated) = (draft.samples.count, nil)
            return []
        }
        if !reason.isServerFault { state.refusals += 1 }
        var notices = draft.refusals([0], reason)
        if draft.lane == .backlog { (suspects, repeated) = (nil, nil) }
        settle(draft.leavingOut(.refused))
        if draft.lane == .backlog, canSearch, !reason.isServerFault { age.refuse(reason, draft) }
        if !hasPast { join() }
        guard state.refusals >= DeliveryState.refusalLimit else { return notices }
        notices += hold(reason, at: now)
        if draft.lane == .backlog, hasLanes, hasPast {
            (pastRest, state.notBefore) = (state.notBefore, now.advanced(by: traits.pace))
        }
        return notices
    }

    /// Settles a draft of which every sample is too old for the receiver.
    ///
    /// None is left out before newer ones are known to be accepted: either clock may be wrong.
    private mutating func refuseAll(
        _ draft: OutboxBatch,
        _ reason: DeliveryReason,
        at now: MonotonicInstant
    ) -> [DeliveryNotice] {
        guard canSearch else { return deliver(draft, refused: .max, reason, at: now) }
        state.trouble = reason
        state.delay.succeed()
        part()
        // Samples of the live lane may wait since the target went away.
        if draft.lane == .live { beginLane() } else { repeated = nil }
        age.begin(reason, draft)
        return age.search == nil ? refuse(draft, reason, at: now) : []
    }

    /// Marks every sample of a draft as delivered or left out.
    private mutating func settle(_ draft: OutboxBatch) {
        for (stream, part) in draft.parts.sorted(by: { $0.key < $1.key }) {
            var mark = marks[stream] ?? StreamCursor()
            totals.delivered += part.sent
            totals.leaveOut(part.leftOut)
            ahead.settle(part, of: stream, in: draft.lane, &mark)
            marks[stream] = mark
        }
        if !hasLanes { ahead = LiveLane() }
    }
}
