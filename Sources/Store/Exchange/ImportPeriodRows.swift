import Core

/// Pairs the rows of `hourly|daily|weekly|monthly/<time>.csv`.
struct ImportPeriodRows: ImportRows {
    /// Above this nothing measures dust: an SDS011 ends at 999.9 µg/m³, others at 5 000.
    static let concentrationMax: FixedPoint = 100_000

    let source: String
    let utcOffset: Int
    private var waiting: ImportedSample?

    init(source: String, utcOffset: Int) {
        self.source = source
        self.utcOffset = utcOffset
    }

    mutating func read(_ fields: [String]) -> ImportStep {
        guard fields.count == 3 else { return .bad(.fieldCount(found: fields.count, wanted: 3)) }
        let quantity: Quantity
        switch fields[0] {
        case "PM2.5": quantity = .pm25
        case "PM10": quantity = .pm10
        default: return .bad(.unknownQuantity(fields[0]))
        }
        guard let value = FixedPoint(decimal: fields[1]), value >= 0,
            value <= Self.concentrationMax
        else { return .bad(.badValue(fields[1])) }
        guard let wall = AscTime.parse(fields[2], utcOffset: utcOffset) else {
            return .bad(.badTime(fields[2]))
        }
        return .row(join(ImportedSample.Value(quantity, value), wall))
    }

    /// Adds to the waiting sample, or hands it out and begins another.
    private mutating func join(_ value: ImportedSample.Value, _ wall: WallTime) -> ImportedSample? {
        let begun = ImportedSample(source: source, wall: wall, values: [value])
        guard let before = waiting, before.wall == wall,
            !before.values.contains(where: { $0.quantity == value.quantity })
        else {
            defer { waiting = begun }
            return waiting
        }
        waiting = nil
        return ImportedSample(source: source, wall: wall, values: before.values + [value])
    }

    mutating func finish() -> ImportedSample? {
        defer { waiting = nil }
        return waiting
    }
}
