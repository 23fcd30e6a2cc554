import Core
import Testing

@testable import Scenarios

@Suite struct LifeTests {
    @Test func aQuietWeekKeepsEveryPromise() throws {
        let scenario = try #require(try ShippedScenarios.scenario("quiet-year"))
        let report = try Life(scenario, Life.Order(seed: 1, length: .days(7))).run()
        #expect(report.failures.isEmpty)
        #expect(report.valueCount > 2_000)
        #expect(report.processCount == 1)
        #expect(report.laserDuty < 0.11)
    }

    private static func live(
        _ faults: String,
        for length: Duration,
        boards: String = "",
        hasCourier: Bool = false,
        hasCamera: Bool = false,
        hasBattery: Bool = false
    ) throws -> LifeReport {
        let text = """
            {"about": "For a test.", "httpDevices": [\(boards)], "courier": \(hasCourier),
             "camera": \(hasCamera), "battery": \(hasBattery),
             "motion": ["GPIO17"], "motionPerDay": \(hasCamera ? 200 : 20),
             "parts": [{"name": "one", "profile": "nova-sds011", "socket": 1},
                       {"name": "co2", "profile": "winsen-mhz19b", "socket": 2}],
             "faults": [\(faults)], "quiet": "2h"}
            """
        let scenario = try Scenario.read(Array(text.utf8), file: "test.json")
        return try Life(scenario, Life.Order(seed: 1, length: length)).run()
    }

    private static let board = #"{"name": "roof", "profile": "generic-http-line", "host": "b.lan""#

    @Test(arguments: FaultKind.all.filter { $0.area == .network })
    func aBoardThatMisbehavesIsNoticedAndReadAgain(_ kind: FaultKind) throws {
        let fault = #"{"kind": "\#(kind.rawValue)", "at": "2h", "for": "1h"}"#
        let report = try Self.live(fault, for: .hours(5), boards: Self.board + "}")
        #expect(report.failures.isEmpty)
        #expect(report.fired[kind.rawValue, default: 0] > 0)
    }

    @Test(arguments: FaultKind.all.filter { $0.area == .courier })
    func whatHappensToDeliveriesIsAccountedFor(_ kind: FaultKind) throws {
        let report = try Self.live(
            #"{"kind": "\#(kind.rawValue)", "at": "2h", "for": "1h"}"#,
            for: .hours(5),
            hasCourier: true
        )
        #expect(report.failures.isEmpty)
        #expect(report.fired[kind.rawValue, default: 0] > 0)
        #expect(report.verdicts.first { $0.promise == "P11" }?.checkCount ?? 0 > 50)
    }

    @Test(arguments: FaultKind.all.filter { $0.area == .camera })
    func whatHappensToPicturesIsAccountedFor(_ kind: FaultKind) throws {
        let report = try Self.live(
            #"{"kind": "\#(kind.rawValue)", "at": "2h", "for": "1h"}"#,
            for: .hours(5),
            hasCamera: true
        )
        #expect(report.failures.isEmpty)
        #expect(report.fired[kind.rawValue, default: 0] > 0)
        #expect(report.verdicts.first { $0.promise == "camera" }?.checkCount ?? 0 > 50)
    }

    /// Whatever the phase of its questions, one of these falls into the first half of a wait.
    @Test(arguments: [FaultKind.httpSilent, .nameServerSilent], [4, 8, 12])
    func aStopDoesNotWaitForTheNetwork(_ kind: FaultKind, _ second: Int) throws {
        let report = try Self.live(
            """
            {"kind": "\(kind.rawValue)", "at": "2h", "for": "1h"},
            {"kind": "restart", "at": "\(7_200 + second)s"}
            """,
            for: .hours(5),
            boards: Self.board + #", "interval": "10s"}"#
        )
        #expect(report.failures.isEmpty)
        #expect(report.processCount == 2)
    }

    /// The power is away for three hours: it shuts down in order at 15 %, and comes back with it.
    @Test func aStationWhoseBatteryRunsLowShutsDownInOrderAndComesBack() throws {
        let report = try Self.live(
            #"{"kind": "battery-low", "at": "2h", "for": "3h"}"#,
            for: .hours(8),
            hasBattery: true
        )
        #expect(report.failures.isEmpty)
        #expect(report.processCount == 2)
        #expect(report.endings == ["powered off in order": 1, "end of the life": 1])
    }

