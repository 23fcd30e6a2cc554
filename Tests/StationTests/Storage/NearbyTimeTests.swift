import ControlProtocol
import Core
import TestSupport
import Testing

@testable import SimulationKit
@testable import Station
@testable import Store

/// The time that other stations on the network say.
@Suite struct NearbyTimeTests {
    /// 2026-09-21T14:13:20Z.
    private static let now = WallTime(nanoseconds: 1_790_000_000_000_000_000)
    private static let hour: Double = 3_600

    private static func says(
        _ name: String,
        _ seconds: Double = 0,
        within doubt: Double = 2,
        by trust: String = "time server"
    ) -> NeighbourTime {
        NeighbourTime(
            name: name,
            milliseconds: now.nanoseconds / 1_000_000 + Int64(seconds * 1_000),
            uncertaintySeconds: doubt,
            trust: trust
        )
    }

    private struct Row: Sendable {
        let times: [NeighbourTime]
        var known: NeighbourTime?
        let found: NearbyTime
    }

    private static let rows = [
        Row(times: [], found: .unknown),
        Row(times: [says("attic")], found: .agreed(says("attic"))),
        // The one that is surest counts, whichever comes first.
        Row(
            times: [says("attic"), says("barn", within: 1)],
            found: .agreed(says("barn", within: 1))
        ),
        Row(
            times: [says("attic", within: 1), says("barn")],
            found: .agreed(says("attic", within: 1))
        ),
        // Up to what both may be off by.
        Row(times: [says("attic"), says("barn", 4)], found: .agreed(says("attic"))),
        Row(times: [says("attic"), says("barn", 4.1)], found: .contradiction("attic", "barn")),
        Row(times: [says("barn", 4.1), says("attic")], found: .contradiction("attic", "barn")),
        // Two of three that agree do not outvote the third.
        Row(
            times: [says("attic"), says("barn", 1), says("cellar", -hour)],
            found: .contradiction("cellar", "barn")
        ),
        Row(
            times: [says("attic", 100, within: 130, by: "person"), says("barn")],
            found: .agreed(says("barn"))
        ),
        // No circle, and no guess.
        Row(times: [says("attic", by: "station nearby")], found: .unknown),
        Row(times: [says("attic", by: "real time clock")], found: .unknown),
        Row(times: [says("attic", by: "sun dial")], found: .unknown),
        Row(
            times: [says("attic", hour, by: "station nearby"), says("barn")],
            found: .agreed(says("barn"))
        ),
        // A time with an invalid uncertainty does not count.
        Row(times: [says("attic", within: -1)], found: .unknown),
        Row(times: [says("attic", within: .nan)], found: .unknown),
        Row(times: [says("attic", within: .infinity)], found: .unknown),
        Row(times: [says("attic", within: 181)], found: .unknown),
        Row(times: [says("attic", 1e12)], found: .unknown),
        Row(times: [says("")], found: .unknown),
        Row(times: [says(String(repeating: "a", count: 65))], found: .unknown),
        // The present is not over: a day before this is the floor.
        Row(times: [says("attic", -25 * hour)], found: .past("attic")),
        Row(times: [says("attic", -24 * hour - 1)], found: .agreed(says("attic", -24 * hour - 1))),
        Row(times: [says("attic", -25 * hour), says("barn")], found: .agreed(says("barn"))),
        // Neither back nor ahead of what counts already.
        Row(
            times: [says("attic", 3)],
            known: says("barn"),
            found: .agreed(says("attic", 3))
        ),
        Row(
            times: [says("attic", -hour)],
            known: says("barn"),
            found: .contradiction("attic", "barn")
        ),
        Row(
            times: [says("attic", hour)],
            known: says("barn"),
            found: .contradiction("barn", "attic")
        ),
    ]

    @Test(arguments: rows.indices)
    func whatStationsSayIsWeighed(_ index: Int) {
        let row = Self.rows[index]
        let floor = Self.now.advanced(by: .seconds(-86_400))
        #expect(NearbyTime(row.times, beside: row.known, notBefore: floor) == row.found)
    }

