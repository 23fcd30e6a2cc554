import ControlProtocol
import Core
import Store

/// Measurements of others, by their place: one record for each region, reference station or
/// other Roost.
///
/// A correction is stored beside the value that it corrects, in a stream whose name ends with
/// `late` or `late 2`; the last one counts. A quantity without a value has none, whatever its
/// neighbours have: a region's index is not another region's.
package struct SiteTable {
    /// Days of a question at most.
    package static let daysMax = 31
    /// Where a device says that it was: no values of a site, as their means are no place.
    private static let places: Set = ["latitude", "longitude"]

    /// One quantity of a site.
    package struct Entry: Sendable {
        package let channel: String
        package let quantity: String
        package let unit: String
        package let decimals: Int
        /// Value of the newest time for which the source had one in the window.
        package internal(set) var value: FixedPoint?
        package internal(set) var time: WallTime?
        /// Values in the window, each time once.
        package internal(set) var count = 0
        var sum = 0.0
        /// Times whose value was corrected.
        package internal(set) var correctionCount = 0

        package var mean: Double? { count == 0 ? nil : sum / Double(count) }
    }

    package struct Site: Sendable {
        package let kind: SiteKind
        /// Name of the source as in channels: `data.gov.sg`.
        package let source: String
        package let name: String
        package let place: FeedLocation?
        /// Entries by quantity, device and unit.
        package internal(set) var entries: [Entry]
    }

    /// Sorted by kind, source and name.
    package let sites: [Site]

    /// A place in the table: a series with its corrections.
    ///
    /// Two devices at one site may measure the same quantity, and one may have changed its unit:
    /// neither corrects the other.
    private struct Key: Hashable, Comparable {
        let source: String
        let site: String
        let quantity: String
        let device: String
        let unit: String

        static func < (left: Key, right: Key) -> Bool {
            (left.source, left.site, left.quantity, left.device, left.unit)
                < (right.source, right.site, right.quantity, right.device, right.unit)
        }
    }

    private struct Moment {
        var value: FixedPoint
        var revision: Int
        var isCorrected = false
    }

    private struct Column {
        var entry: Entry
        var place: FeedLocation?
        var moments: [Int64: Moment] = [:]

        init(_ quantity: Quantity, of stream: SiteNames.Stream) {
            entry = Entry(
                channel: "\(stream.device)/\(quantity.name)",
                quantity: quantity.name,
                unit: quantity.unit,
                decimals: quantity.decimals
            )
            place = stream.place
        }

        /// A later revision of the same time replaces an earlier one, in whatever order they come.
        mutating func append(_ value: FixedPoint, at tenths: Int64, _ revision: Int) {
            guard let known = moments[tenths] else {
                moments[tenths] = Moment(
                    value: value,
                    revision: revision,
                    isCorrected: revision > 0
                )
                return
            }
            moments[tenths] = Moment(
                value: revision >= known.revision ? value : known.value,
                revision: max(revision, known.revision),
                isCorrected: true
            )
        }
    }

    /// Reads a window of the history.
    ///
    /// - Parameters:
    ///   - range: At most `daysMax` days.
    ///   - feeds: Reports of the courier's feeds, for places; empty while no courier answers.
    /// - Throws: `StoreError.database`.
    package init(
        _ reader: HistoryReader,
        _ times: StoreTimes,
        _ range: TimeRange,
        feeds: [OutboxReport]
    ) throws {
        let names = SiteNames(feeds)
        var columns: [Key: Column] = [:]
        // Stream by stream: which correction came when does not matter.
        for stream in try reader.streams() where stream.id.isImported {
            let spans = times.clip(try StreamExtents(reader).spans(of: stream.id), range)
            let own = names.stream(stream.device)
            for span in spans {
                let samples = try RawSamples(reader, stream.id, [span])
                try Self.append(samples, of: stream, own, times.clock, range, into: &columns)
            }
        }
        sites = Self.sites(columns, names)
    }

    private static func append(
        _ samples: RawSamples,
        of stream: StreamDescription,
        _ own: SiteNames.Stream,
        _ clock: ClockAnchors,
        _ range: TimeRange,
        into columns: inout [Key: Column]
    ) throws {
        let wanted = stream.quantities.indices.filter {
            !places.contains(stream.quantities[$0].name)
        }
        let keys = wanted.map { index in
            Key(
                source: own.source,
                site: own.site,
                quantity: stream.quantities[index].name,
                device: own.device,
                unit: stream.quantities[index].unit
            )
        }
        // Taken out while they change: a copy of all moments for each value would be slow.
        var known = keys.map { columns.removeValue(forKey: $0) }
        while let sample = try samples.next() {
            guard let wall = clock.time(sample.boot, sample.tick)?.wall, range.contains(wall) else {
                continue
            }
            for (place, index) in wanted.enumerated() {
                if known[place] == nil {
                    known[place] = Column(stream.quantities[index], of: own)
                }
                guard let value = sample.outcomes[index].counted else { continue }
                known[place]?.append(value, at: wall.tenths, own.revision)
            }
        }
        for (key, column) in zip(keys, known) { columns[key] = column }
    }

    /// Whether a window is longer than a table takes; one without an end reaches to `now`.
    ///
    /// A history that nothing dates yet has a window without both.
    package static func isTooLong(_ range: TimeRange, _ now: WallTime?) -> Bool {
        guard let from = range.from else { return range.to != nil }
        guard let to = range.to ?? now else { return false }
        return to.tenths - from.tenths > Int64(daysMax) * 864_000
    }

    private static func sites(_ columns: [Key: Column], _ names: SiteNames) -> [Site] {
        var sites: [Site] = []
        for (key, column) in columns.sorted(by: { $0.key < $1.key }) {
            var entry = column.entry
            for (tenths, moment) in column.moments {
                entry.count += 1
                entry.correctionCount += moment.isCorrected ? 1 : 0
                guard entry.time.map({ $0.tenths < tenths }) ?? true else { continue }
                (entry.value, entry.time) = (moment.value, WallTime(tenths: tenths))
            }
            // In the order of their times, so that the same history has the same mean.
            entry.sum = column.moments.sorted { $0.key < $1.key }
                .reduce(0) { $0 + $1.value.value.doubleValue }
            if let last = sites.indices.last, sites[last].source == key.source,
                sites[last].name == key.site
            {
                sites[last].entries.append(entry)
            } else {
                sites.append(
                    Site(
                        kind: names.kind(of: key.source),
                        source: key.source,
                        name: key.site,
                        place: column.place,
                        entries: [entry]
                    )
                )
            }
        }
        return sites.sorted {
            ($0.kind.rawValue, $0.source, $0.name) < ($1.kind.rawValue, $1.source, $1.name)
        }
    }
}
