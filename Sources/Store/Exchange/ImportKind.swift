import Core

/// A kind of file with measurements of other programs, known by how the file begins.
package enum ImportKind: String, Codable, Hashable, Sendable, CaseIterable {
    /// A copy of a station.
    case roost
    case periods
    case sensorCommunity = "sensor-community"
    case safecast

    /// Bytes of a file that tell its kind.
    package static let headByteCount = 512

    /// How the first bytes of each kind begin; those of logs and of JSON are Safecast's.
    private static let beginnings: [(ImportKind, [String])] = [
        (.roost, ["time,sure,boot,"]), (.sensorCommunity, ["sensor_id;"]),
        (.periods, ["PM2.5,", "PM10,"]), (.safecast, ["#", "$BN", "{", "["]),
    ]

    /// Knows a file by its first `headByteCount` bytes; nil for one that is of no kind.
    package init?(head: [UInt8]) {
        let text = String(decoding: head, as: UTF8.self).drop { $0 == "\u{FEFF}" }
        let first = text.drop { $0 == "[" || $0.isWhitespace }
        let isOwnCopy =
            text.hasPrefix("SQLite format 3")
            || first.hasPrefix("{\"time\":") && first.contains("\"boot\"")
        if isOwnCopy {
            self = .roost
            return
        }
        let found = Self.beginnings.first { $0.1.contains { text.hasPrefix($0) } }
        guard let found else { return nil }
        self = found.0
    }

    /// How such a file is read.
    ///
    /// - Parameters:
    ///   - source: Who measured; `periods` do not say it.
    ///   - utcOffset: Seconds east of Greenwich of the times in `periods`.
    /// - Returns: Nil for `periods` without a source.
    package func format(source: String?, utcOffset: Int) -> ImportFormat? {
        switch self {
        case .roost: .own(station: source)
        case .periods: source.map { .periods(source: "periods:\($0)", utcOffset: utcOffset) }
        case .sensorCommunity: .sensorCommunity
        case .safecast: .safecast
        }
    }
}
