import Core
import FoundationEssentials
import Testing

@testable import Store

@Suite struct GapLedgerTests {
    // MARK: - Properties

    @Test(arguments: 0..<300)
    func agreesWithACountSecondBySecond(seed: UInt64) {
        let history = GapLedgerHistory(seed: seed)
        let length = Int(history.timeline.length / 10)
        var random = SplitMix64(seed: seed ^ 77)
        let first = seed % 3 == 0 ? 0 : Int.random(in: 0...length, using: &random)
        let last = seed % 3 == 0 ? length : Int.random(in: first...length, using: &random)
        var ledger = history.ledger(within: Int64(first) * 10..<Int64(last) * 10)
        let report = ledger.finish()
        let reference = GapLedgerReference(history)
        #expect(report.misplacedCount == 0)
        for channel in 0..<2 {
            var covered: Int64 = 0
            var gaps: [GapCause: Int64] = [:]
            for second in first..<last {
                if let cause = reference.cause(second, channel: channel) {
                    gaps[cause, default: 0] += 10
                } else {
                    covered += 10
                }
            }
            let line = report.lines[channel]
            #expect(line.coveredTenths == covered)
            #expect(line.gaps.reduce(into: [:]) { $0[$1.cause] = $1.tenths } == gaps)
            #expect(line.elapsedTenths == Int64(last - first) * 10)
            #expect(line.remainderTenths == 0)
        }
    }

    @Test(arguments: 0..<100)
    func stretchesFollowOneAnotherAndMergeEqualCauses(seed: UInt64) {
        let history = GapLedgerHistory(seed: seed)
        var ledger = history.ledger()
        let report = ledger.finish()
        let stretches = ledger.takeStretches()
        for channel in 0..<2 {
            let mine = stretches.filter { $0.channel == channel }
            var end: Int64 = 0
            for (number, stretch) in mine.enumerated() {
                #expect(stretch.range.lowerBound == end)
                #expect(!stretch.range.isEmpty)
                if number > 0 { #expect(mine[number - 1].cause != stretch.cause) }
                end = stretch.range.upperBound
            }
            #expect(end == history.timeline.length)
            for gap in report.lines[channel].gaps {
                #expect(gap.count == mine.count { $0.cause == gap.cause })
            }
        }
        #expect(ledger.takeStretches().isEmpty)
    }

    /// Entries in any order and at any tenth, outside runs too: the sum still holds.
    @Test(arguments: 0..<100)
    func theSumHoldsWhateverIsFed(seed: UInt64) {
        let history = GapLedgerHistory(seed: seed)
        var random = SplitMix64(seed: seed)
        var ledger = GapLedger(.balcony, along: history.timeline)
        for _ in 0..<400 {
            let boot = BootID.numbered(UInt8.random(in: 0...4, using: &random))
            let tick = Tick(tenths: Int64.random(in: -50..<9_000, using: &random))
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let interval = Int.random(in: -1...100, using: &random)
                ledger.schedule(.milliseconds(interval * 100), boot, from: tick)
            case 1:
                let end = Tick(tenths: tick.tenths + Int64.random(in: 0..<500, using: &random))
                ledger.mark(.muted, boot, tick..<end, lost: 1)
            default: ledger.sample([.value(1), .noData(.stuck)], boot, tick)
            }
        }
        for line in ledger.finish().lines {
            #expect(line.elapsedTenths == history.timeline.length)
            #expect(line.remainderTenths == 0)
            #expect(line.coveredTenths >= 0)
            #expect(line.gaps.allSatisfy { $0.tenths > 0 && $0.count > 0 })
        }
    }

    // MARK: - By hand

    static func run(
        _ boot: UInt8,
        _ seconds: ClosedRange<Int64>,
        _ end: NodeRun.End
    ) -> NodeRun {
        NodeRun(
            boot: .numbered(boot),
            started: Tick(tenths: seconds.lowerBound * 10),
            ended: Tick(tenths: seconds.upperBound * 10),
            end: end
        )
    }

