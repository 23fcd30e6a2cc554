import Core
import Store

/// Decides which drive a target is sent, when, and what becomes of each sample.
///
/// Pure: a caller brings drives, steps and the time. Drives are sent in the order in which they
/// began, one at a time; a refused drive is left out and the next one is sent. A drive that the
/// receiver fails at while it accepts others is set aside, and tried again by itself. Each step of
/// an upload is repeated until the receiver has accepted it: it knows a file by its content.
package struct DriveMachine: Sendable {
    /// Events that a person should know about.
    package enum Notice: Hashable, Sendable {
        case held(DeliveryReason)
        case resumed
        case refused(name: String, samples: Int, DeliveryReason)
        /// The receiver fails at this drive and accepts others.
        case setAside(name: String, DeliveryReason)
        case expired(samples: Int)
        /// The cursor could not be read: the target begins anew.
        case cursorLost(String)
    }

    /// Next step for the oldest drive whose delivery is undecided.
    package enum Turn: Hashable, Sendable {
        case send(PlannedDrive)
        /// The drive waits until its date is known.
        case waits(PlannedDrive)
        case leaveOut(PlannedDrive, LeftOut)
    }

    /// Refused drives in a row after which a person has to look.
    package static let refusalLimit = 10
    /// Highest number of answers in a row that the receiver still works on a drive: a day.
    package static let patience = 100
    /// Answers and failures in a row after which another drive is tried.
    private static let doubtful = 6

    package internal(set) var mark: DriveCursor
    /// Reason why sending is held until a person acts; nil while it is not held.
    package private(set) var held: DeliveryReason?
    /// The last failure; nil after a success.
    package private(set) var trouble: DeliveryReason?
    /// Work that the receiver still does on an upload; nil when none is known.
    package private(set) var working: DeliveryReason?
    /// Earliest time of the next request.
    package private(set) var notBefore = MonotonicInstant.boot
    private let pace: Duration
    private var delay: RetryDelay
    private var refusals = 0
    private var waits = 0
    /// Place of `mark.settled`; nil until the boot's number was looked up.
    private var settled: OutboxPosition?
    private var doubt = ItemDoubt<OutboxPosition>(patience: doubtful)
    private(set) var asides: ItemAsides<OutboxPosition>

    /// - Parameters:
    ///   - mark: Where it was; a fresh one begins with the oldest drive.
    ///   - seed: For the random part of the back-off.
    package init(_ mark: DriveCursor = DriveCursor(), pace: Duration, seed: UInt64) {
        (self.mark, self.pace) = (mark, pace)
        delay = RetryDelay(seed: seed)
        asides = ItemAsides(seed: seed)
    }

    /// Counts samples of new drives, and samples that the ring has overwritten.
    ///
    /// - Parameters:
    ///   - drives: Drives that are not settled, oldest first.
    ///   - seen: The place up to which they were counted before.
    ///   - settled: The place up to which drives are settled, except those set aside.
    /// - Returns: Events to report.
    package mutating func see(
        _ drives: [PlannedDrive],
        after seen: OutboxPosition?,
        settled: OutboxPosition? = nil
    ) -> [Notice] {
        self.settled = settled ?? self.settled
        let places = Set(drives.map(\.place))
        mark.uploads.removeAll { upload in !places.contains { .init($0) == upload.place } }
        asides.removeAll { !places.contains($0) }
        for drive in drives where settled.map({ drive.place <= $0 }) ?? false {
            asides.resume(drive.place)
        }
        var (left, new) = (0, 0)
        for drive in drives {
            let isSeen = seen.map { drive.place <= $0 } ?? false
            if isSeen { left += samples(of: drive) } else { new += drive.samples }
        }
        let lost = max(mark.waiting - left, 0)
        mark.hasExpired = mark.hasExpired || lost > 0
        mark.leaveOut(.expired, drives: 0, samples: lost)
        mark.waiting = left + new
        if let last = drives.last, seen.map({ $0 < last.place }) ?? true {
            mark.seen = DriveCursor.Place(last.place)
        }
        return lost > 0 ? [.expired(samples: lost)] : []
    }

    /// Chooses the next of the undecided drives.
    func next(of drives: [PlannedDrive]) -> PlannedDrive? {
        let own = drives.filter { !asides.contains($0.place) }
        // No drive overtakes one that waits for its date.
        let ready = own.prefix { $0.dating != .waits || isAtReceiver($0) }
        let place = doubt.next(of: ready.map(\.place), room: asides.room)
        return own.first { $0.place == place } ?? own.first
    }

    /// Whether a drive may go now.
    func isDue(_ drive: PlannedDrive, at now: MonotonicInstant) -> Bool {
        now >= notBefore || doubt.mayHurry(drive.place)
    }

    /// Chooses the next of the drives set aside; none while the receiver may be down.
    func aside(of drives: [PlannedDrive], at now: MonotonicInstant) -> PlannedDrive? {
        guard mayTryAsides, now >= notBefore, let place = asides.first(at: now) else { return nil }
        return drives.first { $0.place == place }
    }

    private var mayTryAsides: Bool { held == nil && !doubt.isSearching }

    /// Earliest time at which a drive may go without another event; nil when none waits for it.
    func nextTurn(after now: MonotonicInstant) -> MonotonicInstant? {
        if now < notBefore { return notBefore }
        return mayTryAsides ? asides.next : nil
    }

    /// Whether a drive is settled: sent or left out.
    func isSettled(_ drive: PlannedDrive) -> Bool {
        let isBehind = settled.map { drive.place <= $0 } ?? false
        return isBehind && mark.upload(of: drive) == nil
    }

    /// Decides the next step for the oldest drive whose delivery is undecided.
    ///
    /// - Parameters:
    ///   - drive: The oldest.
    ///   - ageLimit: Those that ended longer ago are left out.
    ///   - now: Seconds since 1970; nil while the clock is not known.
    /// - Returns: The next step.
    package func turn(of drive: PlannedDrive, ageLimit: Duration?, now: Int?) -> Turn {
        if drive.isPrivate { return .leaveOut(drive, .markedPrivate) }
        let isUnderWay = mark.upload(of: drive) != nil
        // The receiver has the data, so it does not matter if the ring overwrites it.
        if isAtReceiver(drive) { return .send(drive) }
        if drive.samples == 0 || mark.hasExpired && drive.hasOldest {
            return .leaveOut(drive, mark.hasExpired ? .expired : .noValue)
        }
        switch drive.dating {
        case .waits: return .waits(drive)
        case .never: return .leaveOut(drive, .timeUnknown)
        case .known: break
        }
        if let ageLimit, let now, let ended = drive.dates?.to, !isUnderWay,
            .seconds(Int64(now) - ended.tenths / 10) > ageLimit
        {
            return .leaveOut(drive, .tooOld)
        }
        return .send(drive)
    }

    /// Whether the receiver has the log of a drive, even if it still works on it.
    package func isAtReceiver(_ drive: PlannedDrive) -> Bool {
        mark.upload(of: drive)?.upload.importID != nil
    }

    /// Settles a drive without sending it.
    package mutating func leaveOut(_ drive: PlannedDrive, _ reason: LeftOut) {
        settle(drive) { mark, samples in
            // A survey without a counter is no drive.
            let isDrive = samples > 0 || reason == .expired
            mark.leaveOut(reason, drives: isDrive ? 1 : 0, samples: samples)
        }
    }

    /// Starts the upload of a drive that has dates, or goes on with it after a restart.
    ///
    /// - Returns: The upload, and whether it is new: then the mark has to be kept before it begins.
    package mutating func begin(
        _ drive: PlannedDrive,
        _ dates: DriveDates
    ) -> (current: DriveCursor.Current, isNew: Bool) {
        if let current = mark.upload(of: drive) { return (current, false) }
        let place = DriveCursor.Place(drive.place)
        let current = DriveCursor.Current(place, samples: drive.samples, dates)
        mark.uploads.append(current)
        waits = 0
        return (current, true)
    }

    /// Records the result of a step.
    ///
    /// - Parameters:
    ///   - lines: Samples that have a line in its log.
    /// - Returns: Events to report.
    package mutating func finish(
        _ step: DriveStep,
        of drive: PlannedDrive,
        lines: Int,
        at now: MonotonicInstant
    ) -> [Notice] {
        if asides.contains(drive.place) {
            return finishAside(step, of: drive, lines: lines, at: now)
        }
        notBefore = now.advanced(by: pace)
        switch step {
        case .moved(let upload):
            setAside(doubt.succeed(drive.place), at: now)
            advance(drive, to: upload)
            working = nil
            return succeed()
        case .waits(let reason):
            if working?.code != reason.code { waits = 0 }
            waits += 1
            let notices = succeed()
            working = reason
            if waits >= Self.doubtful { doubt.fail(drive.place, reason, isSure: true) }
            // Wait as after failures: 5 s first, then up to a quarter of an hour.
            for _ in 0..<min(waits - 1, 8) { _ = delay.fail() }
            notBefore = now.advanced(by: delay.fail())
            return waits < Self.patience ? notices : notices + hold(reason, at: now)
        case .ended(.delivered):
            setAside(doubt.succeed(drive.place), at: now)
            deliver(drive, lines: lines)
            return succeed()
        case .ended(.later(let reason, let seconds)):
            suspect(drive, reason)
            fail(reason, at: now, after: seconds)
        case .ended(.unknown(let reason)), .ended(.foreign(let reason)):
            suspect(drive, reason)
            fail(reason, at: now, after: nil)
        case .ended(.hold(let reason)):
            doubt.interrupt(reason)
            return hold(reason, at: now)
        case .ended(.refused(let reason)), .ended(.partly(_, let reason)):
            setAside(doubt.succeed(drive.place), at: now)
            return refuse(drive, reason, at: now)
        }
        return []
    }

    /// Ends the waiting, after a new route, a repaired secret or `roost outbox flush`.
    package mutating func wake(at now: MonotonicInstant, within time: Duration = .zero) {
        let soon = now.advanced(by: time > .zero ? delay.spread(time) : .zero)
        notBefore = min(notBefore, soon)
        asides.wake(at: now)
    }

    private mutating func advance(_ drive: PlannedDrive, to upload: DriveUpload) {
        let place = DriveCursor.Place(drive.place)
        guard let index = mark.uploads.firstIndex(where: { $0.place == place }) else { return }
        assert(mark.uploads[index].upload != upload, "a step that changes nothing waits")
        mark.uploads[index].upload = upload
    }

    private mutating func deliver(_ drive: PlannedDrive, lines: Int) {
        settle(drive) { mark, samples in
            mark.delivered.files += 1
            mark.delivered.samples += min(lines, samples)
            mark.waiting -= min(lines, samples)
            mark.leaveOut(.noValue, drives: 0, samples: samples - min(lines, samples))
        }
        refusals = 0
    }

    private mutating func suspect(_ drive: PlannedDrive, _ reason: DeliveryReason) {
        reason.mayBeOfItem ? doubt.fail(drive.place, reason) : doubt.interrupt(reason)
    }

    /// Sets drives aside, after the receiver accepted others.
    private mutating func setAside(_ places: [OutboxPosition], at now: MonotonicInstant) {
        for place in places { asides.add(place, trouble ?? working, at: now) }
    }

    private mutating func finishAside(
        _ step: DriveStep,
        of drive: PlannedDrive,
        lines: Int,
        at now: MonotonicInstant
    ) -> [Notice] {
        notBefore = max(notBefore, now.advanced(by: pace))
        switch step {
        case .moved(let upload):
            advance(drive, to: upload)
            asides.advance(drive.place, at: now)
            return []
        case .ended(.delivered):
            deliver(drive, lines: lines)
            return succeed()
        case .ended(.refused(let reason)), .ended(.partly(_, let reason)):
            let notice = Notice.refused(name: drive.name, samples: samples(of: drive), reason)
            leaveOut(drive, .refused)
            return [notice]
        case .ended(.later(let reason, let seconds)):
            return failAside(drive, reason, after: seconds, at: now)
        case .waits(let reason), .ended(.unknown(let reason)), .ended(.foreign(let reason)),
            .ended(.hold(let reason)):
            return failAside(drive, reason, after: nil, at: now)
        }
    }

    private mutating func failAside(
        _ drive: PlannedDrive,
        _ reason: DeliveryReason,
        after seconds: Int?,
        at now: MonotonicInstant
    ) -> [Notice] {
        let isNew = asides.fail(drive.place, reason, after: seconds, at: now)
        return isNew ? [.setAside(name: drive.name, reason)] : []
    }

    /// Counts the samples of a drive; once it is uploaded, those that it had when the upload began.
    private func samples(of drive: PlannedDrive) -> Int {
        isAtReceiver(drive) ? mark.upload(of: drive)?.samples ?? drive.samples : drive.samples
    }

    private mutating func settle(
        _ drive: PlannedDrive,
        _ change: (inout DriveCursor, _ samples: Int) -> Void
    ) {
        change(&mark, samples(of: drive))
        let place = DriveCursor.Place(drive.place)
        mark.uploads.removeAll { $0.place == place }
        asides.remove(drive.place)
        guard settled.map({ $0 < drive.place }) ?? true else { return }
        (settled, mark.settled) = (drive.place, place)
        mark.hasExpired = mark.hasExpired && drive.samples == 0
        working = nil
    }

    private mutating func succeed() -> [Notice] {
        delay.succeed()
        trouble = nil
        defer { held = nil }
        return held == nil ? [] : [.resumed]
    }

    private mutating func fail(_ reason: DeliveryReason, at now: MonotonicInstant, after: Int?) {
        trouble = reason
        notBefore = now.advanced(by: delay.fail(reason, afterSeconds: after))
    }

    private mutating func hold(_ reason: DeliveryReason, at now: MonotonicInstant) -> [Notice] {
        let isNew = held == nil
        (held, trouble) = (reason, reason)
        notBefore = now.advanced(by: delay.spread(RetryDelay.probe))
        return isNew ? [.held(reason)] : []
    }

    private mutating func refuse(
        _ drive: PlannedDrive,
        _ reason: DeliveryReason,
        at now: MonotonicInstant
    ) -> [Notice] {
        trouble = reason
        let notice = Notice.refused(name: drive.name, samples: samples(of: drive), reason)
        leaveOut(drive, .refused)
        refusals += 1
        guard refusals >= Self.refusalLimit else { return [notice] }
        return [notice] + hold(reason, at: now)
    }
}
