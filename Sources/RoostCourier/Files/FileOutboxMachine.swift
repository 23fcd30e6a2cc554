import Core

/// Decides what a target of files is sent, when, and what becomes of each sample.
///
/// Pure: a caller brings files, answers and the time. Files are sent in the order in which their
/// times end, shorter ones first, one at a time. A refused file is left out and the next one is
/// sent; a file that may have arrived is sent again under the same name. A file that the receiver
/// fails at while it accepts others is set aside, and tried again by itself.
struct FileOutboxMachine: Sendable {
    /// Files sent in a row, without a pause of hours, that count as a backlog worth a notice.
    private static let drainWorth = 10
    /// Failures of one file after which another is tried: a busy store fails some times.
    private static let patience = 6

    var marks: [FilePeriod: FilePeriodCursor]
    var delivery: ItemDelivery<PlannedFile.Place>
    /// Files sent since nothing waited.
    private var run = 0

    init(marks: [FilePeriod: FilePeriodCursor] = [:], pace: Duration, seed: UInt64) {
        self.marks = marks
        delivery = ItemDelivery(pace: pace, patience: Self.patience, seed: seed)
    }

    /// Goes on with files that an earlier process set aside.
    mutating func resumeAsides() {
        for (period, mark) in marks {
            for from in mark.asides { delivery.asides.resume(.init(period: period, from: from)) }
        }
    }

    /// Counts newly recorded samples, and samples that the ring has overwritten.
    ///
    /// - Parameters:
    ///   - time: Start of the readable samples, and the time up to which they are counted now.
    ///   - left: Samples that can still be read from `settled` to `seen`, and of files aside.
    ///   - new: Samples from `seen` to the end.
    /// - Returns: Events to report.
    mutating func see(
        _ period: FilePeriod,
        in time: (oldest: Int, end: Int),
        left: Int,
        new: Int
    ) -> [DeliveryNotice] {
        guard var mark = marks[period] else { return [] }
        // Nothing is lost while all of the time can be read: a clock that was set again may have
        // moved a sample into another window.
        let lost = time.oldest > mark.open ? max(mark.waiting - left, 0) : 0
        mark.hasExpired = mark.hasExpired || lost > 0 && time.oldest > mark.settled
        mark.leaveOut(.expired, files: 0, samples: lost)
        mark.waiting = left + new
        mark.seen = max(mark.seen, time.end)
        marks[period] = mark
        return lost > 0 ? [.expired(.named(period.rawValue), samples: lost)] : []
    }

    /// Chooses the next of the files.
    func first(of files: [PlannedFile]) -> PlannedFile? {
        let files = files.sorted { left, right in
            (left.range.upperBound, left.period.seconds)
                < (right.range.upperBound, right.period.seconds)
        }
        let place = delivery.doubt.next(of: files.map(\.place), room: delivery.asides.room)
        return files.first { $0.place == place }
    }

    /// Leaves out a file set aside whose beginning or samples were overwritten.
    mutating func expire(_ place: PlannedFile.Place, samples: Int) -> [DeliveryNotice] {
        delivery.asides.remove(place)
        storeAsides()
        // A file that no later one has overtaken is counted with all others that are overwritten.
        guard let settled = marks[place.period]?.settled, place.from < settled else { return [] }
        marks[place.period]?.leaveOut(.expired, files: 1, samples: samples)
        return [.expired(.named(place.period.rawValue), samples: samples)]
    }

    /// Records that nothing can be sent now.
    mutating func foundNothing() -> [DeliveryNotice] {
        defer { run = 0 }
        return run >= Self.drainWorth ? [.drained(run, of: "files")] : []
    }

    /// Records the result of sending a file.
    ///
    /// - Parameters:
    ///   - samples: Samples in its time; `skipped`: samples since the last file that have none.
    ///   - outcome: The outcome; nil leaves the file out as too old.
    /// - Returns: Events to report.
    mutating func finish(
        _ file: PlannedFile,
        samples: (own: Int, skipped: Int),
        _ outcome: DeliveryOutcome?,
        at now: MonotonicInstant
    ) -> [DeliveryNotice] {
        defer { storeAsides() }
        guard let outcome else {
            delivery.accept(file.place, at: now)
            settle(file, samples) { $0.leaveOut(.tooOld, files: 1, samples: samples.own) }
            return []
        }
        let name = (file.path, samples.own)
        let (fate, notices) = delivery.finish(file.place, outcome, named: name, at: now)
        switch fate {
        case .waits: break
        case .refused:
            settle(file, samples) { $0.leaveOut(.refused, files: 1, samples: samples.own) }
        case .delivered:
            settle(file, samples) { mark in
                mark.delivered.files += 1
                mark.delivered.samples += samples.own
                mark.waiting -= samples.own
            }
        }
        return notices
    }

    /// Keeps in the marks which files are set aside.
    private mutating func storeAsides() {
        for period in marks.keys {
            let places = delivery.asides.items.filter { $0.period == period }
            marks[period]?.asides = places.map(\.from).sorted()
        }
    }

    private mutating func settle(
        _ file: PlannedFile,
        _ samples: (own: Int, skipped: Int),
        _ change: (inout FilePeriodCursor) -> Void
    ) {
        guard var mark = marks[file.period] else { return }
        defer { marks[file.period] = mark }
        delivery.asides.remove(file.place)
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
}
