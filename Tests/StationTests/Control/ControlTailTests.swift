import ControlProtocol
import Core
import HardwareIO
import TestSupport
import Testing

@testable import Devices
@testable import SimulationKit
@testable import Station
@testable import Store

@Suite struct ControlTailTests {
    private static func text(_ folder: TestFolder) -> String {
        """
        {"name": "test", "mode": "live",
         "devices": [{"name": "dust", "type": "sds011", "port": "/dev/ttyUSB0"}],
         "store": {"folder": "\(folder.path)", "megabytes": 4, "journalBlocks": 64}}
        """
    }

    private static func ask<Asked: Question>(
        _ test: TestStation,
        _ question: Asked
    ) async throws -> ControlAnswer<Asked.Answer> {
        let connection = test.platform.socket.connect()
        defer { connection.close() }
        try connection.send(ControlCodec.line(AskedQuestion(question)))
        let line = try #require(await connection.nextLine())
        #expect(line.utf8.count < 64 * 1_024)
        return try ControlCodec.message(from: line)
    }

    private static func tail(_ test: TestStation, _ question: GetTail) async throws -> TailReport {
        let answer = try await ask(test, question)
        if let error = answer.error { throw error }
        return try #require(answer.body)
    }

    /// The position after all records so far.
    private static func end(_ test: TestStation) async throws -> String {
        try #require(try await tail(test, GetTail()).end)
    }

    /// Ticks of the samples, and kinds of the events.
    private static func content(_ report: TailReport) throws -> (ticks: [Int64], events: [String]) {
        var (ticks, events): ([Int64], [String]) = ([], [])
        for record in report.parts.flatMap({ JournalRecordCodec.contents($0.bytes).records }) {
            switch record {
            case .samples(_, let segment):
                var decoder = try SegmentDecoder(segment, decimals: [1, 1])
                while let (tick, _) = try decoder.next() { ticks.append(tick.tenths) }
            case .event(let event): events.append(event.kind.name)
            default: continue
            }
        }
        return (ticks, events)
    }

