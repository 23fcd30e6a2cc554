import Core
import Profiles
import Store

/// The samples of a radiation counter in one survey, as the lines of a bGeigie's log.
///
/// A sample without a count has no line, since a line cannot say that; one without a fix has the
/// place of the last fix and says so, and none before the first fix.
package struct DriveLog {
    /// The samples that make a drive.
    package struct Choice: Sendable {
        /// The counter's device; nil takes the first with counts per minute.
        package var counter: String?
        /// The device that knows the place; nil takes the counter, if it knows, or the first else.
        package var position: String?
        /// The counter's number in the log.
        package var deviceNumber = 0
        /// Whether a channel may be in the log at all: its device and quantity.
        package var takes: @Sendable (String, String) -> Bool = { _, _ in true }

        package init() {}

        /// Whether a stream's counts make a drive, if it is of the right device.
        func isCounter(_ stream: StreamDescription) -> Bool {
            guard !stream.id.isImported, counter.map({ $0 == stream.device }) ?? true,
                let rate = stream.quantities.first(where: { $0.unit == Quantity.countRate.unit })
            else { return false }
            return takes(stream.device, rate.name)
        }

        fileprivate func knowsPlace(_ stream: StreamDescription) -> Bool {
            !stream.id.isImported && PlaceFinder<StoreSamples>.knows(stream)
                && [Quantity.latitude.name, Quantity.longitude.name].allSatisfy { name in
                    takes(stream.device, name)
                }
        }
    }

    /// Fixes this near to one another or to a sample are a fix of the sample.
    ///
    /// Receivers speak each second, and not in the tick in which the counter does. Beyond that a
    /// place would be made up, and a log goes to people who did not see the drive.
    private static let track = LocationTrack(gapLimit: .seconds(10), holdLimit: .seconds(1))
    /// A fix says its altitude for this long.
    private static let altitudeHold: Int64 = 300

    /// The device whose counts these are.
    package let device: String
    /// Times of the survey's first tick and of its end; nil dates each sample by the clock.
    ///
    /// Ticks between them are dated by the straight line.
    package var dates: (from: WallTime, to: WallTime)?
    /// Samples that were read so far, and lines that were made of them.
    package private(set) var sampleCount = 0
    package private(set) var lineCount = 0

    private var samples: StoreSamples
    /// Positions of another device than the counter; nil when the counter knows where it is.
    private var finder: PlaceFinder<StoreSamples>?
    private var fixes: StoreSamples?
    private var nextFix: DatedSample?
    /// The last fix at or before the sample, for its altitude and radius.
    private var fix: DatedSample?
    private let deviceNumber: Int
    private let span: (from: Tick, to: Tick?)
    private var lastPlace: BGeigieRecord.Place?

    /// The log of a survey; nil when no counter has a sample in it.
    ///
    /// - Throws: `StoreError.database`.
    package init?(
        of survey: StoredSurvey,
        _ choice: Choice,
        _ reader: HistoryReader,
        _ times: StoreTimes
    ) throws {
        guard let device = try Self.counter(in: survey, choice, reader) else { return nil }
        let streams = try reader.streams()
        let counters = streams.filter { $0.device == device && choice.isCounter($0) }
        (self.device, deviceNumber) = (device, choice.deviceNumber)
        span = (survey.from, survey.to)
        func samples(_ isWanted: (StreamDescription) -> Bool) throws -> StoreSamples {
            try StoreSamples(reader, times.clock, isWanted) { survey.clip($0) }
        }
        self.samples = try samples { stream in counters.contains(stream) }
        let isOwn = counters.allSatisfy { choice.knowsPlace($0) }
        guard choice.position.map({ $0 != device }) ?? !isOwn else { return }
        let wanted =
            try choice.position
            ?? streams.first { stream in
                try choice.knowsPlace(stream)
                    && !survey.clip(StreamExtents(reader).spans(of: stream.id)).isEmpty
            }?.device
        let knows = { (stream: StreamDescription) in
            stream.device == wanted && choice.knowsPlace(stream)
        }
        let ordinals = try reader.boots().map { ($0.id, $0.ordinal) }
        finder = try PlaceFinder(
            try samples(knows),
            ordinals: Dictionary(ordinals) { first, _ in first },
            track: Self.track
        )
        fixes = try samples(knows)
        nextFix = try fixes?.next()
    }

    /// The device whose counts a survey's drive has; nil without one.
    ///
    /// - Throws: `StoreError.database`.
    package static func counter(
        in survey: StoredSurvey,
        _ choice: Choice,
        _ reader: HistoryReader
    ) throws -> String? {
        try reader.streams().first { stream in
            try choice.isCounter(stream)
                && !survey.clip(StreamExtents(reader).spans(of: stream.id)).isEmpty
        }?.device
    }

    /// How many samples of its counter a survey has.
    ///
    /// - Throws: `StoreError.database`.
    package static func count(
        in survey: StoredSurvey,
        _ choice: Choice,
        _ reader: HistoryReader
    ) throws -> Int {
        guard let device = try counter(in: survey, choice, reader) else { return 0 }
        var count = 0
        for stream in try reader.streams() where stream.device == device && choice.isCounter(stream)
        {
            let before = Tick(tenths: survey.from.tenths - 1)
            let last = Tick(tenths: (survey.to ?? .end).tenths - 1)
            count +=
                try HistoryPlaces(reader).count(
                    of: stream.id,
                    after: SamplePosition(stream: stream.id, boot: survey.boot, tick: before),
                    through: SamplePosition(stream: stream.id, boot: survey.boot, tick: last)
                ) ?? 0
        }
        return count
    }

    /// Whether the oldest sample of a survey's counter that can be read is one of the survey.
    ///
    /// - Throws: `StoreError.database`.
    package static func hasOldest(
        in survey: StoredSurvey,
        _ choice: Choice,
        _ reader: HistoryReader
    ) throws -> Bool {
        guard let device = try counter(in: survey, choice, reader) else { return false }
        for stream in try reader.streams() where stream.device == device && choice.isCounter(stream)
        {
            guard let oldest = try HistoryPlaces(reader).oldest(of: stream.id) else { continue }
            let isIn = survey.from <= oldest.tick && oldest.tick < survey.to ?? .end
            return oldest.boot == survey.boot && isIn
        }
        return false
    }

    /// The next line without its end; nil after the last.
    ///
    /// - Throws: What the store throws.
    package mutating func next() throws -> String? {
        while let sample = try samples.next() {
            sampleCount += 1
            let placed = try place(of: sample)
            if let placed { lastPlace = placed.place }
            guard let wall = wall(of: sample), let rate = Self.rate(sample), let place = lastPlace
            else {
                continue
            }
            lineCount += 1
            return BGeigieRecord(
                device: deviceNumber,
                at: wall,
                rate: rate,
                place: place,
                hasFix: placed?.hasFix ?? false
            ).text
        }
        return nil
    }

    /// The whole log; nil when it is longer than a limit.
    ///
    /// - Parameter limit: Bytes at most.
    /// - Returns: Its bytes.
    /// - Throws: What the store throws.
    package mutating func bytes(limit: Int) throws -> [UInt8]? {
        var bytes = Array(BGeigieRecord.logHead.utf8)
        while let line = try next() {
            guard bytes.count + line.utf8.count + 2 <= limit else { return nil }
            bytes += Array(line.utf8) + [0x0D, 0x0A]
        }
        return bytes
    }

    private func wall(of sample: DatedSample) -> WallTime? {
        guard let dates, let end = span.to, end > span.from else {
            return dates?.from ?? sample.wall
        }
        // A day of tenths times a day of tenths fits easily.
        let length = end.tenths - span.from.tenths
        let passed = (sample.tick.tenths - span.from.tenths) * (dates.to.tenths - dates.from.tenths)
        return WallTime(tenths: dates.from.tenths + passed / length)
    }

    private static func rate(_ sample: DatedSample) -> Int? {
        let index = sample.stream.quantities.firstIndex { $0.unit == Quantity.countRate.unit }
        guard let value = index.flatMap({ sample.outcomes[$0].counted }), value >= 0 else {
            return nil
        }
        return Int(min(value.doubleValue, 999_999_999).rounded())
    }

    private mutating func place(
        of sample: DatedSample
    ) throws -> (place: BGeigieRecord.Place, hasFix: Bool)? {
        guard finder != nil else {
            guard let latitude = Self.value(Quantity.latitude, sample),
                let longitude = Self.value(Quantity.longitude, sample)
            else { return lastPlace.map { ($0, false) } }
            return (Self.place(latitude, longitude, sample, lastPlace), true)
        }
        while let next = nextFix, next.boot == sample.boot, next.tick <= sample.tick {
            if Self.value(Quantity.latitude, next) != nil { fix = next }
            nextFix = try fixes?.next()
        }
        guard case .at(let position, _)? = try finder?.place(of: sample) else {
            guard let fix, let latitude = Self.value(Quantity.latitude, fix),
                let longitude = Self.value(Quantity.longitude, fix)
            else { return lastPlace.map { ($0, false) } }
            return (Self.place(latitude, longitude, fix, lastPlace), false)
        }
        let isRecent = fix.map { sample.tick.tenths - $0.tick.tenths <= Self.altitudeHold }
        let place = position.readings
        let near = isRecent == true ? fix : nil
        return (Self.place(place.latitude, place.longitude, near, lastPlace), true)
    }

    private static func place(
        _ latitude: FixedPoint,
        _ longitude: FixedPoint,
        _ fix: DatedSample?,
        _ last: BGeigieRecord.Place?
    ) -> BGeigieRecord.Place {
        BGeigieRecord.Place(
            latitude: latitude,
            longitude: longitude,
            altitude: fix.flatMap { value(.altitude, $0) } ?? last?.altitude
                ?? FixedPoint(0, decimals: 2),
            accuracy: fix.flatMap { value(.accuracy, $0) }
        )
    }

    private static func value(_ quantity: Quantity, _ sample: DatedSample) -> FixedPoint? {
        sample.stream.quantities.firstIndex { $0.name == quantity.name }
            .flatMap { sample.outcomes[$0].counted }
    }
}
