import Core
import FoundationEssentials

@testable import Profiles

/// The golden cases of `Fixtures/golden.py`, which works them out in exact fractions.
struct GraphFixture {
    struct Case {
        let name: String
        let quantities: [Quantity]
        let graph: JSONValue

        init?(_ value: JSONValue) {
            guard case .object(let fields) = value, case .string(let name)? = fields["name"],
                case .array(let channels)? = fields["channels"], let graph = fields["graph"]
            else { return nil }
            (self.name, self.graph) = (name, graph)
            quantities = channels.compactMap { channel in
                guard case .object(let fields) = channel, case .string(let name)? = fields["name"],
                    case .string(let unit)? = fields["unit"],
                    case .number(let decimals)? = fields["decimals"]
                else { return nil }
                return Quantity(name: name, unit: unit, decimals: Int(decimals))
            }
        }
    }

    static let device = "device"

    static func bytes(_ name: String, beside file: String = #filePath) throws -> Data {
        let folder = file.split(separator: "/").dropLast().joined(separator: "/")
        return try Data(contentsOf: URL(filePath: "/\(folder)/Fixtures/\(name)"))
    }

    static func cases() throws -> [Case] {
        guard case .array(let values) = try JSONParser.parse(Array(bytes("golden.json"))) else {
            return []
        }
        return values.compactMap(Case.init)
    }

    /// Lines of a case in `golden.txt`, without the one that names it.
    static func lines(of name: String) throws -> [Substring] {
        let text = String(decoding: try bytes("golden.txt"), as: UTF8.self)
        let lines = text.split(separator: "\n")
        let start = lines.firstIndex(of: "case \(name)").map { $0 + 1 } ?? lines.count
        return Array(lines[start...].prefix { !$0.hasPrefix("case ") })
    }

    /// `-12.30!humid+ceiling` or `?stale`.
    static func outcome(_ text: Substring) -> Outcome? {
        if text.hasPrefix("?") {
            return NoData(rawValue: String(text.dropFirst())).map(Outcome.noData)
        }
        let parts = text.split(separator: "!", maxSplits: 1)
        let number = parts[0].split(separator: ".", maxSplits: 1)
        guard let mantissa = Int64(number.joined()) else { return nil }
        let flags: [Substring: Quality] = [
            "ceiling": .ceiling, "inconsistent": .inconsistent, "humid": .humid,
            "outOfRange": .outOfRange,
        ]
        let quality = parts.dropFirst().first?.split(separator: "+").reduce(into: Quality()) {
            $0.formUnion(flags[$1] ?? [])
        }
        let decimals = number.count > 1 ? number[1].utf8.count : 0
        return .value(FixedPoint(mantissa, decimals: decimals), quality ?? [])
    }

    static func shown(_ reading: Reading) -> String {
        let name = reading.channel.quantity.name
        switch reading.outcome {
        case .noData(let reason): return "\(name)=?\(reason.rawValue)"
        case .value(let value, let quality):
            let flags = quality.isEmpty ? "" : "!" + quality.names.joined(separator: "+")
            return "\(name)=\(value)\(flags)"
        }
    }

    /// The readings of a line `in TIME name=outcome …`.
    static func readings(_ line: Substring, _ quantities: [Quantity]) -> [Reading] {
        let words = line.split(separator: " ")
        let instant = MonotonicInstant(nanoseconds: Int64(words[1]) ?? 0)
        return words.dropFirst(2).compactMap { word in
            let parts = word.split(separator: "=", maxSplits: 1)
            guard let quantity = quantities.first(where: { $0.name == parts[0] }),
                let outcome = outcome(parts[1])
            else { return nil }
            return Reading(Channel(device: device, quantity: quantity), at: instant, outcome)
        }
    }

