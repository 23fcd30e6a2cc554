import FoundationEssentials

/// The faces (interfaces for clients of other systems) that a JSON file switches on; none without.
///
/// ```json
/// {"alert": {"port": 8080}, "files": {}}
/// ```
package struct FaceSettings: Hashable, Sendable {
    /// The settings of one face, which is on when it is named.
    package struct Entry: Hashable, Sendable {
        /// A port of its own, where the face is at the root; nil for the dashboard's alone.
        package var port: Int?
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
        var entry = Entry()
        for (key, value) in members.sorted(by: { $0.key < $1.key }) {
            let place = "/\(face.rawValue)/\(key.prefix(40))"
            guard key == "port" else {
                throw Mistake(description: "\(place) is not known; there is port")
            }
            guard let number = value.number, (1...65_535).contains(number),
                number == number.rounded()
            else {
                throw Mistake(description: "\(place) has to be a whole number from 1 to 65535")
            }
            entry.port = Int(number)
        }
        return entry
    }

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
    case alert, files, semicolon, history, airrohr, push
}
