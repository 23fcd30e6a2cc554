import Core
import Testing

@testable import RoostCourier
@testable import Store

@Suite struct RecentSamplesTests {
    private static let description = StreamDescription(
        id: StreamID(1),
        device: "dust",
        quantities: [.pm25]
    )

    private static func place(_ tick: Int64) -> OutboxPosition {
        OutboxPosition(
            boot: BootID(bytes: [UInt8](repeating: 1, count: 16)),
            bootNumber: 1,
            tick: Tick(tenths: tick)
        )
    }

    /// Compares with a plain list, through appends, equal ticks and drops.
    @Test(arguments: 1...10) func answersAsAPlainListDoes(seed: UInt64) {
        var chance = SplitMix64(seed: seed)
        var recent = RecentSamples(after: [StreamID(1): Self.place(0)])
        recent.describe(Self.description)
        var list: [OutboxPosition] = []
        var tick: Int64 = 1
        for _ in 0..<6_000 {
            let outcome = Outcome.value(FixedPoint(1, decimals: 1))
            recent.append(.init(place: Self.place(tick), outcomes: [outcome]), of: StreamID(1))
            list.append(Self.place(tick))
            if chance.next() % 5 > 0 { tick += Int64(1 + chance.next() % 3) }
            guard chance.next() % 200 == 0 else { continue }
            let asked = Self.place(Int64(chance.next() % UInt64(tick + 2)))
            let kept = list.suffix(RecentSamples.limit)
            guard recent.covers(StreamID(1), after: asked) else {
                #expect(asked < kept[kept.startIndex])
                continue
            }
            let after = list.filter { $0 > asked }
            #expect(recent.count(of: StreamID(1), after: asked).count == after.count)
            #expect(recent.count(of: StreamID(1), after: asked).newest == list.last)
            let limit = Int(1 + chance.next() % 50)
            let rows = recent.rows(of: StreamID(1), after: asked, limit: limit).map(\.place)
            var wanted = Array(after.prefix(limit))
            // Rows of one tick are never split.
            wanted += after.dropFirst(limit).prefix { $0 == wanted.last }
            #expect(rows == wanted)
        }
        #expect(recent.dropCount > 0)
    }

    @Test func aStreamOfBeforeIsNotInMemory() {
        let recent = RecentSamples(after: [StreamID(2): Self.place(50)])
        #expect(!recent.covers(StreamID(2), after: nil))
        #expect(!recent.covers(StreamID(2), after: Self.place(49)))
        #expect(recent.covers(StreamID(2), after: Self.place(50)))
        #expect(recent.count(of: StreamID(2), after: Self.place(50)).count == 0)
        #expect(!recent.covers(StreamID(3), after: nil))
    }

    @Test(arguments: [
        ("*", "dust/pm25", true), ("*/pm25", "dust/pm25", true), ("*/pm25", "dust/pm10", false),
        ("dust/*", "dust/pm10", true), ("dust", "dust/pm10", false), ("", "dust/pm10", false),
        ("d*t/p*5", "dust/pm25", true), ("**", "a/b", true), ("a/b*", "a/b", true),
    ])
    func patternsFitWholeNames(pattern: String, name: String, fits: Bool) {
        #expect(StreamChoice.matches(Array(pattern.utf8), Array(name.utf8)) == fits)
    }

    @Test func motionLeavesTheHouseOnlyWhereItIsNamed() {
        let usual = StreamChoice(wanted: [], left: ["secret/*"])
        #expect(usual.takes("dust", "pm25") && !usual.takes("door", "motion"))
        #expect(!usual.takes("secret", "pm25"))
        #expect(StreamChoice(wanted: ["door/motion"], left: []).takes("door", "motion"))
        #expect(!StreamChoice(wanted: ["door/motion"], left: ["door/*"]).takes("door", "motion"))
    }
}
