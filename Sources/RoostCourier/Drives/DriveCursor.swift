import Core
import Store

/// Delivery progress of a target of drives, as bytes that the station keeps for it.
///
/// Settled and seen are 0, or 1 with boot and tick. An upload under way is its number plus 1,
/// whether it is described, its samples, tenths since 1970 of its beginning, tenths from there to
/// its end, boot and tick. At most 716 bytes.
struct DriveCursor: Hashable, Sendable {
    /// A sample's place as boot and tick; the boot's number has to be looked up.
    struct Place: Hashable, Sendable {
        fileprivate(set) var boot: BootID
        fileprivate(set) var tick: Tick

        init(_ place: OutboxPosition) { (boot, tick) = (place.boot, place.tick) }

        /// The place before it is read.
        fileprivate init() {
            (boot, tick) = (BootID(bytes: Array(repeating: 0, count: 16)), Tick(tenths: 0))
        }
    }

    /// The upload that goes on after a restart.
    struct Current: Hashable, Sendable {
        fileprivate(set) var place: Place
        var upload = DriveUpload()
        /// Samples of the drive when its upload began.
        fileprivate(set) var samples: Int
        fileprivate(set) var dates: DriveDates

        init(_ place: Place, samples: Int, _ dates: DriveDates) {
            (self.place, self.samples, self.dates) = (place, samples, dates)
        }
    }

    /// Beginning of the last settled drive (sent or left out); nil before the first.
    var settled: Place?
    /// Beginning of the last drive whose samples are counted in `waiting` or settled.
    var seen: Place?
    /// Samples of drives that were seen and are not settled.
    var waiting = 0
    var delivered = FilePeriodCursor.Count()
    var leftOut: [LeftOut: FilePeriodCursor.Count] = [:]
    /// Whether the ring overwrote samples behind `settled`.
    var hasExpired = false
    /// Uploads that have begun and are not over, in their order.
    ///
    /// Uploads up to `settled` are tried again by themselves. Bound: `uploadLimit`, the drives that
    /// can be aside and one more.
    var uploads: [Current] = []

    static let uploadLimit = ItemAsides<OutboxPosition>.limit + 1

    init() {}

    /// Number of samples counted so far: each is delivered, waiting or left out.
    var sampleCount: Int {
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

extension DriveCursor: DeliveryCursor {
    static var kind: CursorKind { .drives }

    mutating func code(_ fields: inout CursorFields) {
        fields.place(&settled)
        fields.place(&seen)
        fields.number(&waiting)
        fields.flag(&hasExpired)
        fields.count(&delivered)
        fields.reasons(&leftOut, .init()) { $0.count(&$1) }
        let never = DriveDates(from: WallTime(tenths: 0), to: WallTime(tenths: 0))
        let empty = Current(Place(), samples: 0, never)
        fields.list(&uploads, upTo: Self.uploadLimit, empty) { fields, current in
            var number = (current.upload.importID ?? -1) + 1
            fields.number(&number)
            current.upload.importID = number == 0 ? nil : number - 1
            fields.flag(&current.upload.isDescribed)
            fields.number(&current.samples)
            var (from, length) = (current.dates.from.tenths, current.dates.to.tenths)
            length -= from
            // Highest tenth of a second since 1970 that `WallTime` can hold.
            fields.number(&from, upTo: 90_000_000_000)
            fields.number(&length, upTo: 2_000_000_000)
            let end = WallTime(tenths: from + length)
            current.dates = DriveDates(from: WallTime(tenths: from), to: end)
            fields.place(&current.place)
        }
    }
}

extension CursorFields {
    fileprivate mutating func place(_ place: inout DriveCursor.Place?) {
        var (isThere, found) = (place != nil, place ?? DriveCursor.Place())
        flag(&isThere)
        if isThere { self.place(&found) }
        place = isThere ? found : nil
    }

    fileprivate mutating func place(_ place: inout DriveCursor.Place) {
        boot(&place.boot)
        var tick = place.tick.tenths
        number(&tick)
        place.tick = Tick(tenths: tick)
    }
}