    /// Power comes back before the limit: the station runs through.
    @Test func aStationOutlivesAShortOutageOnItsBattery() throws {
        let report = try Self.live(
            #"{"kind": "battery-low", "at": "2h", "for": "30m"}"#,
            for: .hours(5),
            hasBattery: true
        )
        #expect(report.failures.isEmpty)
        #expect(report.processCount == 1)
    }

    @Test func aSensorThatSaidAWrongIDGoesByItsOwnNameAgain() throws {
        let report = try Self.live(
            """
            {"kind": "wrong-id", "at": "5h", "for": "1h", "part": "one"},
            {"kind": "restart", "at": "320m"}
            """,
            for: .hours(15)
        )
        #expect(report.failures.isEmpty)
    }

    @Test func aSensorThatIsMuteWhenTheStationStartsIsReadLater() throws {
        let report = try Self.live(
            """
            {"kind": "silence", "at": "5h", "for": "1h", "part": "co2"},
            {"kind": "restart", "at": "320m"}
            """,
            for: .hours(9)
        )
        #expect(report.failures.isEmpty)
    }

    @Test func whatASensorWasCalledThenIsWhatIsCheckedThen() throws {
        let report = try Self.live(
            """
            {"kind": "babble", "at": "5h", "for": "1h", "part": "co2"},
            {"kind": "move", "at": "10h", "for": "1m", "part": "co2"}
            """,
            for: .hours(24)
        )
        #expect(report.failures.isEmpty)
        #expect(report.verdicts.first { $0.promise == "P5" }?.checkCount == 1)
    }

    @Test func aRebootWhileTheCardStallsDoesNotResetTheBoard() throws {
        let report = try Self.live(
            """
            {"kind": "card-long-stall", "at": "5h", "for": "80s"},
            {"kind": "reboot", "at": "18001s"}
            """,
            for: .hours(9)
        )
        #expect(report.failures.isEmpty)
        #expect(report.endings["board's watchdog"] == nil)
        #expect(report.processCount == 2)
    }

    @Test func aTakeThatIsDueOnAFailingCardIsTriedNowAndThen() throws {
        let report = try Self.live(
            #"{"kind": "card-error", "at": "23h", "for": "2h"}"#,
            for: .hours(28)
        )
        #expect(report.failures.isEmpty)
        #expect(report.fired["card-error"] == 1)
    }

    @Test func aSuspendedNightIsAccountedForBeforeTheSampleThatFollows() throws {
        let suspend = #"{"kind": "suspend", "at": "5h", "for": "4h"}"#
        let report = try Self.live(suspend, for: .hours(16))
        #expect(report.failures.isEmpty)
        #expect(report.ledger["suspended", default: 0] > 6 * 3_600)
    }

    @Test func aDeviceThatIsNotHereAnyMoreIsUnpluggedAfterTheNextStartToo() throws {
        let report = try Self.live(
            """
            {"kind": "move", "at": "5h", "for": "1m", "part": "co2"},
            {"kind": "kill", "at": "7h"}
            """,
            for: .hours(16)
        )
        #expect(report.failures.isEmpty)
    }

    @Test func aSensorIsFoundAgainWhileTheCardDoesNotAnswer() throws {
        let report = try Self.live(
            """
            {"kind": "disk-hang", "at": "5h", "for": "6h"},
            {"kind": "unplug", "at": "19000s", "for": "30s", "part": "one"}
            """,
            for: .hours(14)
        )
        #expect(report.failures.isEmpty)
        #expect(report.ledger["unplugged", default: 0] < 3_600)
    }

    @Test func aChangeOfModeDoesNotAskADeviceThatIsAwayForSamples() throws {
        let text = """
            {"about": "For a test.",
             "parts": [{"name": "one", "profile": "nova-sds011", "socket": 1},
                       {"name": "co2", "profile": "winsen-mhz19b", "socket": 2}],
             "habits": [{"act": "live", "perDay": 24, "for": "2m"}],
             "faults": [{"kind": "unplug", "at": "5h", "for": "5h", "part": "co2"}],
             "quiet": "2h"}
            """
        let scenario = try Scenario.read(Array(text.utf8), file: "test.json")
        let report = try Life(scenario, Life.Order(seed: 1, length: .hours(16))).run()
        #expect(report.failures.isEmpty)
        #expect(report.ledger["unplugged", default: 0] > 4 * 3_600)
    }

