import Core
import Testing

@testable import Store

@Suite struct ClockAnchorsTests {
    private static let noon = 1_700_000_000

    private static func run(_ boot: UInt8, _ seconds: ClosedRange<Int64>) -> NodeRun {
        NodeRun(
            boot: .numbered(boot),
            started: tick(seconds.lowerBound),
            ended: tick(seconds.upperBound),
            end: .lost
        )
    }

    private static func tick(_ seconds: Int64) -> Tick { Tick(tenths: seconds * 10) }

    private static func anchor(
        _ boot: UInt8,
        _ second: Int64,
        _ wall: Int,
        isTrusted: Bool = true
    ) -> ClockAnchor {
        ClockAnchor(
            boot: .numbered(boot),
            tick: tick(second),
            wall: WallTime(seconds: wall),
            isTrusted: isTrusted
        )
    }

    private static func time(_ seconds: Int, isSure: Bool) -> ClockAnchors.Time {
        ClockAnchors.Time(wall: WallTime(seconds: seconds), isSure: isSure)
    }

    @Test func aTrustedAnchorDatesItsBootFromTheStart() {
        let clock = ClockAnchors(
            runs: [Self.run(1, 5...500)],
            anchors: [Self.anchor(1, 5, 60, isTrusted: false), Self.anchor(1, 100, Self.noon)]
        )
        #expect(clock.time(.numbered(1), Self.tick(5)) == Self.time(Self.noon - 95, isSure: true))
        #expect(clock.time(.numbered(1), Self.tick(100)) == Self.time(Self.noon, isSure: true))
        #expect(
            clock.time(.numbered(1), Self.tick(900)) == Self.time(Self.noon + 800, isSure: true)
        )
    }

    private static func anchor(_ second: Int64, _ wall: Int, _ trust: ClockTrust) -> ClockAnchor {
        ClockAnchor(
            boot: .numbered(1),
            tick: tick(second),
            wall: WallTime(seconds: wall),
            trust: trust
        )
    }

    /// A receiver whose week was wrong for a hundred days, and an hour with a time server after it.
    @Test(arguments: [-100, 1_024])
    func aReceiverThatIsWrongForLongOutvotesNoTimeServer(_ weeks: Int) {
        func clock(_ trust: ClockTrust) -> ClockAnchors {
            let late = Self.noon + 101 * 86_400
            func anchor(_ boot: UInt8, _ wall: Int, _ trust: ClockTrust) -> ClockAnchor {
                ClockAnchor(
                    boot: .numbered(boot),
                    tick: Self.tick(0),
                    wall: WallTime(seconds: wall),
                    trust: trust
                )
            }
            return ClockAnchors(
                runs: [
                    Self.run(1, 0...3_600), Self.run(2, 0...8_640_000), Self.run(3, 0...3_600),
                ],
                anchors: [
                    anchor(1, Self.noon, .synchronised),
                    anchor(2, Self.noon + 7_200 + weeks * 7 * 86_400, trust),
                    anchor(3, late, .synchronised),
                ]
            )
        }
        for trust in [ClockTrust.station, .receiver, .browser] {
            let clock = clock(trust)
            #expect(clock.time(.numbered(1), Self.tick(0)) == Self.time(Self.noon, isSure: true))
            #expect(clock.time(.numbered(2), Self.tick(0))?.isSure == false)
            #expect(clock.time(.numbered(3), Self.tick(0))?.isSure == true)
        }
        // The longer one of two equally firm lines counts.
        #expect(clock(.synchronised).time(.numbered(2), Self.tick(0))?.isSure == true)
    }

    @Test(arguments: [
        (ClockTrust.fileStamp, ClockTrust.hardwareClock, false),
        (.fileStamp, .person, true), (.hardwareClock, .person, true),
        (.person, .synchronised, true), (.hardwareClock, .station, true),
        (.station, .receiver, true),
        (.receiver, .browser, true), (.browser, .person, true), (.unknown, .fileStamp, false),
    ])
    func theMostTrustedStepDatesABootWheneverItCame(
        _ less: ClockTrust,
        _ more: ClockTrust,
        _ isSure: Bool
    ) {
        let early = Self.anchor(100, Self.noon, more)
        for other in [Self.anchor(50, Self.noon - 9_000, less), Self.anchor(900, 1, less)] {
            let clock = ClockAnchors(runs: [Self.run(1, 5...1_000)], anchors: [early, other])
            let found = clock.time(.numbered(1), Self.tick(200))
            #expect(found == Self.time(Self.noon + 100, isSure: isSure))
        }
    }

    @Test(arguments: ClockTrust.allCases)
    func anAnchorKeepsItsStepInJournalAndHistory(_ trust: ClockTrust) throws {
        let anchor = Self.anchor(100, Self.noon, trust)
        let payload = JournalRecordCodec.encode([.anchor(anchor)])
        #expect(JournalRecordCodec.contents(payload).records == [.anchor(anchor)])
        let folder = HistoryFolder()
        let (history, _) = try HistoryFile.open(
            path: folder.database,
            plan: StorePlan(.megabytes(4))
        )
        try history.append([JournalBlock(sequence: 1, boot: .numbered(1), payload: payload)])
        try history.close()
        #expect(try HistoryReader(path: folder.database).anchors() == [anchor])
    }

    /// A history has two places for sure anchors of a boot.
    @Test func aLessTrustedAnchorTakesThePlaceOfNoneThatIsMore() throws {
        let said: [(Int64, ClockTrust)] = [
            (10, .station), (20, .synchronised), (30, .synchronised), (40, .station),
            (50, .receiver),
        ]
        let anchors = said.map { Self.anchor($0.0, Self.noon + Int($0.0), $0.1) }
        let folder = HistoryFolder()
        let (history, _) = try HistoryFile.open(
            path: folder.database,
            plan: StorePlan(.megabytes(4))
        )
        for (number, anchor) in anchors.enumerated() {
            let payload = JournalRecordCodec.encode([.anchor(anchor)])
            let sequence = UInt64(number + 1)
            try history.append([
                JournalBlock(sequence: sequence, boot: .numbered(1), payload: payload)
            ])
        }
        try history.close()
        #expect(try HistoryReader(path: folder.database).anchors() == Array(anchors[1...2]))
    }

    @Test func aStepOfALaterVersionIsUnknownAndTheRestIsRead() {
        let anchor = Self.anchor(100, Self.noon, .person)
        var payload = JournalRecordCodec.encode([.anchor(anchor), .stopped(at: Self.tick(7))])
        let place = payload.lastIndex(of: 4)
        if let place { payload[place] = 9 }
        let unknown = Self.anchor(100, Self.noon, .unknown)
        let found = JournalRecordCodec.contents(payload)
        #expect(found.records == [.anchor(unknown), .stopped(at: Self.tick(7))])
        #expect(found.fault == nil)
    }

    @Test func driftIsSharedOutBetweenAnchors() {
        let clock = ClockAnchors(
            runs: [Self.run(1, 0...40_000)],
            anchors: [Self.anchor(1, 0, Self.noon), Self.anchor(1, 20_000, Self.noon + 20_002)]
        )
        #expect(
            clock.time(.numbered(1), Self.tick(5_000))?.wall.tenths
                == Int64(Self.noon) * 10 + 50_005
        )
        #expect(
            clock.time(.numbered(1), Self.tick(30_000))?.wall
                == WallTime(seconds: Self.noon + 30_002)
        )
    }

    @Test(arguments: [-7_200, -30, 30, 86_400])
    func aStepBelievesTheLaterAnchor(step: Int) {
        let clock = ClockAnchors(
            runs: [Self.run(1, 0...200)],
            anchors: [
                Self.anchor(1, 10, Self.noon), Self.anchor(1, 100, Self.noon + 90 + step),
            ]
        )
        let time = clock.time(.numbered(1), Self.tick(10))
        #expect(time == Self.time(Self.noon + step, isSure: true))
    }

    @Test func aFakeClockGivesAnEstimateAndSaysSo() {
        let clock = ClockAnchors(
            runs: [Self.run(1, 5...500)],
            anchors: [Self.anchor(1, 5, Self.noon, isTrusted: false)]
        )
        #expect(clock.time(.numbered(1), Self.tick(6)) == Self.time(Self.noon + 1, isSure: false))
    }

    @Test func withNothingElse1970IsWhatItIs() {
        let clock = ClockAnchors(
            runs: [Self.run(1, 5...500)],
            anchors: [Self.anchor(1, 5, 5, isTrusted: false)]
        )
        #expect(clock.time(.numbered(1), Self.tick(6)) == Self.time(6, isSure: false))
        #expect(
            ClockAnchors(runs: [Self.run(1, 5...9)], anchors: []).time(.numbered(1), Self.tick(6))
                == nil
        )
    }

    @Test func a1970BootGoesBetweenItsNeighbours() {
        let runs = [
            Self.run(1, 0...100), Self.run(2, 0...50), Self.run(3, 0...60), Self.run(4, 0...10),
        ]
        let clock = ClockAnchors(
            runs: runs,
            anchors: [
                Self.anchor(1, 0, 0, isTrusted: false), Self.anchor(2, 0, Self.noon),
                Self.anchor(3, 0, 0, isTrusted: false), Self.anchor(4, 0, Self.noon + 1_000),
            ]
        )
        // The first ends where the second begins; the third begins where the second ended.
        #expect(clock.time(.numbered(1), Self.tick(100)) == Self.time(Self.noon, isSure: false))
        #expect(clock.time(.numbered(3), Self.tick(0)) == Self.time(Self.noon + 50, isSure: false))
        #expect(
            clock.time(.numbered(4), Self.tick(0)) == Self.time(Self.noon + 1_000, isSure: true)
        )
    }

    @Test func aClockSetBackBetweenBootsDoesNotReorderThem() {
        let clock = ClockAnchors(
            runs: [Self.run(1, 0...100), Self.run(2, 0...100)],
            anchors: [Self.anchor(1, 0, Self.noon), Self.anchor(2, 0, Self.noon - 3_600)]
        )
        // The later synchronisation is believed; the earlier boot ends before it and is unsure.
        #expect(
            clock.time(.numbered(2), Self.tick(0)) == Self.time(Self.noon - 3_600, isSure: true)
        )
        #expect(
            clock.time(.numbered(1), Self.tick(100))
                == Self.time(Self.noon - 3_600, isSure: false)
        )
    }

    @Test(arguments: [1_600_000_000, 1_900_000_000])
    func oneLyingTimeServerCostsOnlyItsOwnBoot(lie: Int) {
        let runs = [
            Self.run(1, 0...10_000), Self.run(2, 0...10_000), Self.run(3, 0...60),
            Self.run(4, 0...500),
        ]
        let clock = ClockAnchors(
            runs: runs,
            anchors: [
                Self.anchor(1, 0, Self.noon), Self.anchor(2, 0, Self.noon + 20_000),
                Self.anchor(3, 0, lie), Self.anchor(4, 0, Self.noon + 40_000),
            ]
        )
        let walls = [0, 20_000, 30_000, 40_000].map { Self.noon + $0 }
        let expected = lie < Self.noon ? walls[2] : walls[3] - 60
        for (boot, wall) in zip([1, 2, 4], [walls[0], walls[1], walls[3]]) {
            let time = clock.time(.numbered(UInt8(boot)), Self.tick(0))
            #expect(time == Self.time(wall, isSure: true))
        }
        let lying = clock.time(.numbered(3), Self.tick(0))
        #expect(lying == Self.time(expected, isSure: false))
    }

    @Test func aSmallSlewBackwardsLetsNoTimeFall() {
        let anchors = [(100, 0), (103, -5)].map { tick, tenths in
            ClockAnchor(
                boot: .numbered(1),
                tick: Tick(tenths: tick),
                wall: WallTime(tenths: Int64(Self.noon) * 10 + tenths),
                isTrusted: true
            )
        }
        let clock = ClockAnchors(runs: [Self.run(1, 0...20)], anchors: anchors)
        let walls = (90...110).compactMap { clock.time(.numbered(1), Tick(tenths: $0))?.wall }
        #expect(walls.count == 21)
        #expect(zip(walls, walls.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test(arguments: 0..<300)
    func laterIsNeverEarlier(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var (runs, anchors): ([NodeRun], [ClockAnchor]) = ([], [])
        for boot in 1...UInt8.random(in: 1...6, using: &random) {
            let first = Int64.random(in: 0..<100, using: &random)
            let last = first + Int64.random(in: 0..<100_000, using: &random)
            runs.append(Self.run(boot, first...last))
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                let base =
                    [0, 1_600_000_000, Self.noon, Self.noon].randomElement(using: &random) ?? 0
                let wall = base + Int.random(in: -200_000...200_000, using: &random)
                let second = Int64.random(in: first...last, using: &random)
                anchors.append(
                    Self.anchor(boot, second, wall, isTrusted: Bool.random(using: &random))
                )
            }
        }
        let clock = ClockAnchors(runs: runs, anchors: anchors.shuffled(using: &random))
        var latest = WallTime(nanoseconds: .min)
        for run in runs {
            var ticks = (0..<40).map { _ in
                Int64.random(in: run.started.tenths...run.ended.tenths, using: &random)
            }
            ticks += [run.started.tenths, run.ended.tenths]
            ticks += anchors.filter { $0.boot == run.boot }.flatMap { anchor in
                [anchor.tick.tenths - 1, anchor.tick.tenths, anchor.tick.tenths + 1].filter {
                    (run.started.tenths...run.ended.tenths).contains($0)
                }
            }
            let hasTrusted = anchors.contains {
                $0.boot == run.boot && $0.isTrusted && $0.wall >= .plausible
            }
            for tick in ticks.sorted() {
                guard let time = clock.time(run.boot, Tick(tenths: tick)) else { continue }
                #expect(time.wall >= latest)
                #expect(!time.isSure || hasTrusted)
                latest = time.wall
            }
        }
    }

    @Test(arguments: 0..<50)
    func noAnchorTraps(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let extremes: [Int64] = [
            .min, .min + 1, -1, 0, 1, 1_700_000_000_000_000_000, .max - 1, .max,
        ]
        let any = { (random: inout SplitMix64) in
            Bool.random(using: &random)
                ? extremes.randomElement(using: &random) ?? 0
                : Int64.random(in: .min ... .max, using: &random)
        }
        var (runs, anchors): ([NodeRun], [ClockAnchor]) = ([], [])
        for boot in UInt8(1)...4 {
            runs.append(
                NodeRun(
                    boot: .numbered(boot),
                    started: Tick(tenths: any(&random)),
                    ended: Tick(tenths: any(&random)),
                    end: .lost
                )
            )
            for _ in 0..<5 {
                anchors.append(
                    ClockAnchor(
                        boot: .numbered(boot),
                        tick: Tick(tenths: any(&random)),
                        wall: WallTime(nanoseconds: any(&random)),
                        isTrusted: Bool.random(using: &random)
                    )
                )
            }
        }
        let clock = ClockAnchors(runs: runs, anchors: anchors)
        var walls: [WallTime] = []
        for tick in extremes.sorted() {
            if let time = clock.time(.numbered(2), Tick(tenths: tick)) { walls.append(time.wall) }
        }
        #expect(walls.count == extremes.count)
    }
}
