import Core
import FoundationEssentials
import TestSupport
import Testing

@testable import SimulationKit
@testable import Station

/// Random plugging; `scripts/check storm` runs 10 000 events.
@Suite struct DetectionStormTests {
    private static func number(_ key: String, _ normal: UInt64) -> UInt64 {
        ProcessInfo.processInfo.environment[key].flatMap { UInt64($0) } ?? normal
    }

    @Test func noEventConfusesIdentitiesOrLeaksAPortOrWritesToAStranger() throws {
        let seed = Self.number("ROOST_STORM_SEED", 7)
        let count = Int(Self.number("ROOST_STORM_EVENTS", Exhaustive.plugEvents))
        let result = try simulate(seed: seed) { clock in
            try await DetectionStorm(clock).run(count)
        }
        let all = result.latencies.values.flatMap(\.self)
        let worst = all.max() ?? .zero
        let each = result.latencies.map { "\($0.key) \($0.value.max() ?? .zero)" }.sorted()
        let words: Comment = """
            \(count) events, \(result.checks) checks, \(all.count) first values, \
            worst after the warm-up: \(each.joined(separator: ", ")); again: \
            scripts/check storm --seed \(seed) --events \(count)
            """
        #expect(result.identityErrors.prefix(5) == [], words)
        #expect(result.openAtEnd == 0, words)
        #expect(result.bytesToStrangers == 0, words)
        #expect(result.checks > 0 && all.count > count / 40, words)
        #expect(worst <= .seconds(5), words)
        if let path = ProcessInfo.processInfo.environment["ROOST_STORM_REPORT"] {
            try words.rawValue.write(toFile: path, atomically: false, encoding: .utf8)
        }
    }
}
