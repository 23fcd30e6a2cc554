import ControlProtocol
import Core
import Places
import Store
import StoreQueries

/// Means of one quantity by place: measurements within 200 m of their centre are one cluster.
///
/// A device that knows where it was says so for its own samples. What other devices measured was
/// where a receiver had a fix then, else at the station. A device without a fix was nowhere known.
/// Surveys that are marked *do not upload*
/// are left out: what is on a map is seen by others.
struct ClusterTable {
    /// Measurements of one question at most; the oldest beyond that are counted and left out.
    static let valuesMax = 100_000
    private static let places = ("latitude", "longitude")

    let clusters: [PlaceCluster]
    let unit: String
    let decimals: Int
    /// Values that were taken.
    let count: Int
    /// Values of this quantity whose place is not known.
    let placelessCount: Int
    /// Values of surveys that are kept from others.
    let privateCount: Int
    /// Values beyond `valuesMax`.
    let omittedCount: Int

    /// Reads a window of the history.
    ///
    /// - Parameters:
    ///   - history: Has the values.
    ///   - quantity: `pm25`.
    ///   - range: From when to when.
    ///   - position: Where the station stands; nil where that was not set.
    /// - Throws: `StoreError.database`.
    init(
        _ history: OpenHistory,
        _ quantity: String,
        _ range: TimeRange,
        _ position: PositionReport?
    ) throws {
        let channels = try StoreChannel.all(history.reader)
            .filter { $0.quantity.name == quantity && !$0.stream.id.isImported }
        // A station that begins has measured nothing yet, which is no mistake.
        unit = channels.first?.quantity.unit ?? ""
        decimals = channels.first?.decimals ?? 0
        let wanted = Set(channels.map(\.stream.id))
        let hidden = try StoredSurvey.all(history.reader, history.times)
            .filter { $0.isPrivate && $0.range.from != nil }.map(\.range)
        var samples = try StoreSamples(
            history.reader,
            StoreWindow(times: history.times, range: range)
        ) { wanted.contains($0.id) }
        let home = position.map { ($0.latitude, $0.longitude) }
        var whereabouts = try Whereabouts(history.reader, history.times, range, home: home)
        var (values, placeless, kept, omitted) = ([PlacedValue](), 0, 0, 0)
        while let sample = try samples.next() {
            guard let wall = sample.wall, range.contains(wall),
                let value = Self.value(quantity, sample)
            else { continue }
            guard !hidden.contains(where: { $0.contains(wall) }) else {
                kept += 1
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
        omittedCount = omitted
    }

    private static func value(_ name: String, _ sample: DatedSample) -> FixedPoint? {
        sample.stream.quantities.firstIndex { $0.name == name }
            .flatMap { sample.outcomes[$0].value }
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
