import Core
import Store
import StoreQueries
import Synchronization

/// Reader of the station's history.
protocol HistoryAccess: Sendable {
    /// Runs a query on the present history, including the records that are not on the card yet.
    ///
    /// - Parameter body: Runs where a read of the card holds up nothing.
    /// - Returns: The result of `body`.
    /// - Throws: Errors of opening and of `body`.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (HistoryReader, StoreTimes) throws -> Value
    ) async throws -> Value
}

/// Files of a dust sensor's history, as `PeriodFiles` makes them: PM2.5 and PM10 of each minute.
///
/// Its samples are those of the device in use with both. A sample without both values is counted
/// with its file and has no row in it, and neither has one that a later sample of its minute
/// replaces.
final class StoreFileSource: FileSource {
    /// Minutes that one piece of a file is read with: some 30 kB.
    private static let pieceMinutes = 360
    /// Time by which a sample is recorded, readable and dated; a later one stays out of its file.
    static let patience: Duration = .seconds(900)

    private struct Known {
        var stream: StreamID?
        var spanCount = 0
        var origin = 0
        var hours: [MinutePairs.First] = []
    }

    private let history: any HistoryAccess
    private let naming: FileNaming
    private let zone: Zone
    private let clock: any NodeClock
    private let known = Mutex(Known())

    /// - Parameters:
    ///   - zone: The station's, for the seed's names and the times in rows.
    ///   - clock: Says when a silent sensor's file is over.
    init(
        _ history: any HistoryAccess,
        naming: FileNaming,
        zone: Zone,
        clock: any NodeClock
    ) {
        (self.history, self.naming) = (history, naming)
        (self.zone, self.clock) = (zone, clock)
    }

    func extent() async throws -> Range<Int>? {
        let now = clock.wallTime?.wholeSeconds
        return try await history.read { reader, times in
            guard let pairs = try MinutePairs(reader, times) else { return nil }
            return pairs.extent.lowerBound..<Self.end(pairs, now)
        }
    }

    func next(
        _ period: FilePeriod,
        from start: Int,
        origin: Int
    ) async throws -> PlannedFile? {
        guard let kind = PeriodFiles.Period(rawValue: period.rawValue) else { return nil }
        let naming = naming
        return try await read(origin) { files, _ in
            files.files(kind).first { $0.range.lowerBound >= start && $0.isComplete }
                .map { PlannedFile(period, $0.range, name: Self.name($0, naming)) }
        }
    }

    func count(_ range: Range<Int>) async throws -> Int {
        guard !range.isEmpty else { return 0 }
        return try await history.read { reader, times in
            guard let pairs = try MinutePairs(reader, times) else { return 0 }
            let spans = pairs.spans(from: range.lowerBound, to: range.upperBound)
            let samples = try RawSamples(reader, pairs.stream.id, spans, isTimesOnly: true)
            var rows = SegmentRows()
            var count = 0
            while let part = try samples.nextRows(into: &rows) { count += part.range.count }
            return count
        }
    }

    func piece(
        _ number: Int,
        of file: PlannedFile,
        origin: Int
    ) async throws -> [UInt8]? {
        let from = file.range.lowerBound + number * Self.pieceMinutes * 60
        guard from < file.range.upperBound else { return nil }
        let to = min(from + Self.pieceMinutes * 60, file.range.upperBound)
        return try await read(origin) { files, reader in try files.rows(from..<to, reader) } ?? []
    }

    private func read<Value: Sendable>(
        _ origin: Int,
        _ body: @escaping @Sendable (PeriodFiles, HistoryReader) throws -> Value?
    ) async throws -> Value? {
        let now = clock.wallTime?.wholeSeconds
        return try await history.read { [self] reader, times in
            guard let pairs = try MinutePairs(reader, times) else { return nil }
            var known = known.withLock { $0 }
            // A new boot, or one that has got a date, may have added samples to earlier hours.
            let isSame = known.stream == pairs.stream.id && known.spanCount == pairs.spanCount
            if !isSame || known.origin != origin { known.hours = [] }
            let files = try PeriodFiles(
                reader,
                pairs,
                origin: origin,
                now: Self.end(pairs, now),
                in: zone,
                known: known.hours
            )
            let found = Known(
                stream: pairs.stream.id,
                spanCount: pairs.spanCount,
                origin: origin,
                hours: files.completeHours
            )
            self.known.withLock { $0 = found }
            return try body(files, reader)
        }
    }

    /// Returns the time up to which all samples are there.
    ///
    /// Samples of a stream come in order, so all before the newest are there. After some time
    /// without a sample, none will come.
    private static func end(_ pairs: MinutePairs, _ now: Int?) -> Int {
        let waited = now.map { $0 - Int(patience.components.seconds) }
        return max(pairs.extent.upperBound, waited ?? .min)
    }

    private static func name(_ file: PeriodFiles.File, _ naming: FileNaming) -> String {
        switch naming {
        case .seed: file.name
        case .iso: file.first.iso8601.filter { $0 != "-" && $0 != ":" } + ".csv"
        }
    }
}
