import ControlProtocol
import Core
import Glibc
import HardwareIO
import TestSupport
import Testing

@testable import Devices
@testable import SimulationKit
@testable import Station
@testable import Store

@Suite struct MuteListTests {
    private static func text(_ folder: TestFolder?) -> String {
        let store = folder.map {
            ", \"store\": {\"folder\": \"\($0.path)\", \"megabytes\": 4, \"journalBlocks\": 64}"
        }
        return """
            {"name": "test", "mode": "live", "lights": {},
             "devices": [{"name": "dust", "type": "sds011", "port": "/dev/ttyUSB0"}]\(store ?? "")}
            """
    }

    private static func mutes(_ answer: ControlAnswer<DevicesReport>) -> [MuteReport] {
        answer.body?.devices.first { $0.name == "dust" }?.mutes ?? []
    }

    /// The line of a channel in the account of a whole history, as `roost ledger` makes it.
    private static func ledger(_ folder: TestFolder) throws -> [GapLedgerReport.Line] {
        let reader = try HistoryReader(path: "\(folder.path)/history.db")
        let runs = try reader.runs().map { run in
            let stopped = try #require(run.stopped)
            return NodeRun(boot: run.boot, started: run.started, ended: stopped, end: .stopped)
        }
        let clock = ClockAnchors(runs: runs, anchors: try reader.anchors())
        let stream = try #require(try reader.streams().first)
        let timeline = GapLedgerTimeline(runs: runs, clock: clock)
        var ledger = GapLedger(stream, along: timeline)
        var schedules = try reader.schedules()[...]
        let samples = try RawSamples(reader, stream.id, StreamExtents(reader).spans(of: stream.id))
        while let sample = try samples.next() {
            while let next = schedules.first, next.from <= sample.tick {
                ledger.schedule(next.interval, next.boot, from: next.from)
                schedules.removeFirst()
            }
            ledger.sample(sample.outcomes, sample.boot, sample.tick)
        }
        return ledger.finish().lines
    }

    /// Read, changed and written back outside the lock, one of two that came together was lost.
    @Test func mutesFromSeveralThreadsAreAllKept() async {
        for _ in 0..<200 {
            let board = MuteList(
                clock: SimulatedClock(),
                boot: BootID(bytes: Array(repeating: 1, count: 16))
            )
            await withDiscardingTaskGroup { group in
                for number in 0..<MuteList.countMax {
                    group.addTask { _ = board.mute("dust-\(number)", for: nil) }
                }
            }
            #expect(board.current.count == MuteList.countMax)
        }
    }

