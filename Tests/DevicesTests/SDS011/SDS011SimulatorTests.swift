import HardwareIO
import Testing

@testable import Core
@testable import Devices

@Suite struct SDS011SimulatorTests {
    private static let air = SDS011Air.constant(
        SDS011Measurement(pm25Tenths: 1_236, pm10Tenths: 2_618)
    )

    private func at(_ seconds: Double) -> MonotonicInstant {
        .boot.advanced(by: .seconds(seconds))
    }

    private func quiet(_ faults: [SDS011FaultWindow] = []) -> SDS011Simulator {
        SDS011Simulator(
            air: Self.air,
            memory: .init(reportMode: .query),
            firmware: SDS011Firmware(year: 15, month: 7, day: 10),
            faults: faults
        )
    }

    @Test(arguments: [
        ("set query mode (A160)", "reply: set query mode"),
        ("query data (A160)", "reply: data 123.6 / 261.8"),
        ("query data (broadcast)", "reply: data 123.6 / 261.8"),
        ("set device id A001 (A160)", "reply: set device id A001"),
        ("sleep (A160)", "reply: sleeping"),
        ("work (A160)", "reply: working"),
        ("get sleep/work (A160)", "reply: get = working"),
        ("firmware (A160)", "reply: firmware 15-07-10"),
        ("set working period 1 min (A160)", "reply: set period 1"),
        ("set working period 0 (A160)", "reply: set period 0"),
    ])
    func answersAsTheDocumentSays(command: String, answer: String) throws {
        let frames = try SDS011FrameFixture.load().frames
        var part = quiet()
        let asked = try #require(frames.first { $0.name == command }).bytes
        let expected = try #require(frames.first { $0.name == answer }).bytes
        #expect(part.receive(asked, at: at(60)) == expected)
    }

    @Test func hearsACommandInPiecesAndAmongGarbage() {
        var part = quiet()
        let command = SDS011Command.getState.bytes()
        #expect(part.receive([0xAA, 0x00, 0xAA], at: at(9)).isEmpty)
        #expect(part.receive(Array(command[..<7]), at: at(9)).isEmpty)
        #expect(!part.receive(Array(command[7...]), at: at(9)).isEmpty)
    }

    @Test func saysNothingToAnotherID() {
        var part = quiet()
        let other = SDS011DeviceID(0xA1, 0x61)
        #expect(part.receive(SDS011Command.getState.bytes(to: other), at: at(9)).isEmpty)
    }

    @Test func answersOnlySleepAndWorkWhileAsleep() {
        var part = quiet()
        _ = part.receive(SDS011Command.setState(.sleep).bytes(), at: at(10))
        let deaf: [SDS011Command] = [
            .query, .firmware, .getReportMode, .setReportMode(.active), .getWorkingPeriod,
            .setWorkingPeriod(minutes: 3), .setDeviceID(SDS011DeviceID(1, 2)),
        ]
        for command in deaf {
            #expect(part.receive(command.bytes(), at: at(11)).isEmpty, "\(command)")
        }
        #expect(part.memory == .init(reportMode: .query))
        #expect(part.nextActivity == nil)
        #expect(!part.receive(SDS011Command.getState.bytes(), at: at(12)).isEmpty)
        #expect(!part.receive(SDS011Command.setState(.work).bytes(), at: at(13)).isEmpty)
        #expect(part.laserTime(at: at(20)) == .seconds(17))
    }

    @Test func reportsOnceASecondAndZerosFirst() {
        var part = SDS011Simulator(air: Self.air)
        var decoder = SDS011Decoder()
        let results = decoder.decode(part.advance(to: at(10)))
        let values = results.compactMap { result -> UInt16? in
            guard case .success(.measurement(let measurement, _)) = result else { return nil }
            return measurement.pm25Tenths
        }
        #expect(values == [0, 0, 0] + Array(repeating: 1_236, count: 7))
        #expect(part.nextActivity == at(11))
    }

