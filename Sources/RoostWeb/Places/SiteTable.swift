import ControlProtocol
import Core
import Store
import StoreQueries

/// What others measured, by the place where they did: one record for each region, reference
/// station or other Roost.
///
/// A correction is stored beside the value that it corrects, in a stream whose name ends with
/// `late` or `late 2`; the last one counts. A quantity without a value has none, whatever its
/// neighbours have: a region's index is not another region's.
struct SiteTable {
    /// Days of a question at most.
    static let daysMax = 31

    enum Kind: String {
        /// A part of Singapore, or all of it (`national`).
        case region
        /// A station of an authority's network.
        case reference
        /// Another Roost.
        case peer
        /// Values that were imported by hand.
        case other
    }

    /// One quantity of a site.
    struct Entry {
        let channel: String
        let quantity: String
        let unit: String
        let decimals: Int
        /// Of the newest time for which the source had a value in the window.
        var value: FixedPoint?
        var time: WallTime?
        /// Values in the window, each time once.
        var count = 0
        var sum = 0.0
        /// Times whose value was corrected.
        var correctionCount = 0

        var mean: Double? { count == 0 ? nil : sum / Double(count) }
    }

    struct Site {
        let kind: Kind
        /// As in channels: `data.gov.sg`.
        let source: String
        let name: String
        let place: FeedPlace?
        /// By quantity.
        var entries: [Entry]
    }

    /// Sorted by kind, source and name.
    let sites: [Site]

    /// A place in the table: which site, which quantity.
    private struct Key: Hashable, Comparable {
        let source: String
        let site: String
        let quantity: String

        static func < (left: Key, right: Key) -> Bool {
            (left.source, left.site, left.quantity) < (right.source, right.site, right.quantity)
        }
    }

    private struct Moment {
        var value: FixedPoint
        var revision: Int
        var isCorrected = false
    }

    private struct Column {
        var entry: Entry
        var place: FeedPlace?
        var moments: [Int64: Moment] = [:]
    }

    /// Reads a window of the history.
    ///
    /// - Parameters:
    ///   - history: Has the values.
    ///   - range: At most `daysMax` days.
    ///   - feeds: Reports of the courier's feeds, for places; empty while no courier answers.
    /// - Throws: `StoreError.database`.
    init(_ history: OpenHistory, _ range: TimeRange, feeds: [OutboxReport]) throws {
        let names = SiteNames(feeds)
        var columns: [Key: Column] = [:]
        var samples = try StoreSamples(
            history.reader,
            StoreWindow(times: history.times, range: range)
        ) { $0.id.isImported }
        while let sample = try samples.next() {
            guard let wall = sample.wall, range.contains(wall) else { continue }
            let stream = names.stream(sample.stream.device)
            for (quantity, outcome) in zip(sample.stream.quantities, sample.outcomes) {
                let key = Key(source: stream.source, site: stream.site, quantity: quantity.name)
                var column =
                    columns[key]
                    ?? Column(
                        entry: Entry(
                            channel: "\(stream.device)/\(quantity.name)",
                            quantity: quantity.name,
                            unit: quantity.unit,
                            decimals: quantity.decimals
                        ),
                        place: stream.place
                    )
                if let value = outcome.value {
                    Self.take(value, at: wall.tenths, stream.revision, into: &column.moments)
                }
                columns[key] = column
            }
        }
        sites = Self.sites(columns, names)
    }

    /// A later revision of the same time replaces an earlier one, in whatever order they come.
    private static func take(
        _ value: FixedPoint,
        at tenths: Int64,
        _ revision: Int,
        into moments: inout [Int64: Moment]
    ) {
        guard let known = moments[tenths] else {
            moments[tenths] = Moment(value: value, revision: revision, isCorrected: revision > 0)
            return
        }
        moments[tenths] = Moment(
            value: revision >= known.revision ? value : known.value,
            revision: max(revision, known.revision),
            isCorrected: true
        )
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

/// What the names of imported streams mean: `data.gov.sg:west late 2` is the second correction of
/// the region `west`.
struct SiteNames {
    struct Stream {
        /// Without what marks a correction.
        let device: String
        let source: String
        let site: String
        /// 0 as it came first, 1 and more for corrections.
        let revision: Int
        let place: FeedPlace?
    }

    private let peers: Set<String>
    private let places: [String: FeedPlace]

    /// - Parameter feeds: Reports of the courier's feeds.
    init(_ feeds: [OutboxReport]) {
        peers = Set(feeds.filter { $0.type == "peer" }.map(\.id))
        let located = feeds.flatMap { feed in
            (feed.places ?? []).map {
                ("\(feed.type == "peer" ? feed.id : feed.type):\($0.series)", $0)
            }
        }
        places = Dictionary(located) { first, _ in first }
    }

    func kind(of source: String) -> SiteTable.Kind {
        switch source {
        case "data.gov.sg": .region
        case "arpa-lombardia": .reference
        default: peers.contains(source) ? .peer : .other
        }
    }

    func stream(_ name: String) -> Stream {
        let (device, revision) = Self.revision(name)
        let parts = device.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else {
            return Stream(
                device: device,
                source: device,
                site: device,
                revision: revision,
                place: nil
            )
        }
        let (source, rest) = (String(parts[0]), String(parts[1]))
        let place = places[device]
        let site: String
        switch kind(of: source) {
        // All devices of another station are in one place.
        case .peer: site = source
        // Each sensor of a reference station is a series of its own.
        case .reference: site = place.map { $0.name.isEmpty ? rest : $0.name } ?? rest
        case .region, .other: site = rest
        }
        return Stream(device: device, source: source, site: site, revision: revision, place: place)
    }

    private static func revision(_ name: String) -> (device: String, revision: Int) {
        if name.hasSuffix(" late") { return (String(name.dropLast(5)), 1) }
        guard let space = name.lastIndex(of: " "), name[..<space].hasSuffix(" late"),
            let number = Int(name[name.index(after: space)...]), number > 1
        else { return (name, 0) }
        return (String(name[..<space].dropLast(5)), number)
    }
}