    @Test(arguments: [
        "no-firmware", "wedge-on-reboot", "port-busy", "card-stall", "child-hang",
        "child-unkillable", "child-throw", "mirror-refused",
    ])
    func aRareFaultWaitsForItsMomentAndShowsItself(_ kind: String) throws {
        let report = try Self.live(
            """
            {"kind": "\(kind)", "at": "2h"}, {"kind": "restart", "at": "4h"}
            """,
            for: .hours(9)
        )
        #expect(report.fired[kind, default: 0] > 0)
        #expect(report.failures.filter { $0.promise != "P1" }.isEmpty)
    }

    /// A time server is wrong, and the machine restarts; the scenario wrong-years has whole days.
    @Test(arguments: ["clock-year-ahead", "clock-year-back"])
    func aWrongYearCostsNothing(_ kind: String) throws {
        let report = try Self.live(
            """
            {"kind": "\(kind)", "at": "3h", "for": "4h"}, {"kind": "reboot", "at": "5h"}
            """,
            for: .hours(10),
            hasCourier: true,
            hasCamera: true
        )
        #expect(report.failures.isEmpty, "\(report.failures)")
        #expect(report.fired[kind] == 1 && report.processCount == 2)
    }

    /// There is no time server, so each date that is sure is the receiver's; P8 compares them with
    /// the world's.
    @Test(arguments: [-1_024, 0, 1_024])
    func aReceiverWithAWrongWeekGivesTheTime(_ weeks: Int) throws {
        let text = """
            {"about": "For a test.", "quiet": "1h",
             "parts": [{"name": "one", "profile": "nova-sds011", "socket": 1},
                       {"name": "gps", "profile": "nmea-receiver", "socket": 2,
                        "weeksWrong": \(weeks)}],
             "faults": [{"kind": "clock-unknown", "at": "1s", "for": "8h"},
                        {"kind": "kill", "at": "2h"}, {"kind": "reboot", "at": "3h"}]}
            """
        let scenario = try Scenario.read(Array(text.utf8), file: "test.json")
        let report = try Life(scenario, Life.Order(seed: 1, length: .hours(7))).run()
        #expect(report.failures.isEmpty, "\(report.failures)")
        let dated = report.verdicts.first { $0.promise == "P8" }?.checkCount ?? 0
        #expect(dated >= 10)
    }

    @Test func aHungChildIsReplacedAndTheProcessGoesOn() throws {
        let report = try Self.live(
            #"{"kind": "child-hang", "at": "5h", "part": "one"}"#,
            for: .hours(16)
        )
        #expect(report.failures.isEmpty)
        #expect(report.processCount == 1)
    }

    @Test func aFaultWhoseMomentDoesNotComeDoesNotHappen() throws {
        // No process starts after it.
        let report = try Self.live(#"{"kind": "mirror-refused", "at": "5h"}"#, for: .hours(12))
        #expect(report.fired["mirror-refused"] == nil)
        #expect(report.plannedFaultCount == 1)
    }

    @Test func aTailThatAProcessWithoutAMirrorPassedOverIsNotPutBehindItsSamples() throws {
        let report = try Self.live(
            """
            {"kind": "kill", "at": "188m"}, {"kind": "mirror-refused", "at": "3h", "for": "2h"},
            {"kind": "kill", "at": "1630m"}, {"kind": "kill", "at": "2003m"}
            """,
            for: .hours(40)
        )
        #expect(report.failures.isEmpty)
        #expect(report.fired["mirror-refused"] == 1)
        #expect(report.processCount == 4)
    }

    @Test func measurementsThatComeInPairsStandForASecondEach() throws {
        let text = """
            {"about": "For a test.", "quiet": "1h",
             "parts": [{"name": "one", "profile": "nova-sds011", "socket": 1}],
             "habits": [{"act": "live", "perDay": 20, "for": "1h"}],
             "faults": [{"kind": "merged-frames", "at": "1h", "for": "3h", "part": "one"}]}
            """
        let scenario = try Scenario.read(Array(text.utf8), file: "test.json")
        let report = try Life(scenario, Life.Order(seed: 1, length: .hours(8))).run()
        #expect(report.failures.isEmpty)
        #expect(report.fired["merged-frames", default: 0] > 1_000)
    }
}