    static func ledger(_ runs: [NodeRun], _ anchors: [ClockAnchor] = []) -> GapLedger {
        let clock = ClockAnchors(runs: runs, anchors: anchors)
        return GapLedger(.balcony, along: GapLedgerTimeline(runs: runs, clock: clock))
    }

    static func seconds(_ report: GapLedgerReport, _ cause: GapCause) -> Int64 {
        (report.lines[0].gaps.first { $0.cause == cause }?.tenths ?? 0) / 10
    }

    @Test func aCompleteSecondlySeriesIsCoveredButForItsStart() {
        var ledger = Self.ledger([Self.run(1, 10...110, .running)])
        ledger.schedule(.seconds(1), .numbered(1), from: Tick(tenths: 120))
        for second in 13...110 {
            ledger.sample(
                [.value(1), .value(2)],
                .numbered(1),
                Tick(tenths: Int64(second) * 10 + 3)
            )
        }
        let report = ledger.finish()
        #expect(Self.seconds(report, .starting) == 2)
        #expect(report.misplacedCount == 1)  // The one after the end.
        #expect(report.lines[0].coveredTenths == 973)
        #expect(report.lines[0].gaps.map(\.cause) == [.starting, .notDue])
    }

    @Test func whatTheRingRecycledIsExpiredAndNotUnexplained() {
        let runs = [Self.run(1, 0...100, .stopped), Self.run(2, 0...100, .running)]
        for isTold in [false, true] {
            var ledger = Self.ledger(runs)
            let start = GapMark.Place(.numbered(1), Tick(tenths: 0))
            let oldest = GapMark.Place(.numbered(2), Tick(tenths: 600))
            if isTold { ledger.mark(GapMark(.expired, of: nil, from: start, to: oldest)) }
            ledger.schedule(.seconds(10), .numbered(1), from: Tick(tenths: 0))
            for tenths: Int64 in [600, 700, 800, 900, 1_000] {
                ledger.sample([.value(1), .value(2)], .numbered(2), Tick(tenths: tenths))
            }
            let report = ledger.finish()
            #expect(Self.seconds(report, .expired) == (isTold ? 150 : 0))
            #expect(report.lines[0].gaps.contains { $0.cause == .unexplained } == !isTold)
            #expect(report.lines[0].remainderTenths == 0)
        }
    }

    @Test func jitterIsNoGapAndASampleMissedIs() {
        var ledger = Self.ledger([Self.run(1, 0...100, .running)])
        ledger.schedule(.seconds(10), .numbered(1), from: Tick(tenths: 0))
        for tenths: Int64 in [100, 250, 350, 510, 610, 810, 900, 1_000] {
            ledger.sample([.value(1), .value(2)], .numbered(1), Tick(tenths: tenths))
        }
        let report = ledger.finish()
        #expect(report.lines[0].gaps.map(\.cause) == [.unexplained, .late])
        #expect(report.lines[0].gaps.map(\.tenths) == [100, 60])
    }

    @Test func offTimeHasTheCauseOfItsEndWhenBothClocksAreSure() {
        let runs = [
            Self.run(1, 0...10, .lost), Self.run(1, 15...20, .stopped),
            Self.run(2, 5...10, .lost), Self.run(3, 5...10, .stopped), Self.run(4, 5...6, .running),
        ]
        let anchors = [(1, 0, 1_700_000_000), (2, 5, 1_700_000_120), (3, 5, 1_700_000_625)].map {
            ClockAnchor(
                boot: .numbered($0.0),
                tick: Tick(tenths: $0.1 * 10),
                wall: WallTime(seconds: $0.2),
                isTrusted: true
            )
        }
        var ledger = Self.ledger(runs, anchors)
        let report = ledger.finish()
        #expect(Self.seconds(report, .nodeCrashed) == 5)
        #expect(Self.seconds(report, .nodeStopped) == 100)
        #expect(Self.seconds(report, .powerLost) == 500)
        #expect(report.lines[0].elapsedTenths == 6_310)
        #expect(report.lines[0].remainderTenths == 0)
    }

