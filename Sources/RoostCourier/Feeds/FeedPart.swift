import Core

/// A part of a feed that is fetched independently of the others.
package enum FeedPart: Hashable, Sendable {
    /// A publication of data.gov.sg, such as `psi`.
    case publication(String)
    /// All sensors of Lombardy that one request names.
    case sensors([ARPASensor])
    /// A channel of another station, such as `dust/pm25`.
    case channel(String)

    /// A stream of a source that the station already has, without the source's name.
    struct Known: Sendable {
        let device: String
        let quantities: [String]
        let newest: WallTime
    }

    /// Times up to which the station has a part's values.
    struct Reach: Hashable {
        /// Time up to which all series of the part are there.
        var all: WallTime?
        /// Time of the newest value of the part.
        var newest: WallTime?
    }

    /// Name of the part, for people.
    var name: String {
        switch self {
        case .publication(let name), .channel(let name): name
        case .sensors: "sensors"
        }
    }

    /// Returns the times up to which the station has the part's values.
    ///
    /// Sensors without any value do not count: each request goes back some days for them.
    func reach(in known: [Known]) -> Reach {
        let times: [WallTime]
        switch self {
        case .publication(let name):
            // The hourly PM2.5 is a publication of its own, and all else is the PSI's.
            let own = known.filter { $0.quantities.contains { ($0 == "pm25") == (name == "pm25") } }
            times = own.map(\.newest).max().map { [$0] } ?? []
        case .sensors(let sensors):
            times = sensors.compactMap { Self.newest(known, $0.id, $0.quantity) }
        case .channel(let channel):
            let parts = channel.split(separator: "/", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { return Reach() }
            times = Self.newest(known, parts[0], parts[1]).map { [$0] } ?? []
        }
        return Reach(all: times.min(), newest: times.max())
    }

    private static func newest(_ known: [Known], _ device: String, _ quantity: String) -> WallTime?
    {
        known.filter { $0.device == device && $0.quantities.contains(quantity) }.map(\.newest).max()
    }
}
