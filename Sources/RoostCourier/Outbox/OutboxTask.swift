import ControlProtocol
import Core
import Runtime

/// Sends one target the recorded samples, as `OutboxMachine` decides.
actor OutboxTask: DeliveryTask {
    package typealias World = OutboxDependencies
    package typealias Standing = OutboxStanding

    /// Time between two comparisons of a backlog with the ring.
    private static let expiryCheck: Duration = .seconds(600)
    /// A delivery takes ten minutes at most; between two turns it sleeps half of this.
    private static let promise: Duration = .seconds(900)
    /// How long `retry` goes on; a request under way may end later.
    private static let retryTime: Duration = .seconds(30)

    /// Id of the target, from the configuration.
    nonisolated let id: String
    let target: any SampleTarget
    private let world: World
    private let loop: DeliveryLoop
    private let startsWithBacklog: Bool
    private var machine: OutboxMachine
    private var delivery = DeliveryStanding()
    private var lastExpiryCheck: MonotonicInstant?
    private var waitsForClock = false
    private var isReady = false
    /// Count of the source's changes at the last look.
    private var changes: UInt64 = 0
    private let wakeUp = Signal()
    /// Lets only one task at a time decide what became of samples.
    private let turns: TaskLock
    private var refused = OutboxRefusals()
    private var oldest: WallTime?

    /// Makes a task that has not begun.
    ///
    /// - Parameters:
    ///   - id: The target's, from the configuration.
    ///   - startsWithBacklog: Whether a target without a cursor gets what was recorded before it.
    ///   - seed: For the random part of the back-off.
    init(
        id: String,
        _ target: any SampleTarget,
        startsWithBacklog: Bool,
        seed: UInt64,
        in world: World,
        heartbeat: Heartbeat
    ) {
        (self.id, self.target, self.world) = (id, target, world)
        self.startsWithBacklog = startsWithBacklog
        loop = DeliveryLoop(heartbeat: heartbeat, clock: world.clock, promise: Self.promise)
        machine = OutboxMachine(target.traits, seed: seed)
        turns = TaskLock(world.clock)
    }

    var standing: Standing {
        let next = machine.pastRest ?? machine.state.notBefore
        var delivery = delivery
        delivery.apply(machine.state)
        delivery.isWaiting = machine.waiting > 0
        delivery.nextTry = machine.waiting > 0 && next > world.clock.now ? next : nil
        delivery.waitsFor = target.waitsFor
        delivery.refusals = refused.present(target.refusedChannels)
        return Standing(
            waiting: machine.waiting,
            totals: machine.totals,
            waitsForClock: waitsForClock,
            oldest: machine.waiting > 0 ? oldest : nil,
            delivery: delivery
        )
    }

    func fill(_ report: inout OutboxReport) {
        standing.fill(&report, at: world.clock.now)
        report.isProvable = isProvable
    }

    func run() async throws {
        try await loop.run(turn, rest: rest) { delivery.sourceTrouble = $0 }
    }

    private func turn() async throws -> MonotonicInstant? {
        try await begin()
        let (hasSent, deadline): (Bool, MonotonicInstant?) = try await turns.run {
            try await look()
            if try await sendAside() { return (true, nil) }
            switch machine.decide(at: world.clock.now) {
            case .wait(let until): return (false, until)
            case .send(let lane, let limit): return try await send(lane, limit: limit)
            case .probe(let moment, let stream):
                try await probe(after: moment, of: stream)
                return (true, nil)
            }
        }
        guard !hasSent else { return nil }
        let limit = world.clock.now.advanced(by: Self.promise / 2)
        return min(deadline ?? limit, nextAside ?? limit, limit)
    }

    private func rest(until next: MonotonicInstant) async throws {
        changes = try await world.change(since: changes, until: next, unless: wakeUp) ?? changes
    }

    /// Ends the waiting, after a new route or a repaired secret.
    func wake(within time: Duration = .zero) {
        machine.wake(at: world.clock.now, within: time)
        wakeUp.raise()
    }

    /// Whether no recorded sample waits.
    var isDone: Bool {
        get async {
            do { try await see() } catch { return false }
            return isReady && machine.waiting == 0
        }
    }

    /// Switches the mode in which samples do not wait for further ones.
    func flush(_ isOn: Bool) {
        machine.flush(isOn, at: world.clock.now)
        wakeUp.raise()
    }

    private func begin() async throws {
        guard !isReady else { return }
        let (found, lost) = try await world.cursor(of: id)
        // What may never go twice may have been sent, unless the cursor is of another kind.
        let isOnce = target.traits.repetition == .atMostOnce
        let isFromNow = !startsWithBacklog || lost.map { isOnce && !$0.isOfOtherKind } ?? false
        let ageLimit = target.traits.ageLimit
        let new = found == nil ? try await world.newCursor(isFromNow, ageLimit) : nil
        // A question may have begun it meanwhile, and samples may have been sent since.
        guard !isReady else { return }
        if let cursor = found ?? new {
            (machine.marks, machine.totals) = (cursor.marks, cursor.totals)
            refused = OutboxRefusals(cursor.asides, at: world.clock.now)
        }
        isReady = true
        if let lost {
            delivery.cursorLost = "\(lost)"
            world.tell(id, .cursorLost("\(lost)"))
        }
        // Keep the start at once: it is decided only once, even before the first sample.
        if found == nil { try await keep(machine) }
    }

    /// Counts newly recorded samples.
    ///
    /// - Throws: Errors of reading the store.
    func see() async throws {
        guard isReady else { return }
        for stream in try await world.source.streams() {
            let seen = machine.marks[stream]?.seen
            let (count, newest) = try await world.source.count(of: stream, after: seen)
            // Another look may have counted them meanwhile.
            guard count > 0, let newest, machine.marks[stream]?.seen == seen else { continue }
            machine.see(count, upTo: newest, of: stream)
        }
    }

    /// Counts newly recorded samples, and samples that the ring has overwritten.
    private func look() async throws {
        try await see()
        let now = world.clock.now
        let isDue = lastExpiryCheck.map { $0.duration(to: now) >= Self.expiryCheck } ?? true
        guard isDue, machine.waiting > 0 else { return }
        lastExpiryCheck = now
        try await expire()
    }

    private func expire() async throws {
        let before = machine.totals
        for (stream, mark) in machine.marks.sorted(by: { $0.key < $1.key }) {
            let left = try await world.left(of: stream, mark)
            // Another look may have counted more meanwhile.
            guard machine.marks[stream] == mark else { continue }
            report(machine.expire(stream, left: left))
        }
        if machine.totals != before { try await keep(machine) }
    }

    /// Reads one batch from the store and sends it.
    ///
    /// - Returns: Whether a sample was settled or tried, and otherwise when to look again.
    private func send(
        _ lane: OutboxBatch.Lane,
        limit: Int
    ) async throws -> (hasSent: Bool, next: MonotonicInstant?) {
        var draft = OutboxBatch(lane)
        let target = target
        var isHeld = false
        for stream in machine.streams(lane) where draft.samples.count < limit {
            guard let mark = machine.marks[stream] else { continue }
            let start = machine.start(lane, of: stream)
            let found = try await world.source.page(of: stream, after: start, limit: limit)
            guard var page = found else { continue }
            isHeld = page.holdUnsure(target.traits, world.dates) || isHeld
            draft.add(page, after: mark, limit: limit, dating: target.traits.dating) {
                leavesOut($0, of: page) ?? (lane == .backlog ? machine.leavesOut($0) : nil)
            }
        }
        waitsForClock = draft.waitsForClock || isHeld
        if isHeld { machine.part() }
        if lane == .backlog { oldest = draft.samples.first?.time }
        guard !draft.isEmpty, lane == .backlog || mayGoAhead(draft) else {
            // The waiting samples are gone, or not dated yet.
            if lane == .backlog, !waitsForClock { try await expire() }
            let next = machine.foundNothing(in: lane)
            return (lane == .live, next)
        }
        guard !draft.samples.isEmpty else {
            report(machine.leaveOut(draft))
            try await keep(machine)
            return (true, nil)
        }
        let isLate = lane == .backlog && machine.hasLanes
        let batch = SampleBatch(draft.samples, id: draft.id(of: id), isLate: isLate)
        var outcome = try await keepAhead(of: draft)
        if outcome == .delivered { outcome = try await target.deliver(batch, over: world.network) }
        for notice in refused.see(target.refusedChannels) { world.tell(id, notice) }
        if outcome == .delivered { delivery.lastDelivery = world.clock.now }
        report(machine.finish(draft, outcome, at: world.clock.now))
        try await keep(machine)
        return (true, nil)
    }

    private func leavesOut(_ sample: OutboxSample, of page: OutboxPage) -> LeftOut? {
        if sample.isPrivate { return .markedPrivate }
        if let limit = target.traits.ageLimit, page.isOld(sample, limit, world.dates) {
            return .tooOld
        }
        return target.reason(leavingOut: sample)
    }

    /// Sends one sample to see whether the target accepts it; the sample still waits.
    private func probe(after moment: WallTime, of stream: StreamID?) async throws {
        let marks = machine.marks.filter { stream == nil || $0.key == stream }
        let source = world.source
        let found = try await OutboxProbe.first(after: moment, in: source, marks, leavesOut)
        guard let found, !found.isDelivered else {
            return report(machine.finishProbe(found?.time, nil, at: world.clock.now))
        }
        let outcome = try await target.deliver(found.batch(of: id), over: world.network)
        report(machine.finishProbe(found.time, outcome, at: world.clock.now))
    }

    private func keep(_ machine: OutboxMachine) async throws {
        var cursor = OutboxCursor(marks: machine.marks, totals: machine.totals)
        // With at most once, asides are not kept: another process must not send them again.
        if target.traits.repetition != .atMostOnce { cursor.asides = refused.asides }
        await world.cursors.keep(try cursor.encode(), of: id)
    }

    /// Records samples that must never be sent twice as delivered before they are sent.
    ///
    /// So no crash and no loss of power repeats them.
    ///
    /// - Returns: `delivered` when it may be sent; else why not yet.
    private func keepAhead(of draft: OutboxBatch) async throws -> DeliveryOutcome {
        guard target.traits.repetition == .atMostOnce else { return .delivered }
        let cursor = cursor(after: draft)
        guard cursor.keepsRanges(in: OutboxCursor.byteLimit) else {
            let words = "\(CursorError.tooManyStreams(cursor.marks.count))"
            return .later(DeliveryReason("not-kept", words))
        }
        let oldest = draft.isOfPresentBoot ? draft.samples.map(\.tick).min() : nil
        let bytes = try cursor.encode()
        let why = try await world.cursors.makeDurable(bytes, of: id, before: oldest)
        return why.map { .later(DeliveryReason("not-kept", $0)) } ?? .delivered
    }

    /// Returns the cursor as it is once a draft that is never sent twice is settled.
    private func cursor(after draft: OutboxBatch) -> OutboxCursor {
        var ahead = machine
        _ = ahead.finish(draft, .unknown(DeliveryReason("sent", "")), at: world.clock.now)
        return OutboxCursor(marks: ahead.marks, totals: ahead.totals)
    }

    /// Whether a draft may go ahead: if it must not go twice, the cursor needs room for it.
    private func mayGoAhead(_ draft: OutboxBatch) -> Bool {
        target.traits.repetition != .atMostOnce || cursor(after: draft).hasRoomAhead
    }

    /// Returns the present state for questions.
    ///
    /// - Throws: Errors of reading the store.
    func snapshot() async throws -> OutboxSnapshot {
        try await begin()
        try await see()
        return OutboxSnapshot(
            id: id,
            marks: machine.marks,
            totals: machine.totals,
            refused: refused.samples,
            target: (target as? TunedTarget)?.target ?? target,
            source: world.source,
            network: world.network
        )
    }

    /// Sends again the samples refused since this task began, after their cause was repaired.
    ///
    /// It ends at the first request without an answer, and after half a minute.
    ///
    /// - Returns: How many samples were taken, how many still are refused, and why it ended early.
    /// - Throws: Errors of reading the store; `CancellationError`.
    func retry() async throws -> (taken: Int, left: Int, why: String?) {
        let end = world.clock.now.advanced(by: Self.retryTime)
        var taken = 0
        target.forgetRefusals()
        for entry in refused.samples {
            guard world.clock.now < end else { break }
            // New samples are sent between two of them.
            switch try await turns.run({ try await sendAgain(entry) }) {
            case .delivered: taken += 1
            case nil, .refused, .partly: continue
            case .later(let reason, _), .hold(let reason), .foreign(let reason),
                .unknown(let reason):
                return (taken, refused.samples.count, reason.words)
            }
        }
        return (taken, refused.samples.count, nil)
    }

    /// - Returns: The outcome for a refused sample; nil when it is no longer there.
    private func sendAgain(_ entry: RefusedSample) async throws -> DeliveryOutcome? {
        guard let (sample, page) = try await world.sample(entry),
            leavesOut(sample, of: page) == nil
        else { return nil }
        refused.name(entry, sample)
        let id = BatchID.digest(Array("\(id) \(entry.stream.rawValue) \(entry.place)".utf8))
        let batch = SampleBatch([sample], id: id, isLate: true)
        let outcome = try await target.deliver(batch, over: world.network)
        var isOver = outcome == .delivered
        if case .unknown = outcome { isOver = target.traits.repetition == .atMostOnce }
        if isOver { refused.remove(entry) }
        guard outcome == .delivered else { return outcome }
        machine.totals.deliverAfterAll(1, of: .refused)
        try await keep(machine)
        return outcome
    }

    /// Time when the next single sample is tried again; nil without one, or while held.
    private var nextAside: MonotonicInstant? {
        guard machine.mayTryAsides else { return nil }
        return refused.next.map { max($0, machine.state.notBefore) }
    }

    /// Tries the next of the single samples that the server failed at.
    ///
    /// - Returns: Whether one was due.
    private func sendAside() async throws -> Bool {
        let now = world.clock.now
        guard let nextAside, nextAside <= now, let entry = refused.first(at: now) else {
            return false
        }
        let outcome = try await sendAgain(entry)
        machine.rest(at: world.clock.now)
        if outcome == .delivered { delivery.lastDelivery = world.clock.now }
        refused.settle(entry, outcome, at: world.clock.now)
        try await keep(machine)
        return true
    }

    /// Leaves out waiting samples before a moment, which the owner does not want delivered.
    ///
    /// - Returns: How many samples.
    /// - Throws: Errors of reading the store.
    func drop(before moment: WallTime) async throws -> Int {
        try await begin()
        return try await turns.run { try await leaveOut(before: moment) }
    }

    private func leaveOut(before moment: WallTime) async throws -> Int {
        try await see()
        var count = 0
        for stream in machine.streams(.backlog) {
            while let mark = machine.marks[stream],
                let (draft, isLast) = try await world.past(of: stream, mark, before: moment)
            {
                machine.leaveOut(draft)
                count += draft.parts.values.reduce(0) { $0 + ($1.leftOut[.dropped] ?? 0) }
                if isLast { break }
            }
        }
        oldest = nil
        try await keep(machine)
        return count
    }

    private func report(_ notices: [DeliveryNotice]) {
        for notice in notices {
            world.tell(id, notice)
            refused.add(notice, at: world.clock.now)
        }
    }
}
