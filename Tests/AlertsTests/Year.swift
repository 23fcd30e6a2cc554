import Core
import FoundationEssentials
import TestSupport
import Testing

@testable import Alerts

/// A year of one outdoor sensor, a sample each 5 minutes.
struct Year {
    let allRows: [(pm25: Int, pm10: Int)]
    /// All of them, or in the small form those of the first days.
    let rows: ArraySlice<(pm25: Int, pm10: Int)>

    static let shared = Result { try Year() }

    private init() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let url = folder.appending(path: "Fixtures/year-5min.deltas")
        let bytes = [UInt8](try Data(contentsOf: url))
        var (values, last, index) = ([(pm25: Int, pm10: Int)](), (0, 0), 0)
        func next() -> Int {
            var (number, shift) = (0, 0)
            while index < bytes.count {
                let byte = Int(bytes[index])
                index += 1
                number |= (byte & 0x7F) << shift
                shift += 7
                if byte & 0x80 == 0 { break }
            }
            return number >> 1 ^ -(number & 1)
        }
        while index < bytes.count {
            last = (last.0 + next(), last.1 + next())
            values.append((last.0, last.1))
        }
        allRows = values
        rows = values.prefix(288 * Exhaustive.daysOfAlerts)
    }

    static let pm25 = Channel(device: "balcony", quantity: .pm25)
    static let pm10 = Channel(device: "balcony", quantity: .pm10)

    static func sample(_ pm25: Int, _ pm10: Int) -> [Reading] {
        [(Self.pm25, pm25), (Self.pm10, pm10)].map { channel, tenths in
            Reading(channel, at: .boot, .value(FixedPoint(Int64(tenths), decimals: 1)))
        }
    }

    /// The alerts of a year under some rules.
    func episodes(of rules: [AlertRule]) -> [Episode] {
        var engine = AlertEngine(rules)
        var open: [Int64: Episode] = [:]
        var all: [Episode] = []
        for (index, row) in rows.enumerated() {
            let now = (index + 1) * 300
            for event in engine.append(Self.sample(row.pm25, row.pm10), at: now) {
                switch event {
                case .raised(let raised):
                    open[raised.number] = Episode(
                        key: raised.key,
                        start: now,
                        end: rows.count * 300,
                        level: raised.level,
                        isFlapping: raised.flags.contains("flapping")
                    )
                case .level(let level):
                    let old = open[level.raise]?.level ?? 0
                    open[level.raise]?.level = max(old, level.level)
                case .resolved(let resolved):
                    if var episode = open.removeValue(forKey: resolved.raise) {
                        episode.end = now
                        all.append(episode)
                    }
                default: break
                }
            }
        }
        return (all + open.values).sorted { $0.start < $1.start }
    }
}

struct Episode: Hashable {
    let key: AlertEvent.Key
    let start: Int
    var end: Int
    var level: Int
    let isFlapping: Bool
}

extension [Episode] {
    /// Stretches in which any of them is raised.
    var united: [Range<Int>] {
        var stretches: [Range<Int>] = []
        for episode in self {
            if let last = stretches.last, episode.start <= last.upperBound {
                let end = Swift.max(last.upperBound, episode.end)
                stretches[stretches.count - 1] = last.lowerBound..<end
            } else {
                stretches.append(episode.start..<episode.end)
            }
        }
        return stretches
    }

    func of(_ quantity: String) -> [Episode] { filter { $0.key.subject.hasSuffix(quantity) } }
}