    @Test func keepsItsSettingsWithoutPowerAndWakesWithIt() {
        var part = quiet()
        _ = part.receive(SDS011Command.setWorkingPeriod(minutes: 2).bytes(), at: at(1))
        _ = part.receive(SDS011Command.setDeviceID(SDS011DeviceID(1, 2)).bytes(), at: at(2))
        _ = part.receive(SDS011Command.setState(.sleep).bytes(), at: at(3))
        part.powerCycle(at: at(4))
        #expect(part.state == .work)
        #expect(
            part.memory
                == .init(
                    deviceID: SDS011DeviceID(1, 2),
                    reportMode: .query,
                    workingPeriod: 2
                )
        )
    }

    @Test func worksHalfAMinuteOfItsPeriodAndReportsAtItsEnd() {
        var part = SDS011Simulator(air: Self.air, memory: .init(workingPeriod: 5))
        var reports: [MonotonicInstant] = []
        while let next = part.nextActivity, next < at(3_600) {
            if !part.advance(to: next).isEmpty { reports.append(next) }
        }
        #expect(reports == (0..<12).map { at(Double($0 * 300 + 30)) })
        #expect(part.laserTime(at: at(3_590)) == .seconds(12 * 30))
    }

    @Test func isDeadWhenWedgedUntilItsPowerIsCut() {
        var part = quiet([SDS011FaultWindow(.wedge, from: at(10), to: at(11))])
        #expect(!part.receive(SDS011Command.query.bytes(), at: at(9)).isEmpty)
        #expect(part.receive(SDS011Command.query.bytes(), at: at(10)).isEmpty)
        #expect(part.receive(SDS011Command.query.bytes(), at: at(99)).isEmpty)
        part.powerCycle(at: at(100))
        #expect(!part.receive(SDS011Command.query.bytes(), at: at(101)).isEmpty)
        #expect(part.faultCounts == [.wedge: 1])
    }

    @Test(arguments: SDS011Fault.allCases)
    func showsAndCountsEachFaultOnlyInItsTime(fault: SDS011Fault) {
        #expect(SDS011Fault(fault.name) == fault)
        var part = SDS011Simulator(
            air: Self.air,
            faults: [SDS011FaultWindow(fault, from: at(100), to: at(200))]
        )
        var healthy = SDS011Simulator(air: Self.air)
        #expect(part.advance(to: at(99)) == healthy.advance(to: at(99)))
        #expect(part.faultCounts.isEmpty)
        for second in 100..<200 {
            let commands: [SDS011Command] = [.setState(.sleep), .setState(.work), .firmware]
            for (index, command) in commands.enumerated() {
                let instant = at(Double(second) + 0.2 + Double(index) / 10)
                let spoiled = part.receive(command.bytes(), at: instant)
                let good = healthy.receive(command.bytes(), at: instant)
                if fault == .silence { #expect(spoiled.isEmpty && !good.isEmpty) }
            }
        }
        // Asleep and awake each second it never gets to measure.
        for second in 0..<50 {
            _ = part.receive(SDS011Command.query.bytes(), at: at(Double(second) + 200))
        }
        var values = SDS011Simulator(
            air: Self.air,
            faults: [SDS011FaultWindow(fault, from: at(100), to: at(200))]
        )
        _ = values.advance(to: at(300))
        let count = part.faultCounts[fault, default: 0] + values.faultCounts[fault, default: 0]
        #expect(count > 0)
        #expect(Set(part.faultCounts.keys).union(values.faultCounts.keys) == [fault])
    }

    @Test func playsARecordingAtItsPaceOnceItHasBeenSpokenTo() throws {
        let recording = try SDS011Recording(hexDump: Fixture.text("SDS01x.hexdump"))
        var replay = SDS011Replay(recording, every: .seconds(10))
        #expect(replay.nextActivity == nil)
        let answer = replay.receive(SDS011Command.setReportMode(.active).bytes(), at: at(10))
        #expect(answer.count == 10 && answer[1] == 0xC5)
        var played: [MonotonicInstant: [UInt8]] = [:]
        while let next = replay.nextActivity { played[next] = replay.advance(to: next) }
        #expect(played.count == 10)
        #expect(played[at(11)] == recording.pieces.first)
        #expect(played[at(101)] == recording.pieces.last)
        #expect(replay.isFinished)
    }

    @Test(arguments: ["0000: zz", "0000: aa c", "hello"])
    func namesTheLineOfABadHexDump(line: String) {
        let error = #expect(throws: SDS011Recording.SyntaxError.self) {
            try SDS011Recording(hexDump: "0000: aa\n" + line)
        }
        #expect(error?.line == 2)
        #expect(error?.text == line)
    }
}