    @Test func marksExplainAndGiveWayToSamples() {
        var ledger = Self.ledger([Self.run(1, 0...100, .running)])
        let boot = BootID.numbered(1)
        let second = { (number: Int64) in Tick(tenths: number * 10) }
        ledger.schedule(.seconds(1), boot, from: second(0))
        for number: Int64 in 1...20 { ledger.sample([.value(1), .value(2)], boot, second(number)) }
        ledger.mark(.muted, boot, second(15)..<second(50))
        ledger.mark(.cardDropped, boot, second(40)..<second(60), lost: 20)
        for number: Int64 in 71...100 {
            ledger.sample([.value(1), .value(2)], boot, second(number))
        }
        let report = ledger.finish()
        #expect(Self.seconds(report, .muted) == 30)
        #expect(Self.seconds(report, .cardDropped) == 10)
        #expect(Self.seconds(report, .unexplained) == 10)
        #expect(report.lines[0].coveredTenths == 500)
        #expect(report.lines[0].lostCount == 20)
    }

    @Test func aSuspendedNodeExplainsWhatNobodyWasThereToSay() {
        var ledger = Self.ledger([Self.run(1, 0...8_300, .running)])
        let boot = BootID.numbered(1)
        let second = { (number: Int64) in Tick(tenths: number * 10) }
        let here = { (number: Int64) in GapMark.Place(boot, second(number)) }
        ledger.schedule(.seconds(300), boot, from: second(0))
        ledger.sample([.value(1), .value(2)], boot, second(300))
        let mark = GapMark(.suspended, of: nil, from: here(500), to: here(8_000))
        ledger.mark(mark.reaching(back: 4_500))
        // One driver is told of its absence when all wake up, the other makes up for the night.
        for number in stride(from: Int64(600), through: 7_800, by: 300) {
            ledger.sample([.noData(.stopped), .noData(.stopped)], boot, second(number))
        }
        ledger.sample([.noData(.unplugged), .value(2)], boot, second(8_000))
        ledger.sample([.noData(.unplugged), .value(2)], boot, second(8_200))
        let report = ledger.finish()
        #expect(report.lines[0].gaps.map(\.cause) == [.suspended, .unplugged])
        #expect(report.lines[1].gaps.map(\.cause) == [.suspended, .notDue])
        #expect(report.lines[1].gaps[0].tenths == 75_000)
    }

    @Test func whatBeginsWithARunComesAfterTheEndOfTheRunBefore() {
        // No clock says how long it was off, so the second begins where the first ends.
        let runs = [Self.run(1, 0...100, .lost), Self.run(2, 0...100, .running)]
        let clock = ClockAnchors(runs: runs, anchors: [])
        let timeline = GapLedgerTimeline(runs: runs, clock: clock)
        let (first, second) = (BootID.numbered(1), BootID.numbered(2))
        let from = GapMark.Place(second, Tick(tenths: 0))
        let to = GapMark.Place(second, Tick(tenths: 50))
        let mark = GapMark(.muted, of: nil, from: from, to: to)
        var marks = GapMarks([mark], of: StreamDescription.balcony.id, along: timeline)
        #expect(marks.next(upTo: timeline.order(first, Tick(tenths: 1_000))) == nil)
        #expect(marks.next(upTo: timeline.order(second, Tick(tenths: 0))) == mark)
    }

    @Test func aMarkOfTimeInWhichTheNodeWasOffIsNoFault() {
        var ledger = Self.ledger([Self.run(1, 100...200, .stopped)])
        let boot = BootID.numbered(1)
        let tick = { (number: Int64) in Tick(tenths: number * 10) }
        ledger.mark(.damaged, boot, tick(0)..<tick(50))
        #expect(ledger.finish().misplacedCount == 0)
    }

