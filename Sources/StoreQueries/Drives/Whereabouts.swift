import Core
import Profiles
import Store

/// Where the station was at each time: by a receiver of its own that had a fix then, else where it
/// stands.
///
/// Bound: `receiverMax` receivers, the first by name.
struct Whereabouts {
    private typealias Finder = PlaceFinder<StoreSamples>

    static let receiverMax = 4
    private static let degree = 10_000_000.0

    private var finders: [(device: String, finder: Finder)] = []
    private let home: (latitude: Double, longitude: Double)?

    /// - Parameters:
    ///   - home: Where the station stands, in degrees; nil where that was not set.
    /// - Throws: `StoreError.database`.
    init(
        _ reader: HistoryReader,
        _ times: StoreTimes,
        _ range: TimeRange,
        home: (latitude: Double, longitude: Double)?
    ) throws {
        self.home = home
        let streams = try reader.streams()
            .filter { !$0.id.isImported && Finder.knows($0) }
        let boots = try reader.boots().map { ($0.id, $0.ordinal) }
        let ordinals = Dictionary(boots) { first, _ in first }
        for device in Set(streams.map(\.device)).sorted().prefix(Self.receiverMax) {
            let around = range.widened(by: Finder.reach)
            let window = StoreWindow(times: times, range: around)
            let fixes = try StoreSamples(reader, window) { stream in
                stream.device == device && !stream.id.isImported && Finder.knows(stream)
            }
            finders.append((device, try Finder(fixes, ordinals: ordinals)))
        }
    }

    /// Where a sample was measured; each is not before the last one that was asked for.
    ///
    /// - Returns: Nil where no receiver knows and the station's own place was not set.
    /// - Throws: `StoreError.database`.
    mutating func place(
        of sample: DatedSample
    ) throws -> (latitude: Double, longitude: Double)? {
        let own = finders.firstIndex { $0.device == sample.stream.device }
        // A device that has a place of its own is where that is.
        let order = (own.map { [$0] } ?? []) + finders.indices.filter { $0 != own }
        for index in order {
            guard case .at(let place, _) = try finders[index].finder.place(of: sample) else {
                continue
            }
            return (Double(place.latitude) / Self.degree, Double(place.longitude) / Self.degree)
        }
        return home
    }
}
