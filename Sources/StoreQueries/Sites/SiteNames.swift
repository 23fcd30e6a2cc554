import ControlProtocol

/// Parses names of imported streams: `data.gov.sg:west late 2` is the second correction of the
/// region `west`.
struct SiteNames {
    struct Stream {
        /// Name of the device, without the suffix of a correction.
        let device: String
        let source: String
        let site: String
        /// 0 as it came first, 1 and more for corrections.
        let revision: Int
        let place: FeedLocation?
    }

    private let peers: Set<String>
    private let places: [String: FeedLocation]

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

    func kind(of source: String) -> SiteKind {
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
