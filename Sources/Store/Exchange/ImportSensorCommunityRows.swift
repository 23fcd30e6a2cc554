import Core

/// Reads the rows of a Sensor.Community day file by the names in its header.
///
/// - Source: the archive's files (`archive.sensor.community`), 2015…2024: `sensor_id;sensor_type;
///   location;lat;lon;timestamp;…`; `P1` is PM10 and `P2` is PM2.5.
struct ImportSensorCommunityRows: ImportRows {
    private static let quantities: [String: Quantity] = [
        "P1": Quantity(name: "pm10", unit: "µg/m³", decimals: 2),
        "P2": Quantity(name: "pm25", unit: "µg/m³", decimals: 2),
        "P0": Quantity(name: "pm1", unit: "µg/m³", decimals: 2),
        "P4": Quantity(name: "pm4", unit: "µg/m³", decimals: 2),
        "temperature": Quantity(name: "temperature", unit: "°C", decimals: 2),
        "humidity": Quantity(name: "humidity", unit: "%", decimals: 2),
        "pressure": Quantity(name: "pressure", unit: "Pa", decimals: 2),
    ]

    private struct Columns {
        let count: Int
        let sensor: Int
        let time: Int
        let measured: [(index: Int, quantity: Quantity)]
    }

    private enum Header {
        case awaited
        case read(Columns)
        case missing(String)
    }

    private var header = Header.awaited

    init() {}

    mutating func read(_ fields: [String]) -> ImportStep {
        switch header {
        case .awaited:
            header = Self.header(fields)
            if case .missing(let name) = header { return .bad(.missingColumn(name)) }
            return .header
        case .missing(let name): return .bad(.missingColumn(name))
        case .read(let columns): return Self.step(fields, columns)
        }
    }

    func finish() -> ImportedSample? { nil }

    private static func header(_ fields: [String]) -> Header {
        guard let sensor = fields.firstIndex(of: "sensor_id") else { return .missing("sensor_id") }
        guard let time = fields.firstIndex(of: "timestamp") else { return .missing("timestamp") }
        let measured = fields.enumerated().compactMap { index, name in
            quantities[name].map { (index: index, quantity: $0) }
        }
        guard !measured.isEmpty else { return .missing("P1, P2, temperature, …") }
        return .read(Columns(count: fields.count, sensor: sensor, time: time, measured: measured))
    }

    private static func step(_ fields: [String], _ columns: Columns) -> ImportStep {
        guard fields.count == columns.count else {
            return .bad(.fieldCount(found: fields.count, wanted: columns.count))
        }
        let sensor = fields[columns.sensor]
        guard (1...12).contains(sensor.utf8.count),
            sensor.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return .bad(.badValue(sensor)) }
        guard let wall = WallTime(iso8601: fields[columns.time]) else {
            return .bad(.badTime(fields[columns.time]))
        }
        var values: [ImportedSample.Value] = []
        for (index, quantity) in columns.measured where !fields[index].isEmpty {
            guard let value = FixedPoint(decimal: fields[index]), isInRange(value, quantity) else {
                return .bad(.badValue(fields[index]))
            }
            values.append(ImportedSample.Value(quantity, value))
        }
        guard !values.isEmpty else { return .bad(.noValue) }
        let source = "sensor-community:\(sensor)"
        return .row(ImportedSample(source: source, wall: wall, values: values))
    }

    /// Refuses impossible values only: negative dust, −1 for "no value".
    private static func isInRange(_ value: FixedPoint, _ quantity: Quantity) -> Bool {
        switch quantity.unit {
        case "µg/m³": value >= 0 && value <= ImportPeriodRows.concentrationMax
        case "°C": value >= -100 && value <= 200
        case "%": value >= 0 && value <= 100
        default: value >= 0
        }
    }
}