    @Test func whatIsToldOnceExplainsTheSilenceAfterIt() {
        var ledger = Self.ledger([Self.run(1, 0...1_000, .running)])
        let boot = BootID.numbered(1)
        let second = { (number: Int64) in Tick(tenths: number * 10) }
        ledger.schedule(.seconds(1), boot, from: second(0))
        ledger.sample([.value(1), .value(2)], boot, second(1))
        ledger.sample([.noData(.unplugged), .noData(.replyTimeout)], boot, second(2))
        ledger.schedule(nil, boot, from: second(3))
        ledger.schedule(.seconds(10), boot, from: second(990))
        ledger.sample([.value(1), .value(2)], boot, second(1_000))
        let report = ledger.finish()
        #expect(Self.seconds(report, .unplugged) == 989)
        #expect(report.lines[0].gaps.map(\.cause) == [.unplugged])
        #expect(report.lines[1].gaps.map(\.cause) == [.notScheduled, .notDue, .silent])
    }

    @Test func anAbsenceLastsWhateverIsPlannedMeanwhile() {
        var ledger = Self.ledger([Self.run(1, 0...1_000, .running)])
        let boot = BootID.numbered(1)
        let second = { (number: Int64) in Tick(tenths: number * 10) }
        ledger.schedule(.seconds(1), boot, from: second(0))
        ledger.sample([.value(1), .value(2)], boot, second(1))
        ledger.sample([.noData(.unplugged), .noData(.stopped)], boot, second(2))
        // Another device came, and the plan of all was told anew; then the mode changed.
        ledger.schedule(.seconds(1), boot, from: second(400))
        ledger.schedule(.seconds(300), boot, from: second(600))
        ledger.sample([.noData(.unplugged), .noData(.unplugged)], boot, second(990))
        let report = ledger.finish()
        #expect(Self.seconds(report, .unplugged) == 999)
        #expect(report.lines[0].gaps.map(\.cause) == [.unplugged])
        #expect(report.lines[1].gaps.contains { $0.cause == .unexplained })
    }

    @Test func damageTakesNothingFromADeviceThatCameLater() {
        var ledger = Self.ledger([Self.run(1, 0...1_000, .running)])
        let boot = BootID.numbered(1)
        let second = { (number: Int64) in Tick(tenths: number * 10) }
        ledger.mark(.damaged, boot, second(200)..<second(300))
        ledger.schedule(.seconds(10), boot, from: second(990))
        let report = ledger.finish()
        #expect(Self.seconds(report, .damaged) == 100)
    }

    @Test func theWordThatADamagedPartTookIsNotMissed() {
        var ledger = Self.ledger([Self.run(1, 0...1_000, .running)])
        let boot = BootID.numbered(1)
        let second = { (number: Int64) in Tick(tenths: number * 10) }
        ledger.schedule(.seconds(1), boot, from: second(0))
        ledger.sample([.value(1), .noData(.unplugged)], boot, second(1))
        // Somewhere in it was that the first is unplugged as well.
        ledger.mark(.damaged, boot, second(1)..<second(300))
        ledger.sample([.value(1), .value(2)], boot, second(900))
        ledger.sample([.value(1), .value(2)], boot, second(950))
        let report = ledger.finish()
        let first = report.lines[0].gaps.reduce(into: [:]) { $0[$1.cause] = $1.tenths }
        #expect(first[.damaged] == 8_980)
        // It explains nothing after the next sample.
        #expect(first[.unexplained] == 990)
        #expect(report.lines[1].gaps.contains { $0.cause == .unplugged })
    }

