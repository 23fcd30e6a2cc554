import Core

/// Reads the rows of `roost export --format csv`, of this station or another one; what it wrote in
/// other formats comes as the same rows, see `ImportOwnObjects` and `ImportDatabase`.
///
/// Rows of one boot, tick and device that follow one another are one sample, of the source
/// `roost:DEVICE`. Rows without a value are passed over; a row whose date was not sure is bad.
struct ImportOwnRows: ImportRows {
    static let header = ExportText.columns

    private struct Place: Hashable {
        let boot: String
        let tick: String
        let source: String
    }

    private var hasHeader: Bool?
    private var waiting: (place: Place, sample: ImportedSample)?

    private let prefix: String

    /// - Parameter station: Name that keeps its devices apart from those of another station.
    init(station: String? = nil) { prefix = station.map { "roost:\($0)/" } ?? "roost:" }

    /// The same, for rows whose columns are known.
    var withoutHeader: ImportOwnRows {
        var rows = self
        rows.hasHeader = true
        return rows
    }

    mutating func read(_ fields: [String]) -> ImportStep {
        guard let hasHeader else {
            hasHeader = fields == Self.header
            return hasHeader == true ? .header : .bad(.missingColumn(Self.header[3]))
        }
        guard hasHeader else { return .bad(.missingColumn(Self.header[3])) }
        guard fields.count == Self.header.count else {
            return .bad(.fieldCount(found: fields.count, wanted: Self.header.count))
        }
        guard !fields[6].isEmpty else { return .row(nil) }
        return step(fields)
    }

    private mutating func step(_ fields: [String]) -> ImportStep {
        guard let wall = WallTime(iso8601: fields[0]) else { return .bad(.badTime(fields[0])) }
        guard fields[1] == "yes" else { return .bad(.unsure(fields[0])) }
        let (device, name, unit) = (fields[4], fields[5], fields[7])
        guard Self.isName(device), Self.isName(name) else {
            return .bad(.unknownQuantity("\(device)/\(name)"))
        }
        guard unit.utf8.count <= 16, unit.unicodeScalars.allSatisfy({ $0.value > 0x20 }),
            let value = FixedPoint(decimal: fields[6])
        else { return .bad(.badValue(fields[6] + unit)) }
        var quality: Quality = []
        for word in fields[8].split(separator: "|") {
            guard let flag = Quality(named: String(word)) else { return .bad(.badValue(fields[8])) }
            quality.insert(flag)
        }
        let quantity = Quantity(name: name, unit: unit, decimals: value.decimals)
        // A copy of what was imported before is the same source.
        let source = device.hasPrefix("roost:") ? device : prefix + device
        let place = Place(boot: fields[2], tick: fields[3], source: source)
        return .row(join(.init(quantity, value, quality), wall, at: place))
    }

    /// Adds to the waiting sample, or hands it out and begins another.
    private mutating func join(
        _ value: ImportedSample.Value,
        _ wall: WallTime,
        at place: Place
    ) -> ImportedSample? {
        if let waiting, waiting.place == place, waiting.sample.wall == wall,
            !waiting.sample.values.contains(where: { $0.quantity.name == value.quantity.name })
        {
            let values = waiting.sample.values + [value]
            self.waiting = (
                place, ImportedSample(source: place.source, wall: wall, values: values)
            )
            return nil
        }
        defer {
            waiting = (place, ImportedSample(source: place.source, wall: wall, values: [value]))
        }
        return waiting?.sample
    }

    mutating func finish() -> ImportedSample? {
        defer { waiting = nil }
        return waiting?.sample
    }

    /// Letters, digits and the marks that names of devices and quantities have.
    private static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                    UInt8(ascii: "."), UInt8(ascii: "@"), UInt8(ascii: ":"),
                    UInt8(ascii: "/"):
                    true
                default: false
                }
            }
    }
}