    /// The reading of a line `note TIME device/quantity VALUE`.
    static func reading(_ line: Substring) -> Reading? {
        let words = line.split(separator: " ")
        guard words.count == 4, let outcome = outcome(words[3]) else { return nil }
        let names = words[2].split(whereSeparator: { $0 == "/" || $0 == ":" })
        let quantity = Quantity(name: String(names[1]), unit: "%", decimals: 0)
        return Reading(
            // A device that comes before the garden, so that the station's humidity is its.
            Channel(device: names[0] == "station" ? "attic" : String(names[0]), quantity: quantity),
            at: MonotonicInstant(nanoseconds: Int64(words[1]) ?? 0),
            outcome
        )
    }

    /// Feeds the lines of a case to a graph.
    ///
    /// - Returns: For each sample what came of it, and what should have.
    static func play(
        _ lines: [Substring],
        _ quantities: [Quantity],
        _ graph: GraphDescription
    ) -> [(sample: [Reading], flagged: [Reading], derived: [Reading], expected: Substring)] {
        var runner = GraphRunner(graph, device: device)
        var results: [([Reading], [Reading], [Reading], Substring)] = []
        var sample: [Reading] = []
        for line in lines {
            if let note = reading(line), line.hasPrefix("note") {
                runner.remember(note)
            } else if line.hasPrefix("in ") {
                sample = readings(line, quantities)
            } else {
                let flagged = runner.flagged(sample)
                results.append((sample, flagged, runner.evaluate(flagged), line.dropFirst(4)))
            }
        }
        return results
    }

    static let dayQuantities = [
        Quantity(name: "pm25", unit: "µg/m³", decimals: 2),
        Quantity(name: "pm10", unit: "µg/m³", decimals: 2),
        Quantity(name: "humidity", unit: "%", decimals: 2),
    ]

    /// A measured day: each sample of an SDS011 with the nearest of the DHT22 beside it, at most a
    /// minute away.
    static func day(_ day: String) throws -> [[Reading]] {
        let humid = try rows("\(day)_dht22_sensor_5332.csv", ["humidity"])
        return try rows("\(day)_sds011_sensor_5331.csv", ["P2", "P1"]).compactMap { row in
            let nearest = humid.min { abs($0.second - row.second) < abs($1.second - row.second) }
            guard let nearest, abs(nearest.second - row.second) <= 60 else { return nil }
            let instant = MonotonicInstant(nanoseconds: Int64(row.second) * 1_000_000_000)
            return zip(dayQuantities, row.values + nearest.values).map { quantity, value in
                Reading(Channel(device: device, quantity: quantity), at: instant, .value(value))
            }
        }
    }

    /// Columns of a file of Sensor.Community, with the second of the day.
    private static func rows(
        _ name: String,
        _ columns: [String]
    ) throws -> [(second: Int, values: [FixedPoint])] {
        let bytes = try bytes("../../../StoreTests/Fixtures/\(name)")
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
            .map { $0.split(separator: ";", omittingEmptySubsequences: false).map(String.init) }
        guard let header = lines.first, let clock = header.firstIndex(of: "timestamp") else {
            return []
        }
        let places = columns.compactMap { header.firstIndex(of: $0) }
        return lines.dropFirst().map { line in
            let time = line[clock].suffix(8).split(separator: ":").compactMap { Int($0) }
            let values = places.compactMap { FixedPoint(decimal: line[$0]) }
            return (time.reduce(0) { $0 * 60 + $1 }, values)
        }
    }

    static func read(
        _ graph: JSONValue,
        _ quantities: [Quantity]
    ) -> (graph: GraphDescription?, problems: [String]) {
        let problems = ProblemList()
        let graph = GraphReader.read(graph, channels: quantities, at: "graph", problems)
        return (graph, problems.problems.map(\.description))
    }

    /// A graph from JSON text.
    static func read(
        _ text: String,
        _ quantities: [Quantity]
    ) throws -> (graph: GraphDescription?, problems: [String]) {
        read(try JSONParser.parse(Array(text.utf8)), quantities)
    }
}
