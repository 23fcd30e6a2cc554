import FoundationEssentials

/// The faces (interfaces for clients of other systems) that a JSON file switches on; none without.
///
/// ```json
/// {"alert": {"port": 8080}, "files": {}, "safecast": {"latitude": 46.1, "longitude": 9.7}}
/// ```
package struct FaceSettings: Hashable, Sendable {
    /// The settings of one face, which is on when it is named.
    package struct Entry: Hashable, Sendable {
        /// A port of its own, where the face is at the root; nil for the dashboard's alone.
        package var port: Int?
        package var position: Position?
    }

    /// Position of the station, for faces that give it.
    package struct Position: Hashable, Sendable {
        /// Degrees north, −90…90.
        package let latitude: Double
        /// Degrees east, −180…180.
        package let longitude: Double
        /// Height above the ground, in metres; nil when it is not known.
        package var heightMeters: Double?
        /// Id of the station on the map; nil for none.
        package var deviceID: Int?
    }

    /// An error in the file, with its place.
    package struct Mistake: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

    package let entries: [FaceName: Entry]

    package init(_ entries: [FaceName: Entry] = [:]) { self.entries = entries }

    /// Reads the file's text.
    ///
    /// - Throws: `Mistake` that names the place and what is allowed there.
    package init(parsing bytes: [UInt8]) throws(Mistake) {
        let values: [String: [String: Value]]
        do {
            values = try JSONDecoder().decode([String: [String: Value]].self, from: Data(bytes))
        } catch {
            throw Mistake(
                description: "it has to be as {\"alert\": {\"port\": 8080}, \"files\": {}}"
            )
        }
        var entries: [FaceName: Entry] = [:]
        for (name, members) in values.sorted(by: { $0.key < $1.key }) {
            guard let face = FaceName(rawValue: name) else {
                let known = FaceName.allCases.map(\.rawValue).joined(separator: ", ")
                throw Mistake(description: "/\(name.prefix(40)) is no face; there are \(known)")
            }
            entries[face] = try Self.entry(face, members)
        }
        let ports = entries.values.compactMap(\.port).sorted()
        if let twice = zip(ports, ports.dropFirst()).first(where: { $0 == $1 }) {
            throw Mistake(description: "port \(twice.0) is given to two faces")
        }
        self.init(entries)
    }

    private static func entry(
        _ face: FaceName,
        _ members: [String: Value]
    ) throws(Mistake) -> Entry {
        var numbers: [String: Double] = [:]
        let known = face == .safecast ? safecastRanges : portRange
        for (key, value) in members.sorted(by: { $0.key < $1.key }) {
            let place = "/\(face.rawValue)/\(key.prefix(40))"
            guard let range = known[key] else {
                let names = known.keys.sorted().joined(separator: ", ")
                throw Mistake(description: "\(place) is not known; there are \(names)")
            }
            guard let number = value.number, range.limits.contains(number),
                !range.isWhole || number == number.rounded()
            else {
                let (low, high) = (range.limits.lowerBound, range.limits.upperBound)
                let kind = range.isWhole ? "a whole number" : "a number"
                throw Mistake(
                    description: "\(place) has to be \(kind) from \(Int(low)) to \(Int(high))"
                )
            }
            numbers[key] = number
        }
        var entry = Entry(port: numbers["port"].map { Int($0) })
        guard face == .safecast else { return entry }
        guard let latitude = numbers["latitude"], let longitude = numbers["longitude"] else {
            throw Mistake(description: "/safecast needs latitude and longitude, in degrees")
        }
        entry.position = Position(
            latitude: latitude,
            longitude: longitude,
            heightMeters: numbers["heightMeters"],
            deviceID: numbers["deviceID"].map { Int($0) }
        )
        return entry
    }

    private typealias Range = (limits: ClosedRange<Double>, isWhole: Bool)

    private static let portRange: [String: Range] = ["port": (1...65_535, true)]
    private static let safecastRanges: [String: Range] = [
        "port": (1...65_535, true), "latitude": (-90...90, false),
        "longitude": (-180...180, false), "heightMeters": (-500...10_000, false),
        "deviceID": (1...2_147_483_647, true),
    ]

    /// A number, or anything else.
    private struct Value: Decodable {
        let number: Double?

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            number = container.decodeNil() ? nil : try? container.decode(Double.self)
        }
    }
}

/// The faces that there are, as the settings and the paths name them.
package enum FaceName: String, CaseIterable, Sendable {
    case alert, files, semicolon, history, safecast, airrohr, airgradient, push
}
