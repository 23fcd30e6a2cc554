import Core
import SQLite

/// The result of merging one value of another program's series.
package enum MergedValue: String, Hashable, Sendable, CaseIterable {
    case written
    /// The history has it with this value.
    case same
    /// The history has it with another value, which stays; readers find the newest beside it.
    case revised
    /// Newer values are in all places that it could be in.
    case older
}

/// Names of devices that hold the late values of a series: corrections, and values for a time
/// before the newest in the history.
///
/// Time within a stream never goes back, and a stored value is never overwritten: so a late
/// value goes to the first of these devices whose own values are all before it. The value of
/// the last device that has one counts.
package enum LateDevice {
    /// Late devices of one source.
    package static let countMax = 3

    /// - Parameters:
    ///   - source: The device with the values that came in order: `data.gov.sg:west`.
    ///   - level: 0 for that one, else 1…`countMax`.
    /// - Returns: `data.gov.sg:west`, `data.gov.sg:west late`, `data.gov.sg:west late 2`.
    package static func name(_ source: String, level: Int) -> String {
        switch level {
        case 0: source
        case 1: "\(source) late"
        default: "\(source) late \(level)"
        }
    }
}

extension History {
    private static func failure(_ error: SQLiteError) -> any Error { StoreError.database(error) }

    /// Merges values of other programs' series into the history of a running station.
    ///
    /// One transaction, which writes nothing where all are known; the journal is not concerned.
    ///
    /// - Parameter samples: Of one value each, in any order; quantities that arrive together and
    ///   are in no stream yet make one.
    /// - Returns: What became of each, in their order.
    /// - Throws: `ImportError`, `StoreError.database`; nothing of it is kept then.
    package func merge(_ samples: [ImportedSample]) throws -> [MergedValue] {
        guard !isReadOnly else { throw ImportError.readOnly }
        defer { for slots in rings.values { slots.rest() } }
        return try connection.transaction(
            .immediate,
            wrapping: Self.failure
        ) { () throws(any Error) in
            let session = try HistoryImport(
                connection,
                rings,
                cursor: Int64(bitPattern: cursor)
            )
            let merged = try HistoryMerge(session).run(samples)
            for slots in rings.values { slots.rest() }
            return merged
        }
    }
}

/// One call of `History.merge`.
private final class HistoryMerge {
    private struct Place: Hashable {
        let source: String
        let level: Int
    }

    private typealias Values = [Int64: [Quantity: FixedPoint]]

    private let session: HistoryImport
    private var known: [Place: Values] = [:]
    private var added: [Place: Values] = [:]

    init(_ session: HistoryImport) { self.session = session }

    func run(_ samples: [ImportedSample]) throws -> [MergedValue] {
        try learn(samples)
        var merged = [MergedValue](repeating: .older, count: samples.count)
        let order = samples.indices.sorted {
            (samples[$0].wall.tenths, $0) < (samples[$1].wall.tenths, $1)
        }
        for index in order { merged[index] = place(samples[index]) }
        for (place, values) in added.sorted(by: {
            ($0.key.source, $0.key.level) < ($1.key.source, $1.key.level)
        }) {
            try write(values, to: LateDevice.name(place.source, level: place.level))
        }
        return merged
    }

    // MARK: What is there

    private func learn(_ samples: [ImportedSample]) throws {
        for (source, mine) in Dictionary(grouping: samples, by: \.source) {
            let ticks = mine.map(\.wall.tenths)
            guard let first = ticks.min(), let last = ticks.max() else { continue }
            let wanted = Set(ticks)
            for level in 0...LateDevice.countMax {
                let name = LateDevice.name(source, level: level)
                try session.load(name)
                known[Place(source: source, level: level)] = try values(
                    of: name,
                    first...last,
                    wanted
                )
            }
        }
    }

    private func values(
        of device: String,
        _ range: ClosedRange<Int64>,
        _ wanted: Set<Int64>
    ) throws -> Values {
        var values: Values = [:]
        for stream in session.streams[device] ?? [] {
            let quantities = stream.description.quantities
            for extent in stream.extents where extent.ticks.overlaps(range) {
                let span = HistorySpan(
                    boot: extent.boot,
                    from: Tick(tenths: range.lowerBound),
                    to: Tick(tenths: range.upperBound + 1)
                )
                let stored = try RawSamples(session.reader, stream.description.id, [span])
                while let sample = try stored.next() {
                    guard wanted.contains(sample.tick.tenths) else { continue }
                    for (quantity, outcome) in zip(quantities, sample.outcomes) {
                        guard case .value(let value, _) = outcome else { continue }
                        values[sample.tick.tenths, default: [:]][quantity] = value
                    }
                }
            }
        }
        return values
    }

    // MARK: Where it goes

    private func place(_ sample: ImportedSample) -> MergedValue {
        guard let (quantity, value) = sample.values.first.map({ ($0.quantity, $0.value) }) else {
            return .same
        }
        let tick = sample.wall.tenths
        var (lowest, isKnown) = (0, false)
        for level in (0...LateDevice.countMax).reversed() {
            let place = Place(source: sample.source, level: level)
            guard let found = added[place]?[tick]?[quantity] ?? known[place]?[tick]?[quantity]
            else { continue }
            guard found != value else { return .same }
            (lowest, isKnown) = (level + 1, true)
            break
        }
        guard lowest <= LateDevice.countMax else { return .older }
        for level in lowest...LateDevice.countMax {
            let place = Place(source: sample.source, level: level)
            guard isNext(tick, quantity, in: place) else { continue }
            added[place, default: [:]][tick, default: [:]][quantity] = value
            return isKnown ? .revised : .written
        }
        return .older
    }

    /// Whether a value can follow what its stream has and gets.
    private func isNext(_ tick: Int64, _ quantity: Quantity, in place: Place) -> Bool {
        let name = LateDevice.name(place.source, level: place.level)
        guard let home = home(of: quantity, name) else { return true }
        return home.extents.map(\.ticks.upperBound).max().map { $0 < tick } ?? true
    }

    private func home(of quantity: Quantity, _ device: String) -> HistoryImport.Stream? {
        session.streams[device]?.first { $0.description.quantities.contains(quantity) }
    }

    // MARK: Writing

    /// Writes each value to the stream with its quantity; the others to a stream of their own.
    private func write(_ values: Values, to device: String) throws {
        var parts: [StreamID?: Values] = [:]
        for (tick, row) in values {
            for (quantity, value) in row {
                let id = home(of: quantity, device)?.description.id
                parts[id, default: [:]][tick, default: [:]][quantity] = value
            }
        }
        let last = StreamID(.max)
        for (id, part) in parts.sorted(by: { ($0.key ?? last) < ($1.key ?? last) }) {
            let samples = part.sorted { $0.key < $1.key }.map { tick, row in
                ImportedSample(
                    source: device,
                    wall: WallTime(nanoseconds: tick * 100_000_000),
                    values: row.sorted { $0.key.name < $1.key.name }.map { .init($0, $1) }
                )
            }
            let index =
                try session.streams[device]?.firstIndex { $0.description.id == id }
                ?? session.stream(for: samples, of: device)
            try session.write(samples, to: index, of: device)
        }
    }
}