    @Test func marksAndStretchesAreBounded() {
        var ledger = Self.ledger([Self.run(1, 0...10_000, .running)])
        for number: Int64 in 0..<1_000 {
            let tick = Tick(tenths: number * 20)
            ledger.mark(.muted, .numbered(1), tick..<Tick(tenths: tick.tenths + 10))
        }
        let report = ledger.finish()
        #expect(Self.seconds(report, .muted) == Int64(GapLedger.marksMax))
        ledger = Self.ledger([Self.run(1, 0...10_000, .running)])
        ledger.schedule(.seconds(1), .numbered(1), from: Tick(tenths: 0))
        for number: Int64 in 1...9_000 {
            let outcome = number % 2 == 0 ? Outcome.value(1) : .noData(.stuck)
            ledger.sample([outcome, .value(1)], .numbered(1), Tick(tenths: number * 10))
        }
        #expect(ledger.finish().lines[0].remainderTenths == 0)
        let taken = ledger.takeStretches().count { $0.channel == 0 }
        #expect(taken <= ChannelTotals.closedMax)
        #expect(taken >= ChannelTotals.closedMax / 2)
    }

    @Test func anEmptyHistoryIsNothing() {
        var ledger = Self.ledger([])
        ledger.sample([.value(1), .value(1)], .numbered(1), Tick(tenths: 1))
        let report = ledger.finish()
        #expect(report.lines.map(\.elapsedTenths) == [0, 0])
        #expect(report.misplacedCount == 1)
    }

    @Test(arguments: 0..<60)
    func positionsAndTicksAndWallTimesAgree(seed: UInt64) {
        let history = GapLedgerHistory(seed: seed)
        let timeline = history.timeline
        let clock = ClockAnchors(runs: history.runs, anchors: history.anchors)
        var latest = WallTime(nanoseconds: .min)
        for position in stride(from: Int64(0), through: timeline.length, by: 10) {
            guard let time = timeline.time(at: position) else { continue }
            #expect(time.wall >= latest)
            latest = time.wall
            let found = timeline.position(at: time.wall)
            #expect(found <= position)
            #expect(timeline.time(at: found)?.wall == time.wall)
        }
        for placed in history.entries {
            let boot = history.runs[placed.run].boot
            let tick = Tick(tenths: Int64(placed.tick) * 10)
            let position = timeline.position(boot, tick)
            #expect(
                position.flatMap { timeline.time(at: $0)?.wall } == clock.time(boot, tick)?.wall
            )
        }
        #expect(timeline.position(.numbered(200), Tick(tenths: 0)) == nil)
        #expect(timeline.position(at: WallTime(nanoseconds: .max)) == timeline.length)
    }

    // MARK: - Words

    @Test func isWrittenAsATable() {
        var ledger = Self.ledger([Self.run(1, 0...100_000, .stopped)])
        ledger.schedule(.hours(1), .numbered(1), from: Tick(tenths: 0))
        for hour: Int64 in 1...27 {
            ledger.sample(
                [.value(1), .noData(.replyTimeout)],
                .numbered(1),
                Tick(tenths: hour * 36_000)
            )
        }
        #expect(
            ledger.finish().text == """
                balcony/pm25
                  elapsed                   1 d 03:46:40.0  100.000 %
                  covered by readings       1 d 03:00:00.0   97.200 %  27 values
                  node stopped                  00:46:40.0    2.800 %  1 gap

                balcony/pm10
                  elapsed                   1 d 03:46:40.0  100.000 %
                  covered by readings           00:00:00.0    0.000 %  0 values
                  sensor silent             1 d 03:00:00.0   97.200 %  1 gap
                  node stopped                  00:46:40.0    2.800 %  1 gap

                """
        )
    }

    @Test func goesThereAndBackAsJSON() throws {
        var ledger = GapLedgerHistory(seed: 5).ledger()
        let report = ledger.finish()
        let data = try JSONEncoder().encode(report)
        #expect(try JSONDecoder().decode(GapLedgerReport.self, from: data) == report)
    }

    @Test func everyCauseHasWordsOfItsOwn() {
        let words = GapCause.allCases.map(\.text)
        #expect(Set(words).count == words.count)
        #expect(words.allSatisfy { $0.count <= 22 })
        #expect(Set(NoData.allCases.map { GapCause($0) }).count == NoData.allCases.count)
    }
}
