import Configuration
import ControlProtocol
import Core
import HardwareIO
import TestSupport
import Testing

@testable import Devices
@testable import Profiles
@testable import SimulationKit
@testable import Station
@testable import Store

/// Another name of a device: what it measures goes on, and all of a change is one change.
@Suite struct DeviceRenameTests {
    private static func station(
        _ clock: SimulatedClock,
        _ folder: TestFolder,
        after earlier: TestStation? = nil
    ) throws -> TestStation {
        let text = """
            {"mode": "live", "detect": false,
             "devices": [{"name": "dust", "type": "sds011", "port": "/dev/ttyUSB0"}],
             "store": {"folder": "\(folder.path)", "megabytes": 4, "journalBlocks": 64}}
            """
        let card = earlier?.platform.card ?? SimulatedCard()
        let test = try TestStation(clock, text, card: card)
        for host in ["10.0.0.7", "10.0.0.8", "10.0.0.9"] {
            test.platform.network.put(try board(), at: host)
        }
        return test
    }

    private static func board() throws -> HTTPLineSimulator {
        let profile = try #require(ProfileCatalog.shipped.profile("milano-board"))
        return try HTTPLineSimulator(profile, seed: 7)
    }

    private static func add(_ test: TestStation, _ name: String, at address: String) async throws {
        var question = ConfigureDevice(name, address: address, seconds: 2)
        (question.profile, question.isNew) = ("milano-board", true)
        #expect(try await test.ask(question).error == nil)
    }

    private static func part(_ name: String, _ type: String, _ line: String) -> ConfigureDevice {
        var question = ConfigureDevice(name)
        (question.profile, question.line) = (type, line)
        return question
    }

    private static func naming(_ old: String, _ name: String) -> ConfigureDevice {
        var question = ConfigureDevice(old)
        question.name = name
        return question
    }

    private static func device(
        _ name: String,
        _ test: TestStation
    ) async throws -> DeviceReport? {
        try await test.ask(GetDevices()).body?.devices.first { $0.name == name }
    }

    /// The longest time between two values of a channel, in seconds.
    private static func longestPause(_ channel: String, _ test: TestStation) -> Double {
        let times = test.station.context.recorder.readings(since: .boot).filter {
            $0.channel.description == channel && $0.outcome.value != nil
        }.map(\.instant)
        let pauses = zip(times, times.dropFirst()).map { $0.duration(to: $1).inSeconds }
        return pauses.max() ?? .infinity
    }

