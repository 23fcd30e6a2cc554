import Core
import Testing

@testable import RoostCourier
@testable import Store
@testable import StoreQueries

@Suite struct NoticePlannerTests {
    private static let key = AlertEvent.Key("who-24h", "balcony/pm25")

    private static func raised(
        _ number: Int64,
        _ severity: AlertSeverity = .warning,
        _ key: AlertEvent.Key = key
    ) -> AlertChange {
        var raised = AlertEvent.Raised(number, key)
        (raised.severity, raised.value, raised.unit) = (severity, 16.1, "µg/m³")
        return AlertChange(number: number, event: .raised(raised), time: nil)
    }

    private static func resolved(_ number: Int64, of raise: Int64) -> AlertChange {
        AlertChange(
            number: number,
            event: .resolved(
                AlertEvent.Resolved(
                    number: number,
                    raise: raise,
                    key: key,
                    why: .over,
                    lasted: 3_600,
                    worst: 18.4,
                    severity: .warning
                )
            ),
            time: nil
        )
    }

    /// Sends the due notices of each second of a range, and returns their times.
    private static func run(
        _ planner: inout NoticePlanner,
        _ seconds: ClosedRange<Int64>,
        wall: Int64? = nil,
        in zone: Zone = .utc,
        _ happening: (Int64) -> [AlertChange] = { _ in [] }
    ) -> [(second: Int64, plan: NoticePlanner.Plan)] {
        var sent: [(second: Int64, plan: NoticePlanner.Plan)] = []
        for second in seconds {
            let now = MonotonicInstant(nanoseconds: second * 1_000_000_000)
            for news in happening(second) { planner.apply(news, at: now) }
            let date = wall.map { WallTime(nanoseconds: ($0 + second) * 1_000_000_000) }
            while case .send(let plan) = planner.decide(at: now, date, in: zone) {
                sent.append((second, plan))
                planner.finish(plan, at: now)
            }
        }
        return sent
    }

    /// Alerts that come and go for a day: three an hour at 20 min, twelve at 5, one at 60.
    @Test(arguments: [(1_200, 3), (300, 12), (3_600, 1)])
    func keepsNoticesApart(every: Int, count: Int) {
        var options = ReceiverOptions()
        options.every = .seconds(every)
        var planner = NoticePlanner(options)
        var number: Int64 = 0
        let sent = Self.run(&planner, 1...86_400) { second in
            guard second % 30 == 0 else { return [] }
            number += 1
            let isRaise = number % 2 == 1
            return [isRaise ? Self.raised(number) : Self.resolved(number, of: number - 1)]
        }
        for hour in 0..<24 {
            let range = Int64(hour) * 3_600..<Int64(hour + 1) * 3_600
            let hourly = sent.filter { range.contains($0.second) }
            #expect(hourly.count { !$0.plan.raised.isEmpty } <= count)
            #expect(hourly.count { $0.plan.raised.isEmpty } <= count)
        }
        #expect(sent.count >= 24 * count - 2)
    }

    @Test func aRestartSendsAgainWhatWasNotSentAlone() {
        let other = AlertEvent.Key("who-24h", "balcony/pm10")
        // The first became worse before the restart, and that was sent too.
        let worse = Self.level(3, of: 1, 2, was: 1)
        let standing = [Self.raised(1), Self.raised(2, .warning, other), worse]
        for (sent, rest) in [([1, 2], []), ([1], [2]), ([], [1, 2])] as [(Set<Int64>, [Int64])] {
            var planner = NoticePlanner(ReceiverOptions())
            planner.begin(after: 2, tokenAt: .boot, sent: sent, standing, at: .boot)
            let plans = Self.run(&planner, 1...600)
            #expect(plans.count == (rest.isEmpty ? 0 : 1))
            #expect(plans.flatMap(\.plan.raised).sorted() == rest)
        }
    }

    @Test func aTestForOneReceiverReachesItAlone() {
        for (flags, receiver, count) in [
            (["test"], "phone", 1), (["test", "to:phone"], "phone", 1),
            (["test", "to:phone"], "mail", 0), (["test", "to:phone2"], "phone", 0),
        ] {
            var planner = NoticePlanner(ReceiverOptions(), for: receiver)
            var raised = AlertEvent.Raised(1, .init("who-24h", "test"))
            raised.flags = flags
            let sent = Self.run(&planner, 1...60) { second in
                second == 1 ? [AlertChange(number: 1, event: .raised(raised), time: nil)] : []
            }
            #expect(sent.count == count, "\(flags) at \(receiver)")
        }
    }

    @Test func whatHappensAtOnceGoesTogetherAndNothingThatLastsIsLost() {
        var options = ReceiverOptions()
        options.every = .seconds(1_200)
        var planner = NoticePlanner(options)
        let other = AlertEvent.Key("who-24h", "balcony/pm10")
        let late = AlertEvent.Key("station", "dust")
        let sent = Self.run(&planner, 1...3_000) { second in
            switch second {
            case 5: [Self.raised(1)]
            case 8: [Self.raised(2, .warning, other)]
            case 100: [Self.raised(3, .warning, late)]
            default: []
            }
        }
        #expect(sent.map(\.second) == [15, 1_215])
        #expect(sent.first?.plan.raised == [1, 2])
        #expect(sent.last?.plan.raised == [3])
    }

