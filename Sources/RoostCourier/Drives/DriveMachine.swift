import Core
import Store

/// Decides which drive a target is sent, when, and what becomes of each sample.
///
/// Pure: a caller brings drives, steps and the time. Drives are sent in the order in which they
/// began, one at a time; a refused drive is left out and the next one is sent. A drive that the
/// receiver fails at while it accepts others is set aside, and tried again by itself. Each step of
/// an upload is repeated until the receiver has accepted it: it knows a file by its content.
struct DriveMachine: Sendable {
    /// Next step for the oldest drive whose delivery is undecided.
    enum Turn: Hashable, Sendable {
        case send(PlannedDrive)
        /// The drive waits until its date is known.
        case waits(PlannedDrive)
        case leaveOut(PlannedDrive, LeftOut)
    }

    /// Highest number of answers in a row that the receiver still works on a drive: a day.
    static let patience = 100
    /// Answers and failures in a row after which another drive is tried.
    private static let doubtful = 6

    var mark: DriveCursor
    var delivery: ItemDelivery<OutboxPosition>
    private var waits = 0
    /// Place of `mark.settled`; nil until the boot's number was looked up.
    private var settled: OutboxPosition?

    /// - Parameters:
    ///   - mark: Where it was; a fresh one begins with the oldest drive.
    ///   - seed: For the random part of the back-off.
    init(_ mark: DriveCursor = DriveCursor(), pace: Duration, seed: UInt64) {
        self.mark = mark
        delivery = ItemDelivery(pace: pace, patience: Self.doubtful, seed: seed)
    }

    /// Counts samples of new drives, and samples that the ring has overwritten.
    ///
    /// - Parameters:
    ///   - drives: Drives that are not settled, oldest first.
    ///   - seen: The place up to which they were counted before.
    ///   - settled: The place up to which drives are settled, except those set aside.
    /// - Returns: Events to report.
    mutating func see(
        _ drives: [PlannedDrive],
        after seen: OutboxPosition?,
        settled: OutboxPosition? = nil
    ) -> [DeliveryNotice] {
        self.settled = settled ?? self.settled
        let places = Set(drives.map(\.place))
        mark.uploads.removeAll { upload in !places.contains { .init($0) == upload.place } }
        delivery.asides.removeAll { !places.contains($0) }
        for drive in drives where settled.map({ drive.place <= $0 }) ?? false {
            delivery.asides.resume(drive.place)
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
        return lost > 0 ? [.expired(.named("drives"), samples: lost)] : []
    }

    /// Chooses the next of the undecided drives.
    func next(of drives: [PlannedDrive]) -> PlannedDrive? {
        let own = drives.filter { !delivery.asides.contains($0.place) }
        // No drive overtakes one that waits for its date.
        let ready = own.prefix { $0.dating != .waits || isAtReceiver($0) }
        let place = delivery.doubt.next(of: ready.map(\.place), room: delivery.asides.room)
        return own.first { $0.place == place } ?? own.first
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
    func turn(of drive: PlannedDrive, ageLimit: Duration?, now: Int?) -> Turn {
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
    func isAtReceiver(_ drive: PlannedDrive) -> Bool {
        mark.upload(of: drive)?.upload.importID != nil
    }

    /// Settles a drive without sending it.
    mutating func leaveOut(_ drive: PlannedDrive, _ reason: LeftOut) {
        settle(drive) { mark, samples in
            // A survey without a counter is no drive.
            let isDrive = samples > 0 || reason == .expired
            mark.leaveOut(reason, drives: isDrive ? 1 : 0, samples: samples)
        }
    }

    /// Starts the upload of a drive that has dates, or goes on with it after a restart.
    ///
    /// - Returns: The upload, and whether it is new: then the mark has to be kept before it begins.
    mutating func begin(
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
    mutating func finish(
        _ step: DriveStep,
        of drive: PlannedDrive,
        lines: Int,
        at now: MonotonicInstant
    ) -> [DeliveryNotice] {
        let place = drive.place
        switch step {
        case .moved(let upload):
            delivery.rest(place, at: now)
            advance(drive, to: upload)
            guard !delivery.asides.contains(place) else {
                delivery.asides.advance(place, at: now)
                return []
            }
            delivery.accept(place, at: now)
            delivery.working = nil
            return delivery.state.succeed()
        case .waits(let reason):
            delivery.rest(place, at: now)
            guard !delivery.asides.contains(place) else {
                return delivery.fail(place, reason, named: drive.name, at: now)
            }
            return wait(for: drive, reason, at: now)
        case .ended(let outcome):
            let name = (drive.name, samples(of: drive))
            let (fate, notices) = delivery.finish(place, outcome, named: name, at: now)
            switch fate {
            case .delivered: deliver(drive, lines: lines)
            case .refused: leaveOut(drive, .refused)
            case .waits: break
            }
            return notices
        }
    }

    /// Records that the receiver still works on a drive.
    private mutating func wait(
        for drive: PlannedDrive,
        _ reason: DeliveryReason,
        at now: MonotonicInstant
    ) -> [DeliveryNotice] {
        if delivery.working?.code != reason.code { waits = 0 }
        waits += 1
        let notices = delivery.state.succeed()
        delivery.working = reason
        if waits >= Self.doubtful { delivery.doubt.fail(drive.place, reason, isSure: true) }
        // Wait as after failures: 5 s first, then up to a quarter of an hour.
        for _ in 0..<min(waits - 1, 8) { _ = delivery.state.delay.fail() }
        delivery.state.notBefore = now.advanced(by: delivery.state.delay.fail())
        return waits < Self.patience ? notices : notices + delivery.state.hold(reason, at: now)
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
        delivery.asides.remove(drive.place)
        guard settled.map({ $0 < drive.place }) ?? true else { return }
        (settled, mark.settled) = (drive.place, place)
        mark.hasExpired = mark.hasExpired && drive.samples == 0
        delivery.working = nil
    }
}