    @Test func aStationNearbyTakesThePlaceOfNothingThatIsTrustedMore() {
        func time(_ trust: ClockTrust) -> ConfirmedTime {
            ConfirmedTime(Self.now, at: .boot, by: trust)
        }
        let said = time(.station)
        #expect(said.worth(after: nil, nil) == .news)
        #expect(said.worth(after: nil, WallReading(Self.now, .hardwareClock)) == .news)
        #expect(said.worth(after: nil, WallReading(Self.now, .synchronised)) == .nothing)
        for trust in [ClockTrust.receiver, .browser, .person] {
            #expect(said.worth(after: time(trust), nil) == .nothing)
            #expect(time(trust).worth(after: said, nil) == .news)
        }
        #expect(ClockTrust.station.isSure && !ClockTrust.station.isFirm)
    }

    @Test func aStationWithoutAClockHasTheTimeOfOneNearby() throws {
        let folder = try TestFolder()
        let text = """
            {"name": "test", "mode": "normal", "devices": [],
             "store": {"folder": "\(folder.path)", "megabytes": 4, "journalBlocks": 64}}
            """
        let (answers, events, after) = try simulate { clock in
            clock.setWallTime(WallTime(nanoseconds: 1_789_900_000_000_000_000), trust: .fileStamp)
            let first = try TestStation(clock, text)
            let (answers, events) = try await first.run { test in
                func hear(_ times: [NeighbourTime]) async throws -> ControlAnswer<ClockReport> {
                    try await test.ask(HearNeighbours(times))
                }
                try await test.sleep(.minutes(1))
                var answers = [
                    try await hear(Array(repeating: Self.says("attic"), count: 17)),
                    try await hear([Self.says("attic"), Self.says("barn", Self.hour)]),
                    try await hear([Self.says("attic", -30 * Self.hour)]),
                    try await hear([Self.says("attic")]),
                ]
                try await test.sleep(.minutes(10))
                answers.append(try await hear([Self.says("barn")]))
                answers.append(try await hear([]))
                return (answers, test.events.filter { $0.kind == .plain(.clockTrusted) })
            }
            // The next process of the boot knows it, and who said it no more.
            let next = try TestStation(clock, text, card: first.platform.card)
            let after = try await next.run { test in
                try await test.sleep(.minutes(1))
                let known = try await test.ask(GetClock()).body
                let offer = OfferTime("2026-09-21T15:00:00Z")
                return (known, try await test.ask(offer).body)
            }
            return (answers, events, after)
        }
        #expect(answers[0].error?.code == .badRequest)
        let (contradiction, past) = (answers[1].body, answers[2].body)
        #expect(contradiction?.isSure == false)
        #expect(contradiction?.nearby == NearbyClockReport(.contradiction, ["attic", "barn"]))
        #expect(past?.isSure == false && past?.nearby == NearbyClockReport(.past, ["attic"]))
        let used = answers[3].body
        #expect(used?.time == "2026-09-21T14:13:20Z" && used?.trust == "station nearby")
        #expect(used?.isSure == true && used?.uncertaintySeconds == 2)
        #expect(used?.nearby == NearbyClockReport(.used, ["attic"]))
        // The barn now gives the time that the attic gave ten minutes ago.
        let other = answers[4].body
        #expect(other?.time == "2026-09-21T14:23:20Z" && other?.trust == "station nearby")
        #expect(other?.nearby == NearbyClockReport(.contradiction, ["barn", "attic"]))
        #expect(answers[5].body == other)
        #expect(events.count == 1 && events.first?["cause"] == "station nearby: attic")
        #expect(after.0?.trust == "station nearby" && after.0?.nearby == nil)
        #expect(after.0?.uncertaintySeconds == 181)
        #expect(after.1?.trust == "browser" && after.1?.nearby == nil)
    }
}
