import Core
import Store

/// Delivery progress of a target of drives, as bytes that the station keeps for it.
///
/// Version 3 (1 is `OutboxCursor`, 2 `FileCursor`), all numbers unsigned LEB128 and boots as their
/// sixteen bytes: the version; settled and seen, each as 0, or 1 with boot and tick; waiting;
/// whether some expired; delivered drives and samples; reasons as count, then number in
/// `LeftOut.allCases`, drives and samples; uploads under way: how many, then of each its number
/// plus 1, whether it is described, its samples, tenths since 1970 of its beginning, tenths from
/// there to its end, boot and tick. At most 716 bytes.
package struct DriveCursor: Hashable, Sendable {
    /// A sample's place as boot and tick; the boot's number has to be looked up.
    package struct Place: Hashable, Sendable {
        package let boot: BootID
        package let tick: Tick

        package init(_ place: OutboxPosition) { (boot, tick) = (place.boot, place.tick) }

        init(boot: BootID, tick: Tick) { (self.boot, self.tick) = (boot, tick) }
    }

    /// The upload that goes on after a restart.
    package struct Current: Hashable, Sendable {
        package let place: Place
        package var upload = DriveUpload()
        /// Samples of the drive when its upload began.
        package let samples: Int
        package let dates: DriveDates

        init(_ place: Place, samples: Int, _ dates: DriveDates) {
            (self.place, self.samples, self.dates) = (place, samples, dates)
        }
    }

    private static let version: UInt64 = 3

    /// Beginning of the last settled drive (sent or left out); nil before the first.
    package var settled: Place?
    /// Beginning of the last drive whose samples are counted in `waiting` or settled.
    package var seen: Place?
    /// Samples of drives that were seen and are not settled.
    package var waiting = 0
    package var delivered = FilePeriodCursor.Count()
    package var leftOut: [LeftOut: FilePeriodCursor.Count] = [:]
    /// Whether the ring overwrote samples behind `settled`.
    package var hasExpired = false
    /// Uploads that have begun and are not over, in their order.
    ///
    /// Uploads up to `settled` are tried again by themselves. Bound: `uploadLimit`, the drives that
    /// can be aside and one more.
    package var uploads: [Current] = []

    static let uploadLimit = ItemAsides<OutboxPosition>.limit + 1

    package init() {}

    /// Number of samples counted so far: each is delivered, waiting or left out.
    package var sampleCount: Int {
        delivered.samples + waiting + leftOut.values.reduce(0) { $0 + $1.samples }
    }

    /// The upload of a drive; nil before it began.
    func upload(of drive: PlannedDrive) -> Current? {
        uploads.first { $0.place == Place(drive.place) }
    }

    /// Settles samples without sending them.
    mutating func leaveOut(_ reason: LeftOut, drives: Int, samples: Int) {
        guard drives > 0 || samples > 0 else { return }
        leftOut[reason, default: FilePeriodCursor.Count()].files += drives
        leftOut[reason, default: FilePeriodCursor.Count()].samples += samples
        waiting -= samples
    }
}

// MARK: - As bytes

extension DriveCursor {
    package func encode() -> [UInt8] {
        var out = VarintWriter()
        func append(_ value: Int) { out.append(UInt64(max(value, 0))) }
        func append(_ place: Place) {
            out.bytes += place.boot.bytes
            append(Int(place.tick.tenths))
        }
        append(Int(Self.version))
        for place in [settled, seen] {
            append(place == nil ? 0 : 1)
            if let place { append(place) }
        }
        append(waiting)
        append(hasExpired ? 1 : 0)
        append(delivered.files)
        append(delivered.samples)
        let reasons = LeftOut.allCases.enumerated().filter { leftOut[$0.element] != nil }
        append(reasons.count)
        for (number, reason) in reasons {
            append(number)
            append(leftOut[reason]?.files ?? 0)
            append(leftOut[reason]?.samples ?? 0)
        }
        append(uploads.count)
        for current in uploads {
            append((current.upload.importID ?? -1) + 1)
            append(current.upload.isDescribed ? 1 : 0)
            append(current.samples)
            append(Int(current.dates.from.tenths))
            append(Int(current.dates.to.tenths - current.dates.from.tenths))
            append(current.place)
        }
        return out.bytes
    }

    /// Reads a cursor.
    package init(_ bytes: [UInt8]) throws(OutboxCursorError) {
        var input = VarintReader(bytes)
        let version = try input.next()
        guard version == Self.version else { throw .otherVersion(version) }
        self.init()
        settled = try Self.place(&input, isOptional: true)
        seen = try Self.place(&input, isOptional: true)
        waiting = try input.count(below: .max)
        hasExpired = try input.count(below: 1) == 1
        delivered.files = try input.count(below: .max)
        delivered.samples = try input.count(below: .max)
        for _ in 0..<(try input.count(below: LeftOut.allCases.count)) {
            let number = try input.count(below: LeftOut.allCases.count - 1)
            leftOut[LeftOut.allCases[number]] = FilePeriodCursor.Count(
                files: try input.count(below: .max),
                samples: try input.count(below: .max)
            )
        }
        for _ in 0..<(try input.count(below: Self.uploadLimit)) {
            let importID = try input.count(below: .max)
            let isDescribed = try input.count(below: 1) == 1
            let samples = try input.count(below: .max)
            // Highest tenth of a second since 1970 that `WallTime` can hold.
            let from = Int64(try input.count(below: 90_000_000_000))
            let length = Int64(try input.count(below: 2_000_000_000))
            let dates = DriveDates(
                from: WallTime(tenths: from),
                to: WallTime(tenths: from + length)
            )
            guard let place = try Self.place(&input, isOptional: false) else { throw .malformed }
            var current = Current(place, samples: samples, dates)
            current.upload = DriveUpload(
                importID: importID == 0 ? nil : importID - 1,
                isDescribed: isDescribed
            )
            uploads.append(current)
        }
        guard input.isAtEnd else { throw .malformed }
    }

    private static func place(
        _ input: inout VarintReader,
        isOptional: Bool
    ) throws(OutboxCursorError) -> Place? {
        if isOptional, try input.count(below: 1) == 0 { return nil }
        let boot = BootID(bytes: try input.read(16))
        return Place(boot: boot, tick: Tick(tenths: Int64(try input.count(below: .max))))
    }
}