    @Test func aCriticalAlertPassesTheEmptyBucketOnce() {
        var options = ReceiverOptions()
        options.wait = .zero
        var planner = NoticePlanner(options)
        let worse = AlertEvent.Key("us-nowcast", "balcony/pm25")
        let sent = Self.run(&planner, 1...1_150) { second in
            second == 5 ? [Self.raised(1)] : second == 60 ? [Self.raised(2, .critical, worse)] : []
        }
        #expect(sent.map(\.second) == [6, 61])
        #expect(sent.last?.plan.takesToken == false)
    }

    private static func level(
        _ number: Int64,
        of raise: Int64,
        _ level: Int,
        was: Int
    ) -> AlertChange {
        let change = AlertEvent.Level(
            number: number,
            raise: raise,
            key: key,
            level: level,
            was: was,
            severity: .warning,
            value: nil
        )
        return AlertChange(number: number, event: .level(change), time: nil)
    }

    /// The table *what may speak when* of docs/reference/courier.md: seconds after the one before.
    @Test func anEndDelaysNoBeginningAndWhatIsWorsePasses() {
        let other = AlertEvent.Key("who-24h", "balcony/pm10")
        let rule = AlertEvent.Key("us-nowcast", "balcony/pm25")
        let cases: [(String, [Int64: AlertChange], [Int64])] = [
            // The receiver was sent a beginning 100 s ago.
            ("other device", [100: Self.raised(2, .warning, other)], [11, 1_211]),
            ("other rule", [100: Self.raised(2, .warning, rule)], [11, 1_211]),
            ("critical", [100: Self.raised(2, .critical, rule)], [11, 110]),
            ("worse", [100: Self.level(2, of: 1, 2, was: 1)], [11, 110]),
            (
                "worse than told only once",
                [
                    100: Self.level(2, of: 1, 2, was: 1), 200: Self.level(3, of: 1, 1, was: 2),
                    300: Self.level(4, of: 1, 2, was: 1), 400: Self.level(5, of: 1, 3, was: 2),
                ],
                [11, 110, 400]
            ),
            ("end", [100: Self.resolved(2, of: 1)], [11, 1_211]),
            // Its end was sent 100 s ago.
            (
                "after an end",
                [100: Self.resolved(2, of: 1), 1_300: Self.raised(3)], [11, 1_211, 1_310]
            ),
            (
                "an end after an end",
                [
                    100: Self.resolved(2, of: 1), 1_300: Self.raised(3),
                    1_320: Self.resolved(4, of: 3),
                ],
                [11, 1_211, 1_310, 2_510]
            ),
        ]
        for (name, happening, wanted) in cases {
            var options = ReceiverOptions()
            options.remind = nil
            var planner = NoticePlanner(options)
            let sent = Self.run(&planner, 1...3_600) { second in
                second == 1 ? [Self.raised(1)] : happening[second].map { [$0] } ?? []
            }
            let times = sent.map(\.second)
            #expect(times.prefix(wanted.count) == wanted[...], "\(name)")
        }
    }

    /// The end of an alert that was never sent does not delay the next alert, as it once did.
    @Test func whatCameAndWentUnsentDelaysNoBeginning() {
        var planner = NoticePlanner(ReceiverOptions())
        let now = { MonotonicInstant(nanoseconds: $0 * 1_000_000_000) }
        planner.apply(Self.raised(1), at: now(1))
        planner.apply(Self.resolved(2, of: 1), at: now(16))
        guard case .send(let plan) = planner.decide(at: now(36), nil, in: .utc) else {
            Issue.record("the end is not sent")
            return
        }
        #expect(plan.ended.count == 1 && plan.raised.isEmpty)
        planner.finish(plan, at: now(36))
        planner.apply(Self.raised(3), at: now(74))
        guard case .send(let next) = planner.decide(at: now(84), nil, in: .utc) else {
            Issue.record("the next beginning waits")
            return
        }
        #expect(next.raised == [3])
    }

