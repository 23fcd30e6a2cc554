/// A unit that a graph can reckon with, and what it is a unit of.
struct GraphUnit: Hashable, Sendable {
    enum Kind: String, Hashable, Sendable {
        case massConcentration = "mass concentration"
        case numberConcentration = "number concentration"
        case mixingRatio = "mixing ratio"
        case relative = "relative humidity or share"
        case temperature, pressure, length, speed, angle, time, voltage, current
        case doseRate = "dose rate"
        case countRate = "count rate"
        case count
        case illuminance, sound
        case plain = "plain number"
        case change = "rate of change"
    }

    let name: String
    let kind: Kind
    /// How many of the smallest unit of the kind it is; 0 for those that no factor converts.
    let size: Int128

    private init(_ name: String, _ kind: Kind, size: Int128 = 0) {
        (self.name, self.kind, self.size) = (name, kind, size)
    }

    /// The closed list; a rate over time adds `/s`, `/min` or `/h` to one of these.
    static let all: [GraphUnit] = [
        GraphUnit("µg/m³", .massConcentration, size: 1),
        GraphUnit("mg/m³", .massConcentration, size: 1_000),
        GraphUnit("1/m³", .numberConcentration, size: 1),
        GraphUnit("1/l", .numberConcentration, size: 1_000),
        GraphUnit("1/cm³", .numberConcentration, size: 1_000_000),
        GraphUnit("1/0.1l", .numberConcentration, size: 10_000),
        GraphUnit("ppb", .mixingRatio, size: 1), GraphUnit("ppm", .mixingRatio, size: 1_000),
        GraphUnit("%", .relative), GraphUnit("°C", .temperature), GraphUnit("K", .temperature),
        GraphUnit("Pa", .pressure, size: 1), GraphUnit("hPa", .pressure, size: 100),
        GraphUnit("kPa", .pressure, size: 1_000), GraphUnit("µm", .length, size: 1),
        GraphUnit("mm", .length, size: 1_000), GraphUnit("m", .length, size: 1_000_000),
        GraphUnit("km", .length, size: 1_000_000_000), GraphUnit("m/s", .speed, size: 10),
        GraphUnit("km/h", .speed), GraphUnit("°", .angle), GraphUnit("s", .time, size: 1),
        GraphUnit("min", .time, size: 60), GraphUnit("h", .time, size: 3_600),
        GraphUnit("mV", .voltage, size: 1), GraphUnit("V", .voltage, size: 1_000),
        GraphUnit("mA", .current, size: 1), GraphUnit("A", .current, size: 1_000),
        GraphUnit("nSv/h", .doseRate, size: 1), GraphUnit("µSv/h", .doseRate, size: 1_000),
        GraphUnit("mSv/h", .doseRate, size: 1_000_000), GraphUnit("cpm", .countRate, size: 1),
        GraphUnit("cps", .countRate, size: 60), GraphUnit("count", .count),
        GraphUnit("lx", .illuminance), GraphUnit("dB", .sound), GraphUnit("", .plain),
    ]

    static let plain = GraphUnit("", .plain)
    static let doseRate = GraphUnit("µSv/h", .doseRate, size: 1_000)

    /// The unit people write like this; nil when it is not on the list.
    static func named(_ name: String) -> GraphUnit? {
        if let unit = all.first(where: { $0.name == name }) { return unit }
        return all.lazy.compactMap { unit in
            Period.allCases.lazy.map { unit.per($0) }.first { $0.name == name }
        }.first
    }

    /// The time unit of a rate of change.
    enum Period: String, Hashable, Sendable, CaseIterable {
        case second = "s"
        case minute = "min"
        case hour = "h"

        var nanoseconds: Int64 {
            switch self {
            case .second: 1_000_000_000
            case .minute: 60_000_000_000
            case .hour: 3_600_000_000_000
            }
        }
    }

    /// The unit of this one's change over time.
    func per(_ period: Period) -> GraphUnit {
        switch (name, period) {
        case ("count", .minute): Self.all.first { $0.name == "cpm" } ?? self
        case ("count", .second): Self.all.first { $0.name == "cps" } ?? self
        case ("m", .second): Self.all.first { $0.name == "m/s" } ?? self
        case ("km", .hour): Self.all.first { $0.name == "km/h" } ?? self
        default: GraphUnit("\(name)/\(period.rawValue)", .change)
        }
    }

    /// Name for messages.
    var shown: String { name.isEmpty ? "a plain number" : name }
}
