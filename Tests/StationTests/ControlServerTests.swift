import ControlProtocol
import Core
import HardwareIO
import Synchronization
import Testing

@testable import Devices
@testable import Profiles
@testable import Runtime
@testable import SimulationKit
@testable import Station
@testable import Store

@Suite struct ControlServerTests {
    /// Sixteen people who forgot their terminals locked everybody out for two minutes.
    @Test func theConnectionThatIsIdleForTheLongestTimeMakesRoom() throws {
        let (answered, firstSays, secondIsOpen, hasItem) = try simulate { clock in
            let test = try TestStation(clock)
            return try await test.run { test in
                try await test.sleep(.seconds(1))
                let listener = test.platform.socket.connect()
                try listener.send(ControlCodec.line(AskedQuestion(FollowLive())))
                try await test.sleep(.seconds(1))
                var idle: [any LineConnection] = []
                for _ in 1..<LineServer.connectionLimit {
                    idle.append(test.platform.socket.connect())
                    try await test.sleep(.milliseconds(10))
                }
                let answer = try await test.ask(GetStatus())
                let first = try await idle[0].nextLine()
                try idle[1].send(ControlCodec.line(AskedQuestion(GetStatus())))
                let second = try await idle[1].nextLine()
                let item = try await listener.nextLine()
                for connection in idle + [listener] { connection.close() }
                return (
                    answer.body != nil, first ?? "", second?.contains("\"body\"") == true,
                    item != nil
                )
            }
        }
        #expect(answered && secondIsOpen && hasItem)
        #expect(firstSays.contains("\"busy\""))
    }

    /// A page shows when the next value comes, and which reading decides the lamp's colour.
    @Test func theStatusSaysWhatToWaitFor() throws {
        let (warming, asleep, lamp, range) = try simulate { clock in
            let test = try TestStation(clock)
            return try await test.run { test in
                func progress() async throws -> ProgressReport? {
                    let answer = try await test.ask(GetDevices())
                    return answer.body?.devices.first { $0.name == "dust" }?.progress
                }
                try await test.sleep(.seconds(10))
                let warming = try await progress()
                try await test.sleep(.seconds(60))
                let asleep = try await progress()
                let status = try await test.ask(GetStatus()).body
                let pm25 = status?.channels.first { $0.channel == "dust/pm25" }
                #expect(pm25?.progress?.phase == "asleep")
                return (warming, asleep, status?.lampCause, pm25?.facts)
            }
        }
        #expect(warming?.phase == "warming")
        #expect(warming?.endsInSeconds.map { (1...30).contains($0) } == true)
        #expect(asleep?.phase == "asleep")
        #expect(asleep?.nextInSeconds.map { (200...300).contains($0) } == true)
        #expect(lamp?.device == "dust" && lamp?.level == "good" && lamp?.rule == "sample-levels")
        #expect(lamp?.because == ["dust/pm25", "dust/pm10"])
        #expect(range?.profile == "nova-sds011" && range?.decimals == 1 && range?.least == 0)
    }

    @Test(
        arguments: [
            ("cellar", nil, .notFound), ("dust/pm99", nil, .notFound),
            ("dust/pm25", nil, nil), ("dust", nil, nil), ("door", nil, nil), (nil, nil, nil),
            (nil, 3_600, .badRequest), (nil, 30, nil), (nil, -86_400, nil),
        ] as [(String?, Int?, RefusalCode?)]
    )
    func aNoteIsOfWhatIsThereAndOfWhatWas(
        target: String?,
        later: Int?,
        code: RefusalCode?
    ) throws {
        let failure = try simulate { clock in
            clock.setWallTime(WallTime(iso8601: "2026-11-22T04:15:00Z"))
            let test = try TestStation(clock)
            return try await test.run { test in
                try await test.sleep(.minutes(2))
                var note = WriteNote("window open", on: target)
                if let later, let now = clock.wallTime {
                    let time = WallTime(nanoseconds: now.nanoseconds + Int64(later) * 1_000_000_000)
                    note.time = time.iso8601
                }
                return try await test.ask(note).error
            }
        }
        #expect(failure?.code == code)
    }

    @Test func profilesAreListedAndChecked() throws {
        let (list, good, bad) = try simulate { clock in
            let test = try TestStation(clock)
            return try await test.run { test in
                try await test.sleep(.seconds(1))
                func check(_ text: String) async throws -> ProfileCheckReport? {
                    let answer = try await test.ask(CheckProfile(text))
                    #expect(answer.error == nil)
                    return answer.body
                }
                let list = try await test.ask(GetProfiles()).body
                let shipped = ShippedProfiles.files.first { $0.path.contains("nova-sds011") }
                let bytes = try shipped?.contents.get() ?? []
                let good = try await check(String(decoding: bytes, as: UTF8.self))
                return (list, good, try await check(#"{"schemaVersion": 1, "id": "A", "kind": 3}"#))
            }
        }
        #expect(list?.profiles.contains { $0.id == "nova-sds011" && !$0.isOwn } == true)
        #expect(good?.id == "nova-sds011" && good?.mistakes == [])
        #expect(bad?.id == nil)
        #expect(bad?.mistakes.contains { $0.place == "kind" } == true, "\(bad?.mistakes ?? [])")
    }

    @Test func theMachineIsExaminedOnceInTenSeconds() throws {
        let count = Mutex(0)
        let (ages, counted) = try simulate { clock in
            let platform = SimulatedPlatform(clock: clock)
            let examination = ControlExamination {
                count.withLock { $0 += 1 }
                return FindingsReport(findings: [], hidden: ["station"])
            }
            var ages: [Double] = []
            for seconds in [0, 0, 60, 0] {
                let report = try await examination.report(
                    notOlderThan: .seconds(seconds),
                    on: platform
                )
                ages.append(report.ageSeconds)
                try await clock.sleep(for: .seconds(8), tolerance: .zero)
            }
            return (ages, count.withLock { $0 })
        }
        #expect(ages == [0, 8, 16, 0])
        #expect(counted == 2)
    }

    @Test func aConfiguredDeviceIsRenamedWhereItIsConfigured() throws {
        let failure = try simulate { clock in
            let test = try TestStation(clock)
            return try await test.run { test in
                try await test.sleep(.seconds(1))
                return try await test.ask(RenameDevice("door", to: "porch")).error
            }
        }
        #expect(failure?.code == .conflict)
        #expect(failure?.message.contains("test under devices[1].name; change it there") == true)
    }

    /// It goes through `/proc` for what it costs, and the boot is the same all the time.
    @Test func theBootIsNotAskedForAtEachPage() throws {
        let count = try simulate { clock in
            let test = try TestStation(clock)
            return try await test.run { test in
                try await test.sleep(.seconds(1))
                let before = test.platform.figuresCount
                _ = try await test.ask(GetTail())
                _ = try await test.ask(GetTail())
                return test.platform.figuresCount - before
            }
        }
        #expect(count == 0)
    }
}