    /// With a wait of nothing the second pollutant of one sample came an interval later.
    @Test func alertsOfOneSampleGoTogetherWhateverTheWait() {
        var options = ReceiverOptions()
        options.wait = .zero
        var planner = NoticePlanner(options)
        let start = MonotonicInstant(nanoseconds: 5_000_000_000)
        planner.apply(Self.raised(1), at: start)
        #expect(
            planner.decide(at: start, nil, in: .utc)
                == .wait(until: start.advanced(by: .seconds(1)), .grouped)
        )
        planner.apply(
            Self.raised(2, .warning, .init("who-24h", "balcony/pm10")),
            at: start.advanced(by: .milliseconds(3))
        )
        let due = start.advanced(by: .seconds(1))
        guard case .send(let plan) = planner.decide(at: due, nil, in: .utc) else {
            Issue.record("nothing is sent")
            return
        }
        #expect(plan.raised == [1, 2])
    }

    @Test func remindsWhileItLastsAndNotOnceItIsAcknowledged() {
        var options = ReceiverOptions()
        options.remind = .seconds(3_600)
        var planner = NoticePlanner(options)
        let note = AlertChange(
            number: 2,
            event: .acknowledged(AlertEvent.Acknowledged(2, of: 1, Self.key, by: "ann", for: nil)),
            time: nil
        )
        let sent = Self.run(&planner, 1...20_000) { second in
            second == 10 ? [Self.raised(1)] : second == 9_000 ? [note] : []
        }
        #expect(sent.map(\.second) == [20, 3_620, 7_220])
        #expect(sent.last?.plan.reminders == [1])
    }

    @Test func ofWhatCameAndWentThereIsOneLineOrNone() {
        for tells in [true, false] {
            var options = ReceiverOptions()
            options.tellsResolved = tells
            var planner = NoticePlanner(options)
            let sent = Self.run(&planner, 1...3_000) { second in
                switch second {
                case 1: [Self.raised(1)]
                case 100: [Self.resolved(2, of: 1)]
                case 200: [Self.raised(3)]
                case 300: [Self.resolved(4, of: 3)]
                default: []
                }
            }
            #expect(sent.map(\.second) == (tells ? [11, 1_211] : [11]))
            #expect(sent.last?.plan.ended.count == (tells ? 2 : 0))
        }
    }

    /// Both nights of a change of the clocks: the hours from 22:30 to 07:00 are quiet.
    ///
    /// The zone is made for the test.
    @Test(arguments: [true, false]) func isQuietByTheClocksOfTheZone(forward: Bool) {
        let midnight: Int64 = 1_795_305_600
        let change = midnight + 3 * 3_600
        let zone = Zone { second in
            Int64(second) < change ? 3_600 : forward ? 7_200 : 0
        }
        var options = ReceiverOptions()
        options.quiet = QuietHours(from: 22 * 60 + 30, to: 7 * 60)
        options.remind = nil
        options.wait = .zero
        var planner = NoticePlanner(options)
        let worse = AlertEvent.Key("us-nowcast", "balcony/pm25")
        // From 23:00 on the clocks of the evening.
        let start = midnight - 2 * 3_600
        let sent = Self.run(&planner, 1...43_200, wall: start, in: zone) { second in
            switch second {
            case 60: [Self.raised(1)]
            case 600: [Self.raised(2, .critical, worse)]
            default: []
            }
        }
        let end = midnight + (forward ? 5 : 7) * 3_600 - start
        #expect(sent.map(\.second) == [600, end])
        #expect(sent.last?.plan.raised == [1])
        // Without a clock no hour is quiet.
        var blind = NoticePlanner(options)
        #expect(Self.run(&blind, 1...10) { $0 == 5 ? [Self.raised(1)] : [] }.count == 1)
    }

    @Test func filtersByRuleChannelAndSeverity() {
        var options = ReceiverOptions()
        options.rules = ["who-*"]
        options.channels = ["*/pm25"]
        options.severities = [.warning]
        options.wait = .zero
        var planner = NoticePlanner(options)
        let news = [
            Self.raised(1, .critical), Self.raised(2, .warning, .init("eaqi", "balcony/pm25")),
            Self.raised(3, .warning, .init("who-24h", "balcony/pm10")), Self.raised(4),
        ]
        let sent = Self.run(&planner, 1...10) { $0 == 1 ? news : [] }
        #expect(sent.map(\.plan.raised) == [[4]])
    }

    /// Ten thousand alerts in an hour: a bounded memory, and no more than three notices.
    @Test func aFloodIsBounded() {
        var planner = NoticePlanner(ReceiverOptions())
        var number: Int64 = 0
        let sent = Self.run(&planner, 1...3_600) { _ in
            (0..<3).map { _ in
                number += 1
                return Self.raised(number, .warning, .init("r\(number)", "a/b"))
            }
        }
        #expect(sent.count <= 3)
        #expect(planner.alerts.count <= NoticePlanner.limit)
        #expect(planner.omittedCount > 10_000)
    }

    @Test func aCursorKeepsWhatItSays() throws {
        var cursor = NoticeCursor()
        (cursor.lastNumber, cursor.sentCount, cursor.told) = (412, 9, [400, 411])
        cursor.sentTime = WallTime(nanoseconds: 1_795_321_800_000_000_000)
        cursor.sentAge = .seconds(77)
        #expect(try NoticeCursor(cursor.encode()) == cursor)
        #expect(cursor.encode().count < 64)
        var chance = SplitMix64(seed: 7)
        for _ in 0..<5_000 {
            let count = chance.next() % 40
            let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: chance.next()) }
            // Damaged bytes are an error, never a trap.
            _ = try? NoticeCursor(bytes)
            _ = try? NoticeCursor([3] + bytes)
        }
    }
}
