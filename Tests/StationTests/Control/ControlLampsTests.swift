import ControlProtocol
import Core
import HardwareIO
import TestSupport
import Testing

@testable import Devices
@testable import SimulationKit
@testable import Station

@Suite struct ControlLampsTests {
    private static func station(
        _ clock: SimulatedClock,
        _ folder: TestFolder
    ) throws -> TestStation {
        let text = """
            {"name": "test", "mode": "live", "detect": false,
             "devices": [{"name": "dust", "type": "sds011", "port": "/dev/ttyUSB0"},
                         {"name": "door", "type": "pir", "line": "GPIO17", "settleSeconds": 2}],
             "store": {"folder": "\(folder.path)", "megabytes": 4, "journalBlocks": 64}}
            """
        return try TestStation(clock, text)
    }

    /// Adds a lamp that shows motion, and waits until its driver has the line.
    private static func addLamp(_ test: TestStation) async throws {
        var lamp = ConfigureDevice("lamp")
        (lamp.profile, lamp.line, lamp.shows) = ("led", "GPIO22", "motion")
        _ = try await test.ask(lamp)
        try await test.sleep(.minutes(1))
    }

    /// The lamp's own driver goes on: it is neither dark in between nor counted anew.
    @Test func whatALampShowsChangesWhileItIsLit() throws {
        let folder = try TestFolder(isInMemory: true)
        try simulate { clock in
            let test = try Self.station(clock, folder)
            try await test.run { test in
                try await Self.addLamp(test)
                #expect(!test.platform.gpio.level(of: "GPIO22"), "nothing moves")
                let starts = test.starts(of: "lamp")
                let level = try await test.lamp(shows: "level", follows: "dust")
                #expect([level?.shows, level?.follows] == ["level", "dust"])
                try await test.sleep(.seconds(1))
                #expect(test.platform.gpio.level(of: "GPIO22"), "the air is good")
                let station = try await test.lamp(shows: "station")
                #expect(station?.shows == "station" && station?.follows == nil)
                #expect(station?.facts["shows"] == .text("station"))
                let back = try await test.lamp(shows: "motion", follows: "door")
                #expect(back?.follows == "door")
                test.platform.gpio.drive("GPIO17", true)
                try await test.sleep(.seconds(2))
                #expect(test.platform.gpio.level(of: "GPIO22"), "the door moves")
                #expect(starts == 1 && test.starts(of: "lamp") == 1)
            }
        }
    }

    /// The end of a motion that the lamp does not show meanwhile is not waited for.
    @Test func aLampThatShowsMotionAgainIsDark() throws {
        let folder = try TestFolder(isInMemory: true)
        try simulate { clock in
            let test = try Self.station(clock, folder)
            try await test.run { test in
                try await Self.addLamp(test)
                test.platform.gpio.drive("GPIO17", true)
                try await test.sleep(.seconds(2))
                #expect(test.platform.gpio.level(of: "GPIO22"), "the door moves")
                _ = try await test.lamp(shows: "level", follows: "dust")
                test.platform.gpio.drive("GPIO17", false)
                try await test.sleep(.minutes(1))
                _ = try await test.lamp(shows: "motion", follows: "door")
                try await test.sleep(.seconds(1))
                #expect(!test.platform.gpio.level(of: "GPIO22"), "nothing moves")
            }
        }
    }

    @Test func aLampFollowsWhatHasSomethingToShow() throws {
        let folder = try TestFolder(isInMemory: true)
        let failures = try simulate { clock in
            let test = try Self.station(clock, folder)
            return try await test.run { test in
                var lamp = ConfigureDevice("lamp")
                (lamp.profile, lamp.line) = ("led", "GPIO22")
                _ = try await test.ask(lamp)
                let cases = [
                    ("level", "door"), ("motion", "dust"), ("station", "dust"), ("level", "attic"),
                    ("sky", ""),
                ]
                var failures: [ControlFailure?] = []
                for (shows, follows) in cases {
                    var question = ConfigureDevice("lamp")
                    (question.shows, question.follows) = (shows, follows)
                    failures.append(try await test.ask(question).error)
                }
                var other = ConfigureDevice("door")
                other.shows = "level"
                return failures + [try await test.ask(other).error]
            }
        }
        #expect(failures.map { $0?.code } == Array(repeating: .badRequest, count: 5) + [.conflict])
        let pointers = failures.map { $0?.pointer }
        #expect(pointers.prefix(4).allSatisfy { $0 == "/follows" })
        #expect(pointers.suffix(2) == ["/shows", "/shows"])
    }

    /// Two lamps and a board: the lamps go on with it under its new name, and without it.
    @Test func aLampFollowsARenamedDevice() throws {
        let folder = try TestFolder(isInMemory: true)
        let (renamed, removed) = try simulate { clock in
            let test = try Self.station(clock, folder)
            return try await test.run { test in
                var board = ConfigureDevice("board", address: "10.0.0.9")
                board.profile = "milano-board"
                _ = try await test.ask(board)
                var lamp = ConfigureDevice("lamp")
                (lamp.profile, lamp.line) = ("led", "GPIO22")
                (lamp.shows, lamp.follows) = ("level", "board")
                _ = try await test.ask(lamp)
                var lights = ConfigureDevice("lights")
                lights.profile = "traffic-light"
                (lights.lines, lights.follows) = (["GPIO9", "GPIO10", "GPIO11"], "board")
                _ = try await test.ask(lights)
                let renamed = try await test.ask(RenameDevice("board", to: "court")).body
                let removed = try await test.ask(RemoveDevice("court")).body
                return (renamed, removed)
            }
        }
        func followed(_ report: DevicesReport?) -> [String?] {
            ["lamp", "lights"].map { name in
                report?.devices.first { $0.name == name }?.follows
            }
        }
        #expect(followed(renamed) == ["court", "court"])
        #expect(followed(removed) == [nil, nil])
    }
}

extension TestStation {
    /// Changes what the lamp shows; returns its report.
    fileprivate func lamp(shows: String, follows: String? = nil) async throws -> DeviceReport? {
        var question = ConfigureDevice("lamp")
        (question.shows, question.follows) = (shows, follows)
        let answer = try await ask(question)
        #expect(answer.error == nil)
        return answer.body?.devices.first { $0.name == "lamp" }
    }

    /// How often a device's child was started.
    fileprivate func starts(of name: String) -> Int {
        events.count { $0.kind == .childStarted(child: name) }
    }
}
