import ControlProtocol
import Core
import Store

/// Means of one quantity by place: measurements within 200 m of their centre are one cluster.
///
/// A device that knows its position gives it to its own samples, an imported drive too. Other
/// devices of the station get a receiver's fix of that time, else the station's place; a device
/// with neither has no place. Surveys that are marked *do not upload* are left out, as others
/// see the map; so are imports without places, as others measured them.
package struct ClusterTable {
    /// Measurements of one question at most; the oldest beyond that are counted and left out.
    static let valuesMax = 100_000
    /// Days of a question where a person says nothing else.
    package static let standardDays = 14
    private static let places = ("latitude", "longitude")

    /// The largest first.
    package let clusters: [PlaceCluster]
    /// Unit of the station's own channels, where it differs from that of imported ones.
    package let unit: String
    package let decimals: Int
    /// Values that were taken.
    package let count: Int
    /// Values of this quantity whose place is not known.
    package let placelessCount: Int
    /// Values of surveys that are kept from others.
    package let privateCount: Int
    /// Values in another unit, which are left out.
    package let otherUnitCount: Int
    /// Values beyond `valuesMax`.
    package let omittedCount: Int

    /// Reads a window of the history.
    ///
    /// - Parameters:
    ///   - range: From when to when.
    ///   - position: Where the station stands; nil where that was not set.
    /// - Throws: `StoreError.database`.
    package init(
        _ reader: HistoryReader,
        _ times: StoreTimes,
        _ quantity: String,
        _ range: TimeRange,
        _ position: PositionReport?
    ) throws {
        let channels = try Self.channels(of: reader).filter { $0.quantity.name == quantity }
        // A station that begins has measured nothing yet, which is no mistake.
        let first = channels.first { !$0.stream.id.isImported } ?? channels.first
        unit = first?.quantity.unit ?? ""
        decimals = first?.decimals ?? 0
        let wanted = Set(channels.map(\.stream.id))
        let hidden = try StoredSurvey.all(reader, times)
            .filter { $0.isPrivate && $0.range.from != nil }.map(\.range)
        let window = StoreWindow(times: times, range: range)
        var samples = try StoreSamples(reader, window) { wanted.contains($0.id) }
        let home = position.map { ($0.latitude, $0.longitude) }
        var whereabouts = try Whereabouts(reader, times, range, home: home)
        var (values, placeless, kept, omitted, others) = ([PlacedValue](), 0, 0, 0, 0)
        while let sample = try samples.next() {
            guard let wall = sample.wall, range.contains(wall),
                let value = Self.value(quantity, sample)
            else { continue }
            guard !hidden.contains(where: { $0.contains(wall) }) else {
                kept += 1
                continue
            }
            guard Self.unit(quantity, sample) == unit else {
                others += 1
                continue
            }
            guard let placed = try Self.placed(value, sample, &whereabouts) else {
                placeless += 1
                continue
            }
            if values.count == 2 * Self.valuesMax {
                values.removeFirst(Self.valuesMax)
                omitted += Self.valuesMax
            }
            values.append(placed)
        }
        let surplus = max(0, values.count - Self.valuesMax)
        values.removeFirst(surplus)
        omitted += surplus
        clusters = PlaceClusters(values).clusters
        (count, placelessCount, privateCount) = (values.count, placeless, kept)
        (omittedCount, otherUnitCount) = (omitted, others)
    }

    /// Channels whose samples have a place: the station's own, and imports with positions.
    ///
    /// - Throws: `StoreError.database`.
    package static func channels(of reader: HistoryReader) throws -> [StoreChannel] {
        try StoreChannel.all(reader).filter { channel in
            !channel.stream.id.isImported || PlaceFinder<StoreSamples>.knows(channel.stream)
        }
    }

    private static func unit(_ name: String, _ sample: DatedSample) -> String? {
        sample.stream.quantities.first { $0.name == name }?.unit
    }

    private static func value(_ name: String, _ sample: DatedSample) -> FixedPoint? {
        sample.stream.quantities.firstIndex { $0.name == name }
            .flatMap { sample.outcomes[$0].counted }
    }

    private static func placed(
        _ value: FixedPoint,
        _ sample: DatedSample,
        _ whereabouts: inout Whereabouts
    ) throws -> PlacedValue? {
        let names = sample.stream.quantities.map(\.name)
        guard names.contains(places.0), names.contains(places.1) else {
            return try whereabouts.place(of: sample).flatMap { place in
                PlacedValue(
                    latitude: place.latitude,
                    longitude: place.longitude,
                    value: value.doubleValue
                )
            }
        }
        guard let north = Self.value(places.0, sample), let east = Self.value(places.1, sample)
        else { return nil }
        return PlacedValue(
            latitude: north.doubleValue,
            longitude: east.doubleValue,
            value: value.doubleValue
        )
    }
}