    @Test func aMutedChannelIsMutedInTheLedgerForAsLongAsItWasSaid() throws {
        let folder = try TestFolder(isInMemory: true)
        let (facts, kinds, wakes) = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder), air: .drifting(seed: 5))
            return try await test.run { test in
                try await test.sleep(.minutes(20))
                let muted = try await test.ask(MuteDevice("dust/pm25", seconds: 3_600))
                try await test.sleep(.minutes(90))
                let later = try await test.ask(GetDevices())
                let readings = test.readings(.pm10).count { $0.outcome.value == nil }
                let kinds = test.events.filter { $0.source == "control" }.map(\.kind.name)
                return ([Self.mutes(muted).count, Self.mutes(later).count], kinds, readings)
            }
        }
        #expect(facts == [1, 0])
        #expect(kinds == ["muted"])
        let lines = try Self.ledger(folder)
        let gaps = lines.map { line in line.gaps.first { $0.cause == .muted } }
        // To the sample.
        #expect((35_990...36_010).contains(gaps[0]?.tenths ?? 0))
        #expect(gaps[0]?.count == 1)
        // The other channel of the device goes on.
        #expect(gaps[1] == nil && wakes < 40)
        #expect(lines.allSatisfy { $0.remainderTenths == 0 })
        #expect(lines.allSatisfy { line in !line.gaps.contains { $0.cause == .unexplained } })
    }

    @Test func aMutedDeviceStaysMutedThroughARestartUntilItIsTakenBack() throws {
        let folder = try TestFolder(isInMemory: true)
        let (first, second, values) = try simulate { clock in
            let one = try TestStation(clock, Self.text(folder), air: .drifting(seed: 5))
            let first = try await one.run { test in
                try await test.sleep(.minutes(5))
                let answer = try await test.ask(MuteDevice("dust"))
                try await test.sleep(.minutes(5))
                return Self.mutes(answer)
            }
            let two = try TestStation(
                clock,
                Self.text(folder),
                air: .drifting(seed: 6),
                card: one.platform.card
            )
            let (second, values) = try await two.run { test in
                try await test.sleep(.minutes(10))
                let mutedValues = test.readings().count { $0.outcome.value != nil }
                let lamp = test.station.status.lamp
                let answer = try await test.ask(UnmuteDevice("dust"))
                try await test.sleep(.minutes(10))
                let values = test.readings().count { $0.outcome.value != nil }
                return (Self.mutes(answer).map(\.target) + [lamp ?? ""], [mutedValues, values])
            }
            return (first, second, values)
        }
        #expect(first == [MuteReport(target: "dust", endTime: nil, endsInSeconds: nil)])
        #expect(second == ["unknown"])
        #expect(values[0] == 0 && values[1] > 590)
        #expect(try HistoryReader(path: "\(folder.path)/history.db").settings()["mute.dust"] == nil)
    }

    @Test func whatCannotBeMutedIsSaidInWords() throws {
        let answers = try simulate { clock in
            let test = try TestStation(clock, Self.text(nil))
            return try await test.run { test in
                try await test.sleep(.minutes(1))
                let answers = [
                    try await test.ask(MuteDevice("")),
                    try await test.ask(MuteDevice("attic")),
                    try await test.ask(MuteDevice("dust/pm1")),
                    try await test.ask(MuteDevice("dust", seconds: 0)),
                    try await test.ask(MuteDevice("dust", seconds: -1e300)),
                    try await test.ask(UnmuteDevice("dust")),
                ]
                #expect(
                    Self.mutes(try await test.ask(MuteDevice("dust", seconds: 1e300))).count == 1
                )
                return answers
            }
        }
        #expect(
            answers.map { $0.error?.code } == [
                .notFound, .notFound, .notFound, .badRequest, .badRequest,
                .notFound,
            ]
        )
        #expect(answers[1].error?.message.contains("dust/pm10, dust/pm25") == true)
    }

    @Test func aMuteThatFindsNoRoomInTheStoreIsDoneAndNotKept() throws {
        let folder = try TestFolder(isInMemory: true)
        let (failure, mutes) = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder), air: .drifting(seed: 5))
            return try await test.run { test in
                try await test.sleep(.minutes(5))
                let store = test.station.state.store
                for number in await (try store.settings()).count..<64 {
                    try await store.set("setting \(number)", to: "1")
                }
                let answer = try await test.ask(MuteDevice("dust"))
                return (answer.error, Self.mutes(try await test.ask(GetDevices())))
            }
        }
        #expect(failure?.code == .notKept)
        #expect(failure?.message.contains("done, but a restart forgets it") == true)
        #expect(mutes.map(\.target) == ["dust"])
    }

    @Test func aReasonWhyThereIsNoValueStays() throws {
        try simulate { clock in
            let board = MuteList(clock: clock, boot: BootID(bytes: Array(repeating: 1, count: 16)))
            #expect(board.mute("dust", for: nil))
            let channel = Channel(device: "dust", quantity: .pm25)
            let other = Channel(device: "dusty", quantity: .pm25)
            let readings = [
                Reading(channel, at: clock.now, .noData(.unplugged)),
                Reading(channel, at: clock.now, .value(1.5, .ceiling)),
                Reading(other, at: clock.now, .value(2.5)),
            ]
            #expect(
                board.applied(to: readings).map(\.outcome) == [
                    .noData(.unplugged), .noData(.muted), .value(2.5),
                ]
            )
            for number in 1..<MuteList.countMax { #expect(board.mute("d\(number)", for: nil)) }
            #expect(!board.mute("one too many", for: nil))
            #expect(board.mute("dust", for: .minutes(1)), "what is muted already may be changed")
        }
    }

    @Test func inAnotherBootOnlyTheWallClockEndsAMute() throws {
        let boots = [1, 2].map { BootID(bytes: Array(repeating: $0, count: 16)) }
        let end = Mute.End(
            boot: boots[0],
            instant: MonotonicInstant(nanoseconds: 1_000),
            wall: WallTime(nanoseconds: 5_000)
        )
        let mute = try #require(
            Mute(setting: "mute.dust/pm25", Mute(target: "dust/pm25", end: end).settingValue)
        )
        #expect(mute.target == "dust/pm25" && mute.end == end)
        let early = MonotonicInstant(nanoseconds: 999)
        let late = MonotonicInstant(nanoseconds: 1_000)
        #expect(mute.holds(in: boots[0], at: early, WallTime(nanoseconds: 9_000)))
        #expect(!mute.holds(in: boots[0], at: late, nil))
        #expect(mute.holds(in: boots[1], at: late, nil))
        #expect(mute.holds(in: boots[1], at: late, WallTime(nanoseconds: 4_999)))
        #expect(!mute.holds(in: boots[1], at: early, WallTime(nanoseconds: 5_000)))
        let undated = Mute(
            target: "dust",
            end: Mute.End(boot: boots[0], instant: late, wall: nil)
        )
        #expect(Mute(setting: undated.settingKey, undated.settingValue) == undated)
        #expect(!undated.holds(in: boots[1], at: early, nil))
        for text in ["", "never", "x 1 2", "\(boots[0]) x -"] {
            #expect(Mute(setting: "mute.dust", text) == nil)
        }
    }
}