    /// Names that were those of others meanwhile: each driver goes on, or begins anew at once.
    @Test func devicesExchangeTheirNamesWithoutAGap() throws {
        let folder = try TestFolder(isInMemory: true)
        let (places, pauses, channels, counts) = try simulate { clock in
            let test = try Self.station(clock, folder)
            return try await test.run { test in
                try await test.sleep(.seconds(5))
                try await Self.add(test, "a", at: "10.0.0.7")
                try await Self.add(test, "b", at: "10.0.0.8")
                try await test.sleep(.minutes(1))
                for (old, name) in [("a", "c"), ("b", "a"), ("c", "b"), ("b", "d"), ("d", "b")] {
                    #expect(try await test.ask(Self.naming(old, name)).error == nil)
                    try await test.sleep(.minutes(1))
                }
                try await Self.add(test, "c", at: "10.0.0.9")
                try await test.sleep(.minutes(1))
                let devices = try await test.ask(GetDevices()).body?.devices ?? []
                let tree = try await test.ask(GetTree()).body
                let places = devices.map { "\($0.name) \($0.location) \($0.state)" }
                #expect(tree?.names("devices").sorted() == ["a", "b", "c", "dust"])
                let all = Set(test.station.status.channels.map { $0.channel.prefix { $0 != "/" } })
                return (
                    places.sorted(), ["a/pm25", "b/pm25"].map { Self.longestPause($0, test) },
                    all.map(String.init).sorted(),
                    test.events.count { $0.kind.name == "device away" }
                )
            }
        }
        #expect(
            places.filter { !$0.hasPrefix("dust") } == [
                "a http://10.0.0.8/ answering", "b http://10.0.0.7/ answering",
                "c http://10.0.0.9/ answering",
            ]
        )
        #expect(pauses.allSatisfy { $0 < 5 }, "\(pauses)")
        #expect(channels == ["a", "b", "c", "dust"] && counts == 0)
    }

    @Test func aMotionSensorIsSettledUnderItsNewName() throws {
        let folder = try TestFolder(isInMemory: true)
        let (state, motions, cost) = try simulate { clock in
            let test = try Self.station(clock, folder)
            return try await test.run { test in
                try await test.sleep(.seconds(5))
                _ = try await test.ask(Self.part("door", "hc-sr501", "GPIO27"))
                try await test.sleep(.minutes(2))
                _ = try await test.ask(Self.naming("door", "gate"))
                try await test.sleep(.seconds(1))
                let device = try await test.ask(GetDevices()).body?.devices.last
                test.platform.gpio.drive("GPIO27", true)
                try await test.sleep(.seconds(1))
                let motions = test.events.filter { $0.kind.name == "motion" }.map(\.source)
                let pins = try await test.ask(GetPins()).body?.items.compactMap(\.device)
                #expect(pins == ["gate"])
                #expect(try await test.ask(TryPin("GPIO27", profile: nil)).error == nil)
                return (device.map { "\($0.name) \($0.state)" }, motions, device?.restartSeconds)
            }
        }
        #expect(state == "gate still")
        #expect(motions == ["gate"])
        #expect((cost ?? 0) >= 1)
    }

    /// Twice in a row, back, and to a name that another had: values, rule and list follow.
    @Test func allThatNamesADeviceFollowsEachNewName() throws {
        let folder = try TestFolder(isInMemory: true)
        let (firsts, pauses, isFree) = try simulate { clock in
            let test = try Self.station(clock, folder)
            return try await test.run { test in
                try await test.sleep(.seconds(5))
                try await Self.add(test, "a", at: "10.0.0.7")
                try await Self.add(test, "b", at: "10.0.0.8")
                let rule = #"{"channel": "a/pm25", "when": {"value": {"atLeast": 0.1}}}"#
                #expect(try await test.ask(ChangeRule("any", rule: rule)).error == nil)
                _ = try await test.ask(ChangeSettings(#"{"nowFirst": "a/pm25, dust/pm25"}"#))
                try await test.sleep(.minutes(1))
                var (old, firsts): (String, [JSONValue?]) = ("a", [])
                for names in [["c", "d"], ["a"], ["e"], ["a"]] {
                    for name in names {
                        #expect(try await test.ask(Self.naming(old, name)).error == nil)
                        old = name
                    }
                    try await test.sleep(.minutes(1))
                    firsts.append(test.station.state.settings.overlay.fields["nowFirst"])
                    let alerts = try await test.ask(GetAlerts()).body?.alerts.map(\.key) ?? []
                    #expect(alerts.filter { $0.hasPrefix("any:") } == ["any:\(old)/pm25"])
                }
                // The name that b had goes to a, and b begins to be c.
                for (old, name) in [("b", "c"), ("a", "b"), ("b", "a")] {
                    #expect(try await test.ask(Self.naming(old, name)).error == nil)
                    try await test.sleep(.seconds(20))
                }
                let names = test.station.context.recorder.names
                let isFree = ["a", "d", "e"].allSatisfy { names.guest(of: $0) == nil }
                return (
                    firsts, ["a/pm25", "c/pm25"].map { Self.longestPause($0, test) }, isFree
                )
            }
        }
        #expect(firsts == ["d", "a", "e", "a"].map { .string("\($0)/pm25, dust/pm25") })
        #expect(pauses.allSatisfy { $0 < 5 }, "\(pauses)")
        #expect(isFree, "a driver goes on under its own name again, and none is in the way")
    }

    @Test func aLampFollowsAMotionSensorThroughItsNames() throws {
        let folder = try TestFolder(isInMemory: true)
        let (follows, isLit) = try simulate { clock in
            let test = try Self.station(clock, folder)
            return try await test.run { test in
                try await test.sleep(.seconds(5))
                _ = try await test.ask(Self.part("door", "hc-sr501", "GPIO27"))
                var lamp = Self.part("lamp", "led", "GPIO22")
                (lamp.shows, lamp.follows) = ("motion", "door")
                #expect(try await test.ask(lamp).error == nil)
                try await test.sleep(.minutes(2))
                var (old, follows) = ("door", [String?]())
                for name in ["gate", "porch", "door", "gate"] {
                    #expect(try await test.ask(Self.naming(old, name)).error == nil)
                    old = name
                    follows.append(try await Self.device("lamp", test)?.follows)
                }
                test.platform.gpio.drive("GPIO27", true)
                try await test.sleep(.seconds(1))
                return (follows, test.platform.gpio.level(of: "GPIO22"))
            }
        }
        #expect(follows == ["gate", "porch", "door", "gate"])
        #expect(isLit)
    }

    /// The station stops right after a rename, and the device is pulled and comes back after one.
    @Test func aNewNameOutlivesARestartAndAPlug() throws {
        let folder = try TestFolder(isInMemory: true)
        let names = try simulate { clock in
            let first = try Self.station(clock, folder)
            try await first.run { test in
                try await test.sleep(.seconds(5))
                try await Self.add(test, "a", at: "10.0.0.7")
                try await test.sleep(.minutes(2))
                #expect(try await test.ask(Self.naming("a", "b")).error == nil)
            }
            let second = try Self.station(clock, folder, after: first)
            return try await second.run { test in
                try await test.sleep(.minutes(1))
                #expect(try await test.ask(Self.naming("b", "hall")).error == nil)
                test.platform.network.put(nil, at: "10.0.0.7")
                try await test.sleep(.minutes(1))
                #expect(try await Self.device("hall", test)?.state != "answering")
                #expect(try await test.ask(Self.naming("hall", "loft")).error == nil)
                test.platform.network.put(try Self.board(), at: "10.0.0.7")
                try await test.sleep(.minutes(1))
                #expect(try await Self.device("loft", test)?.state == "answering")
                // The quantities of a board are not those of the sensor on the port.
                let all = test.station.context.recorder.readings(since: .boot)
                return Set(all.filter { $0.outcome.value != nil }.map(\.channel.device))
            }
        }
        #expect(names == ["dust", "loft"])
        let reader = try HistoryReader(path: folder.path("history.db"))
        var counts: [String: Int] = [:]
        for stream in try reader.streams() {
            let spans = try StreamExtents(reader).spans(of: stream.id)
            let all = try RawSamples(reader, stream.id, spans)
            while try all.next() != nil { counts[stream.device, default: 0] += 1 }
        }
        #expect(counts["a"] == nil && counts["b"] == nil && counts["hall"] == nil, "\(counts)")
        #expect(counts["loft"] ?? 0 > 60, "what it measured under each name is one record")
    }

    /// A line and a name are one change: the whole of it, or nothing.
    @Test func lineAndNameChangeTogetherOrNotAtAll() throws {
        let folder = try TestFolder(isInMemory: true)
        let (refused, kept, moved, changes) = try simulate { clock in
            let test = try Self.station(clock, folder)
            return try await test.run { test in
                try await test.sleep(.seconds(5))
                _ = try await test.ask(Self.part("bell", "button", "GPIO27"))
                _ = try await test.ask(Self.part("lamp", "led", "GPIO22"))
                var refused: [ControlFailure?] = []
                for (name, line) in [
                    ("gong", "GPIO22"), ("lamp", "GPIO23"), ("dust", "GPIO23"), ("a b", "GPIO23"),
                ] {
                    var question = Self.naming("bell", name)
                    question.line = line
                    refused.append(try await test.ask(question).error)
                }
                test.platform.card.folder.refuse(with: .full(path: "store"))
                var question = Self.naming("bell", "gong")
                (question.line, question.title) = ("GPIO23", "Gong")
                refused.append(try await test.ask(question).error)
                test.platform.card.folder.refuse(with: nil)
                let kept = try await Self.device("bell", test)
                let before = test.events.count { $0.kind == .plain(.settingsChanged) }
                #expect(try await test.ask(question).error == nil)
                try await test.sleep(.seconds(2))
                let device = try await Self.device("gong", test)
                let changes = test.events.count { $0.kind == .plain(.settingsChanged) } - before
                #expect(test.platform.gpio.holder(of: "GPIO27") == nil)
                #expect(try await Self.device("bell", test) == nil)
                return (refused, kept, device, changes)
            }
        }
        let codes: [RefusalCode?] = [.badRequest, .conflict, .conflict, .badRequest, .store]
        #expect(refused.map { $0?.code } == codes)
        #expect(refused.prefix(4).map { $0?.pointer } == ["/line", "/name", "/name", "/name"])
        #expect(kept?.location.hasPrefix("GPIO27") == true && kept?.title == nil)
        #expect(moved?.location.hasPrefix("GPIO23") == true && moved?.title == "Gong")
        #expect(changes == 2, "one that goes, one that comes")
    }
}

extension TreeReport {
    /// The names of the children of a branch.
    fileprivate func names(_ branch: String) -> [String] {
        if id == branch { return children.map(\.id) }
        return children.flatMap { $0.names(branch) }
    }
}