    /// Blocks are written between the questions, the history takes them, and questions wait.
    @Test func aFollowerGetsEachSampleOnceInOrder() throws {
        let folder = try TestFolder(isInMemory: true)
        let (given, readings, olderCount) = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder), air: .drifting(seed: 5))
            return try await test.run { test in
                try await test.sleep(.minutes(2))
                var next = try await Self.end(test)
                let from = clock.now
                var (given, olderCount): ([Int64], Int) = ([], 0)
                while clock.now < from.advanced(by: .minutes(190)) {
                    let report = try await Self.tail(
                        test,
                        GetTail(
                            from: next,
                            limit: 400,
                            waitSeconds: 300,
                            samples: TailCondition(atLeast: 100, orAfterSeconds: 45)
                        )
                    )
                    given += try Self.content(report).ticks
                    olderCount += report.next == nil ? 1 : 0
                    next = report.next ?? next
                }
                let seen = test.readings().filter { $0.instant > from }
                return (given, seen.map { Tick($0.instant).tenths }, olderCount)
            }
        }
        #expect(given.count > 11_000)
        #expect(olderCount == 0)
        #expect(given == Array(readings.prefix(given.count)))
        #expect(readings.count - given.count < 100)
    }

    /// Each answer of a follower at 1 Hz is short, whatever waits for the card.
    @Test func anAnswerHasOnlyWhatIsNew() throws {
        let folder = try TestFolder(isInMemory: true)
        let (asked, answered) = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder), air: .drifting(seed: 5))
            return try await test.run { test in
                try await test.sleep(.minutes(9))
                var next = try await Self.end(test)
                var (asked, answered) = (0, 0)
                for _ in 0..<60 {
                    let request = GetTail(from: next, limit: 500, waitSeconds: 300)
                    let report = try await Self.tail(test, request)
                    #expect(try Self.content(report).ticks.count == 1)
                    asked += try ControlCodec.line(AskedQuestion(request)).utf8.count
                    answered += try ControlCodec.line(ControlAnswer(.success(report))).utf8.count
                    next = try #require(report.next)
                }
                return (asked / 60, answered / 60)
            }
        }
        #expect(asked < 200 && answered < 400, "\(asked) and \(answered) bytes")
    }

    @Test func aPositionThatMemoryDoesNotHaveHasNoNext() throws {
        let folder = try TestFolder(isInMemory: true)
        let (old, strange, ahead, good) = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder), air: .drifting(seed: 5))
            return try await test.run { test in
                try await test.sleep(.minutes(2))
                let old = try await Self.end(test)
                try await test.sleep(.minutes(45))
                let end = try await Self.end(test)
                let strange = end.replacing("-", with: "-9")
                let ahead = end + "0"
                return (
                    try await Self.tail(test, GetTail(from: old)),
                    try await Self.tail(test, GetTail(from: strange)),
                    try await Self.tail(test, GetTail(from: ahead)),
                    try await Self.tail(test, GetTail(from: end))
                )
            }
        }
        for report in [old, strange, ahead] { #expect(report.next == nil && report.parts.isEmpty) }
        #expect(good.next != nil)
    }

    /// Memory never has so many samples, so that such a question would wait for nothing.
    @Test func aConditionThatMemoryCannotFulfilIsRefused() throws {
        let folder = try TestFolder(isInMemory: true)
        let refusals = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder), air: .drifting(seed: 5))
            return try await test.run { test in
                try await test.sleep(.minutes(1))
                let next = try await Self.end(test)
                var refusals: [String?] = []
                for count in [0, 2_048, 2_049] {
                    let samples = TailCondition(atLeast: count)
                    let request = GetTail(from: next, samples: samples)
                    let answer = try await Self.ask(test, request)
                    refusals.append(answer.error?.message)
                }
                return refusals
            }
        }
        #expect(refusals[0] == refusals[2] && refusals[1] == nil)
        #expect(refusals[0]?.contains("samples.atLeast is 1 to 2048") == true, "\(refusals)")
    }

    /// Two boots may start the process at the same nanosecond.
    @Test func aPositionOfAnotherBootHasNoNext() throws {
        func ends(boot number: UInt8, from position: String? = nil) throws -> [String?] {
            let folder = try TestFolder(isInMemory: true)
            return try simulate { clock in
                let platform = SimulatedPlatform(clock: clock, card: SimulatedCard())
                platform.boot = BootID(bytes: [UInt8](repeating: number, count: 16))
                let air = SDS011Air.drifting(seed: 5)
                let test = try TestStation(clock, Self.text(folder), on: platform, air: air)
                return try await test.run { test in
                    try await test.sleep(.minutes(1))
                    let end = try await Self.end(test)
                    return [end, try await Self.tail(test, GetTail(from: position ?? end)).next]
                }
            }
        }
        let first = try ends(boot: 1)
        #expect(first[0] != nil && first[0] == first[1])
        #expect(try ends(boot: 1, from: first[0])[1] == first[0])
        #expect(try ends(boot: 2, from: first[0])[1] == nil)
    }

    /// A device that is gone is recorded while the station is followed, and may share a tenth with
    /// its last sample.
    @Test func rowsWithinATenthComeOneAfterTheOther() throws {
        let ticks = try simulate { clock in
            let queue = StoreQueue(
                StoreIntake(lossWindow: .seconds(600), capacity: 1_024, streams: []),
                mirror: nil,
                clock: clock,
                attention: Signal(),
                schedule: { _ in .seconds(1) }
            )
            let number = queue.beginRecent()
            let channel = Channel(device: "dust", quantity: .pm25)
            for value in [Int64(1), 2] {
                let outcome = Outcome.value(FixedPoint(value, decimals: 1))
                queue.append([Reading(channel, at: clock.now, outcome)])
            }
            queue.reportAbsent(besides: [])
            var ticks: [Int64] = []
            for record in queue.recent(after: number, limit: 9)?.records ?? [] {
                guard case .samples(_, let segment) = record else { continue }
                var decoder = try SegmentDecoder(segment)
                while let (tick, _) = try decoder.next() { ticks.append(tick.tenths) }
            }
            return ticks
        }
        #expect(ticks == [0, 1, 2])
    }

    @Test func anUrgentEventEndsTheWait() throws {
        let folder = try TestFolder(isInMemory: true)
        let (waited, names) = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder), air: .drifting(seed: 5))
            return try await test.run { test in
                try await test.sleep(.minutes(3))
                let next = try await Self.end(test)
                let begin = clock.now
                async let report = Self.tail(
                    test,
                    GetTail(from: next, waitSeconds: 300, samples: TailCondition(atLeast: 2_048))
                )
                try await test.sleep(.seconds(20))
                let event = RecordCourierEvent(
                    "outbox held",
                    ["target": "a", "why": "401"]
                )
                let kept = try await Self.ask(test, event)
                #expect(kept.body?.isKept == true)
                let names = try Self.content(await report).events
                return (begin.duration(to: clock.now), names)
            }
        }
        #expect(waited < .seconds(21))
        #expect(names.contains("outbox held"))
    }

    @Test func whatTheCourierCannotSendIsAFaultUntilItCan() throws {
        let folder = try TestFolder()
        let seen = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder), air: .drifting(seed: 5))
            return try await test.run { test in
                try await test.sleep(.minutes(1))
                func say(_ kind: String, _ target: String, _ why: String?) async throws
                    -> [String]
                {
                    var details = ["target": target]
                    details["why"] = why
                    let event = RecordCourierEvent(kind, details)
                    let _ = try await Self.ask(test, event)
                    let status = try await Self.ask(test, GetStatus())
                    return status.body?.faults.map { "\($0.id) \($0.sentence)" }.sorted() ?? []
                }
                var seen = [try await say("outbox late", "phone", "status 401")]
                seen.append(try await say("outbox late", "map", "no sensor for it"))
                seen.append(try await say("outbox in time", "phone", nil))
                // Beyond the events of an hour the fault ends all the same.
                for _ in 0..<60 { _ = try await say("outbox refused", "map", "400") }
                seen.append(try await say("outbox late", "phone", "status 403"))
                seen.append(try await say("courier stopped", "all", nil))
                return seen
            }
        }
        let (phone, map) = ("outbox-fails:phone phone: ", "outbox-fails:map map: no sensor for it")
        #expect(
            seen == [
                [phone + "status 401"], [map, phone + "status 401"], [map],
                [map, phone + "status 403"], [],
            ]
        )
    }

    @Test func cursorsAreKeptAndASeventeenthIsRefused() throws {
        let folder = try TestFolder(isInMemory: true)
        let (report, durable, refusal) = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder), air: .drifting(seed: 5))
            return try await test.run { test in
                try await test.sleep(.minutes(1))
                for number in 0..<16 {
                    let request = KeepCursor("t\(number)", [UInt8(number), 7])
                    let answer = try await Self.ask(test, request)
                    #expect(answer.body?.number == Int64(number + 1))
                }
                let urgent = KeepCursor("t3", [3, 8], isUrgent: true)
                let set = try await Self.ask(test, urgent)
                #expect(set.body?.durable == 0)
                try await test.sleep(.seconds(5))
                let all = try await Self.ask(test, KeepCursor())
                let more = try await Self.ask(test, KeepCursor("one more", [1]))
                return (all.body, all.body?.durable, more.error)
            }
        }
        #expect(report?.cursors.count == 16 && report?.number == 17 && durable == 17)
        #expect(report?.cursors.first { $0.name == "t3" }?.bytes == [3, 8])
        #expect(refusal?.code == .busy)
        let stored = try HistoryReader(path: "\(folder.path)/history.db").cursors()
        #expect(stored.count == 16)
    }

    /// Notices that went out must not keep a fault of a target away.
    @Test func halfOfAnHourIsForNotices() throws {
        let folder = try TestFolder(isInMemory: true)
        let (kept, other) = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder), air: .drifting(seed: 5))
            return try await test.run { test in
                try await test.sleep(.minutes(1))
                var kept = 0
                for _ in 0..<40 {
                    let details = ["target": "phone", "key": "who-24h:dust/pm25"]
                    let event = RecordCourierEvent("notice sent", details)
                    kept += try await Self.ask(test, event).body?.isKept == true ? 1 : 0
                }
                let event = RecordCourierEvent("outbox held", ["target": "map", "why": "401"])
                return (kept, try await Self.ask(test, event).body?.isKept)
            }
        }
        #expect(kept == CourierEventReport.countPerHour / 2)
        #expect(other == true)
    }

    @Test func theCourierSaysSixtyThingsAnHour() throws {
        let folder = try TestFolder(isInMemory: true)
        let (kept, refused) = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder), air: .drifting(seed: 5))
            return try await test.run { test in
                try await test.sleep(.minutes(1))
                var kept = 0
                for _ in 0..<70 {
                    let event = RecordCourierEvent("outbox refused", ["target": "a"])
                    let answer = try await Self.ask(test, event)
                    kept += answer.body?.isKept == true ? 1 : 0
                }
                // Each of the two has its own hour.
                let camera = RecordCameraEvent("camera works again", ["count": "3"])
                let taken = try await Self.ask(test, camera)
                #expect(taken.body?.isKept == true)
                let mixed = RecordCameraEvent("outbox held", [:])
                let other = try await Self.ask(test, mixed)
                #expect(other.error?.code == .badRequest)
                let wrong = RecordCourierEvent("card writes again", [:])
                let answer = try await Self.ask(test, wrong)
                return (kept, answer.error?.code)
            }
        }
        #expect(kept == CourierEventReport.countPerHour)
        #expect(refused == .badRequest)
    }
}
