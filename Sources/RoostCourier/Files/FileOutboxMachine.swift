import Core

/// Decides what a target of files is sent, when, and what becomes of each sample.
///
/// Pure: a caller brings files, answers and the time. Files are sent in the order in which their
/// times end, shorter ones first, one at a time. A refused file is left out and the next one is
/// sent; a file that may have arrived is sent again under the same name. A file that the receiver
/// fails at while it accepts others is set aside, and tried again by itself.
package struct FileOutboxMachine: Sendable {
    /// Events that a person should know about.
    package enum Notice: Hashable, Sendable {
        case held(DeliveryReason)
        case resumed
        /// The file is not sent again; a file of the same name at the receiver stays.
        case refused(PlannedFile, samples: Int, DeliveryReason)
        /// The receiver fails at this file and accepts others.
        case setAside(PlannedFile, DeliveryReason)
        case expired(FilePeriod, samples: Int)
        case drained(files: Int)
        /// The cursor could not be read: the target begins anew.
        case cursorLost(String)
    }

    /// Refused files in a row after which a person has to look.
    package static let refusalLimit = 10
    /// Files sent in a row, without a pause of hours, that count as a backlog worth a notice.
    private static let drainWorth = 10
    /// Failures of one file after which another is tried: a busy store fails some times.
    private static let patience = 6

    package internal(set) var marks: [FilePeriod: FilePeriodCursor]
    /// Reason why sending is held until a person acts; nil while it is not held.
    package private(set) var held: DeliveryReason?
    /// The last failure; nil after a success.
    package private(set) var trouble: DeliveryReason?
    /// Earliest time of the next request.
    package private(set) var notBefore = MonotonicInstant.boot
    /// Shortest time between two files.
    private let pace: Duration
    private var delay: RetryDelay
    private var refusals = 0
    /// Files sent since nothing waited.
    private var run = 0
    private(set) var doubt = ItemDoubt<PlannedFile.Place>(patience: patience)
    private(set) var asides: ItemAsides<PlannedFile.Place>

    package init(marks: [FilePeriod: FilePeriodCursor] = [:], pace: Duration, seed: UInt64) {
        (self.marks, self.pace) = (marks, pace)
        delay = RetryDelay(seed: seed)
        asides = ItemAsides(seed: seed)
    }

    /// Goes on with files that an earlier process set aside.
    mutating func resumeAsides() {
        for (period, mark) in marks {
            for from in mark.asides { asides.resume(.init(period: period, from: from)) }
        }
    }

    /// Counts newly recorded samples, and samples that the ring has overwritten.
    ///
    /// - Parameters:
    ///   - time: Start of the readable samples, and the time up to which they are counted now.
    ///   - left: Samples that can still be read from `settled` to `seen`, and of files aside.
    ///   - new: Samples from `seen` to the end.
    /// - Returns: Events to report.
    package mutating func see(
        _ period: FilePeriod,
        in time: (oldest: Int, end: Int),
        left: Int,
        new: Int
    ) -> [Notice] {
        guard var mark = marks[period] else { return [] }
        // Nothing is lost while all of the time can be read: a clock that was set again may have
        // moved a sample into another window.
        let lost = time.oldest > mark.open ? max(mark.waiting - left, 0) : 0
        mark.hasExpired = mark.hasExpired || lost > 0 && time.oldest > mark.settled
        mark.leaveOut(.expired, files: 0, samples: lost)
        mark.waiting = left + new
        mark.seen = max(mark.seen, time.end)
        marks[period] = mark
        return lost > 0 ? [.expired(period, samples: lost)] : []
    }

    /// Chooses the next of the files.
    package func first(of files: [PlannedFile]) -> PlannedFile? {
        let files = files.sorted { left, right in
            (left.range.upperBound, left.period.seconds)
                < (right.range.upperBound, right.period.seconds)
        }
        let place = doubt.next(of: files.map(\.place), room: asides.room)
        return files.first { $0.place == place }
    }

    /// Whether a file may go now.
    func isDue(_ file: PlannedFile, at now: MonotonicInstant) -> Bool {
        now >= notBefore || doubt.mayHurry(file.place)
    }

    /// Chooses the next of the files set aside; none while the receiver may be down.
    func aside(at now: MonotonicInstant) -> PlannedFile.Place? {
        mayTryAsides && now >= notBefore ? asides.first(at: now) : nil
    }

    private var mayTryAsides: Bool { held == nil && !doubt.isSearching }

    /// Earliest time at which a file may go without another event; nil when none waits for it.
    func nextTurn(after now: MonotonicInstant) -> MonotonicInstant? {
        if now < notBefore { return notBefore }
        return mayTryAsides ? asides.next : nil
    }

    /// Leaves out a file set aside whose beginning or samples were overwritten.
    mutating func expire(_ place: PlannedFile.Place, samples: Int) -> [Notice] {
        marks[place.period]?.asides.removeAll { $0 == place.from }
        asides.remove(place)
        // A file that no later one has overtaken is counted with all others that are overwritten.
        guard let settled = marks[place.period]?.settled, place.from < settled else { return [] }
        marks[place.period]?.leaveOut(.expired, files: 1, samples: samples)
        return [.expired(place.period, samples: samples)]
    }

    /// Records that nothing can be sent now.
    package mutating func foundNothing() -> [Notice] {
        defer { run = 0 }
        return run >= Self.drainWorth ? [.drained(files: run)] : []
    }

    /// Records the result of sending a file.
    ///
    /// - Parameters:
    ///   - samples: Samples in its time; `skipped`: samples since the last file that have none.
    ///   - outcome: The outcome; nil leaves the file out as too old.
    /// - Returns: Events to report.
    package mutating func finish(
        _ file: PlannedFile,
        samples: (own: Int, skipped: Int),
        _ outcome: DeliveryOutcome?,
        at now: MonotonicInstant
    ) -> [Notice] {
        guard let outcome else {
            setAside(doubt.succeed(file.place), at: now)
            settle(file, samples) { $0.leaveOut(.tooOld, files: 1, samples: samples.own) }
            return []
        }
        if asides.contains(file.place) { return finishAside(file, samples, outcome, at: now) }
        notBefore = now.advanced(by: pace)
        switch outcome {
        case .delivered:
            setAside(doubt.succeed(file.place), at: now)
            deliver(file, samples)
            return succeed()
        case .later(let reason, let seconds):
            suspect(file, reason)
            fail(reason, at: now, after: seconds)
        case .unknown(let reason), .foreign(let reason):
            suspect(file, reason)
            fail(reason, at: now, after: nil)
        case .hold(let reason):
            doubt.interrupt(reason)
            return hold(reason, at: now)
        case .refused(let reason), .partly(_, let reason):
            setAside(doubt.succeed(file.place), at: now)
            return refuse(file, samples, reason, at: now)
        }
        return []
    }

    /// Ends the waiting, after a new route, a repaired secret or `roost outbox flush`.
    package mutating func wake(at now: MonotonicInstant, within time: Duration = .zero) {
        let soon = now.advanced(by: time > .zero ? delay.spread(time) : .zero)
        notBefore = min(notBefore, soon)
        asides.wake(at: now)
    }

    private mutating func deliver(_ file: PlannedFile, _ samples: (own: Int, skipped: Int)) {
        settle(file, samples) { mark in
            mark.delivered.files += 1
            mark.delivered.samples += samples.own
            mark.waiting -= samples.own
        }
    }

    private mutating func suspect(_ file: PlannedFile, _ reason: DeliveryReason) {
        reason.mayBeOfItem ? doubt.fail(file.place, reason) : doubt.interrupt(reason)
    }

    /// Sets files aside, after the receiver accepted others.
    private mutating func setAside(_ places: [PlannedFile.Place], at now: MonotonicInstant) {
        for place in places {
            asides.add(place, trouble, at: now)
            marks[place.period]?.asides.append(place.from)
            marks[place.period]?.asides.sort()
        }
    }

    private mutating func finishAside(
        _ file: PlannedFile,
        _ samples: (own: Int, skipped: Int),
        _ outcome: DeliveryOutcome,
        at now: MonotonicInstant
    ) -> [Notice] {
        notBefore = max(notBefore, now.advanced(by: pace))
        switch outcome {
        case .delivered:
            deliver(file, samples)
            return succeed()
        case .refused(let reason), .partly(_, let reason):
            settle(file, samples) { $0.leaveOut(.refused, files: 1, samples: samples.own) }
            return [.refused(file, samples: samples.own, reason)]
        case .later(let reason, let seconds):
            return failAside(file, reason, after: seconds, at: now)
        case .unknown(let reason), .foreign(let reason), .hold(let reason):
            return failAside(file, reason, after: nil, at: now)
        }
    }

    private mutating func failAside(
        _ file: PlannedFile,
        _ reason: DeliveryReason,
        after seconds: Int?,
        at now: MonotonicInstant
    ) -> [Notice] {
        let isNew = asides.fail(file.place, reason, after: seconds, at: now)
        return isNew ? [.setAside(file, reason)] : []
    }

    private mutating func settle(
        _ file: PlannedFile,
        _ samples: (own: Int, skipped: Int),
        _ change: (inout FilePeriodCursor) -> Void
    ) {
        guard var mark = marks[file.period] else { return }
        defer { marks[file.period] = mark }
        asides.remove(file.place)
        mark.asides.removeAll { $0 == file.range.lowerBound }
        guard file.range.lowerBound >= mark.settled else { return change(&mark) }
        // The samples gave no row, or the beginning of their file was overwritten.
        let reason = mark.hasExpired ? LeftOut.expired : .noValue
        mark.leaveOut(reason, files: 0, samples: samples.skipped)
        change(&mark)
        mark.settled = file.range.upperBound
        mark.seen = max(mark.seen, mark.settled)
        mark.hasExpired = false
        run += 1
    }

    private mutating func succeed() -> [Notice] {
        delay.succeed()
        (trouble, refusals) = (nil, 0)
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
        _ file: PlannedFile,
        _ samples: (own: Int, skipped: Int),
        _ reason: DeliveryReason,
        at now: MonotonicInstant
    ) -> [Notice] {
        trouble = reason
        settle(file, samples) { $0.leaveOut(.refused, files: 1, samples: samples.own) }
        refusals += 1
        let notice = Notice.refused(file, samples: samples.own, reason)
        guard refusals >= Self.refusalLimit else { return [notice] }
        return [notice] + hold(reason, at: now)
    }
}
