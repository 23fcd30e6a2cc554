import Configuration
import ControlProtocol
import Core
import HardwareIO
import Logging
import Synchronization
import Testing

@testable import Devices
@testable import Profiles
@testable import Runtime
@testable import SimulationKit
@testable import Station

/// One station on a simulated machine, with what a test wants to do to it.
struct TestStation: Sendable {
    static let port = "/dev/ttyUSB0"
    static let everything = """
        {"name": "test", "mode": "normal",
         "devices": [{"name": "dust", "type": "sds011", "port": "/dev/ttyUSB0"},
                     {"name": "door", "type": "pir", "line": "GPIO17"}],
         "lights": {}, "watchdog": {}}
        """

    let clock: SimulatedClock
    let platform: SimulatedPlatform
    let line: SimulatedSerialPort<SDS011Simulator>
    let station: Station
    let configuration: StationConfiguration
    let ended = Recording()

    /// Why the process would have ended.
    final class Recording: Sendable {
        private let texts = Mutex<[String]>([])
        var reasons: [String] { texts.withLock { $0 } }
        func append(_ text: String) { texts.withLock { $0.append(text) } }
    }

    init(
        _ clock: SimulatedClock,
        _ text: String = everything,
        air: SDS011Air = .constant(SDS011Measurement(pm25Tenths: 21, pm10Tenths: 52)),
        isPlugged: Bool = true,
        card: SimulatedCard = SimulatedCard(),
        model: String? = nil
    ) throws {
        let platform = SimulatedPlatform(clock: clock, card: card)
        platform.boardModel = model
        try self.init(clock, text, on: platform, air: air, isPlugged: isPlugged)
    }

    init(
        _ clock: SimulatedClock,
        _ text: String,
        on platform: SimulatedPlatform,
        air: SDS011Air,
        isPlugged: Bool = true
    ) throws {
        self.clock = clock
        self.platform = platform
        line = SimulatedSerialPort(SDS011Simulator(air: air), clock: clock, path: Self.port)
        if isPlugged { platform.plug(line, at: Self.port) }
        let ended = ended
        let dependencies = StationDependencies(
            platform: platform,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            seed: clock.seed,
            endProcess: { ended.append($0) }
        )
        configuration = try StationConfiguration.read(
            Array(text.utf8),
            file: "test",
            board: platform.boardModel.flatMap { ProfileCatalog.shipped.board(model: $0) }
        )
        station = Station(
            configuration,
            stored: OverlayFile(platform.card.folder).read(),
            in: dependencies
        )
    }

    /// Runs the station, lets `body` happen to it, and stops it in order.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (TestStation) async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await station.run() }
            let value = try await body(self)
            station.requestStop()
            try await group.next()
            return value
        }
    }

    /// Runs the station for a while, and ends it as `kill -9` does: it writes nothing any more.
    func runUntilKilled(after duration: Duration) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await station.run() }
            try await clock.sleep(for: duration)
            group.cancelAll()
            while !group.isEmpty { _ = try? await group.next() }
        }
        platform.memory.end(platform)
    }

    func sleep(_ duration: Duration) async throws { try await clock.sleep(for: duration) }

    var events: [Event] {
        station.context.recorder.events(since: .boot)
    }

    func readings(_ quantity: Quantity = .pm25) -> [Reading] {
        station.context.recorder.readings(since: .boot)
            .filter { $0.channel.quantity == quantity }
    }

    /// Asks over the control socket.
    func ask<Asked: Question>(
        _ question: Asked,
        for actor: String? = nil
    ) async throws -> ControlAnswer<Asked.Answer> {
        let connection = platform.socket.connect()
        defer { connection.close() }
        try connection.send(ControlCodec.line(AskedQuestion(question, for: actor)))
        let line = try #require(await connection.nextLine())
        return try ControlCodec.message(from: line)
    }
}

@Suite struct StationTests {
    @Test func aDayHasOneSampleEachPeriodAndTheLaserIsOffInBetween() throws {
        let (readings, laser, wakeUps) = try simulate { clock in
            let test = try TestStation(clock, air: .drifting(seed: 3))
            try await test.run { try await $0.sleep(.days(1)) }
            let laser = test.line.withPeer { peer, now in peer.laserTime(at: now) }
            return (test.readings(), laser, clock.wakeUps)
        }
        #expect(readings.count { $0.outcome.value != nil } == 288)
        #expect(readings.filter { $0.outcome.value == nil }.map(\.outcome) == [.noData(.stopped)])
        #expect(laser / .days(1) <= 0.11)
        #expect(Double(wakeUps) / 1_440 <= 6, "the budget of an idle node, per minute")
    }

    @Test func theLampFollowsTheAirAndStopsInTheDark() throws {
        let (states, history) = try simulate { clock in
            let test = try TestStation(clock)
            let states = try await test.run { test in
                var states: [String?] = []
                try await test.sleep(.minutes(6))
                states.append(test.station.status.lamp)
                test.line.withPeer { peer, _ in
                    peer.inject(SDS011FaultWindow(.timesTen))
                }
                try await test.sleep(.minutes(6))
                states.append(test.station.status.lamp)
                return states
            }
            return (states, test.platform.gpio.history)
        }
        #expect(states == ["good", "poor"])
        #expect(history.allSatisfy { change in change.values.count { $0 } <= 1 })
        #expect(history.last?.values == [false, false, false])
    }

    @Test func stopsInOrderWithTheSensorAsleep() throws {
        let (isAwake, watchdog, notifications) = try simulate { clock in
            let test = try TestStation(clock)
            try await test.run { test in
                _ = try await test.ask(ChangeMode("live"))
                try await test.sleep(.seconds(20))
            }
            let state = test.line.withPeer { peer, _ in peer.state }
            return (state == .work, test.platform.watchdog, test.platform.notifications)
        }
        #expect(!isAwake)
        #expect(!watchdog.isArmed && watchdog.petCount > 0)
        #expect(notifications == [.ready, .stopping])
    }

    @Test func anUnpluggedSensorIsNamedOnceAndComesBack() throws {
        let (kinds, absences, last, faults) = try simulate { clock in
            let test = try TestStation(clock)
            let faults = try await test.run { test in
                try await test.sleep(.minutes(8))
                test.platform.removePath(TestStation.port)
                test.line.unplug()
                try await test.sleep(.hours(3))
                let faults = test.station.status.faults
                test.platform.plug(test.line, at: TestStation.port)
                try await test.sleep(.minutes(10))
                return faults
            }
            let kinds = test.events.filter { $0.source == "dust" }.map(\.kind.name)
            let absences = test.readings().filter { $0.outcome == .noData(.unplugged) }
            let values = test.readings().filter { $0.outcome.value != nil }
            return (kinds, absences.count, values.last, faults)
        }
        #expect(kinds.filter { $0 == "device away" }.count == 1)
        #expect(kinds.filter { $0 == "device back" }.count == 1)
        #expect(absences == 1)
        #expect(last?.outcome == .value(2.1))
        #expect(faults.map(\.id) == ["device-away:dust"])
    }

    private static let denied = SerialError.noPermission(
        path: TestStation.port,
        owner: "root",
        group: "dialout",
        mode: "0660"
    )

    @Test func aForbiddenPortIsToldOnceAndTheRestGoesOn() throws {
        let (told, motions, lamp, opened) = try simulate { clock in
            let test = try TestStation(clock, isPlugged: false)
            test.platform.refuse(TestStation.port, with: Self.denied)
            let lamp = try await test.run { test in
                try await test.sleep(.minutes(2))
                test.platform.gpio.drive("GPIO17", true)
                try await test.sleep(.seconds(2))
                test.platform.gpio.drive("GPIO17", false)
                try await test.sleep(.hours(2))
                return test.station.status.lamp
            }
            let told = test.events.filter { $0.kind.name == "device unusable" }
            let motions = test.events.filter { $0.kind.name == "motion" }
            return (told, motions.count, lamp, test.platform.openCount)
        }
        #expect(told.count == 1)
        #expect(told.first?["reason"]?.contains("usermod -aG dialout") == true)
        #expect(motions == 1)
        #expect(lamp == "fault")
        #expect((20...40).contains(opened), "it tries again every five minutes")
    }

    @Test func aPortThatAnotherHadMeasuresSoonAfterItIsFree() throws {
        let (told, back, opened) = try simulate { clock in
            let test = try TestStation(clock)
            let taken = SerialError.busy(path: TestStation.port, holder: "minicom")
            test.platform.refuse(TestStation.port, with: Self.denied)
            let opened = try await test.run { test in
                try await test.sleep(.seconds(20))
                test.platform.refuse(TestStation.port, with: taken)
                try await test.sleep(.hours(2))
                let opened = test.platform.openCount
                let other = SerialError.busy(path: TestStation.port, holder: "python3")
                test.platform.refuse(TestStation.port, with: other)
                try await test.sleep(.minutes(1))
                test.platform.refuse(TestStation.port, with: nil)
                try await test.sleep(.seconds(20))
                return opened
            }
            let told = test.events.filter { $0.kind.name == "device unusable" }
            let back = test.events.filter { $0.kind.name == "device back" }
            return (told.compactMap { $0["reason"] }, back.count, opened)
        }
        #expect(told.count == 2)
        #expect(told.first?.contains("usermod") == true)
        #expect(told.last?.contains("minicom") == true, "who has it is said once")
        #expect(back == 1)
        #expect((380...490).contains(opened), "it looks every fifteen seconds")
    }

    @Test func aModeThatWasAskedForEndsByItself() throws {
        let (during, after, samples) = try simulate { clock in
            let test = try TestStation(clock)
            return try await test.run { test in
                try await test.sleep(.minutes(10))
                let asked = ChangeMode("survey", name: "kitchen", seconds: 60)
                let answer = try await test.ask(asked)
                let before = test.readings().count
                try await test.sleep(.seconds(50))
                let samples = test.readings().count - before
                try await test.sleep(.minutes(6))
                return (answer.body?.mode, test.station.status.mode, samples)
            }
        }
        #expect(during?.mode == "survey" && during?.name == "kitchen")
        #expect(during?.endsInSeconds == 60)
        #expect(after.mode == "normal")
        #expect((30...50).contains(samples), "a value a second, after the warm-up")
    }

    @Test func reloadRestartsOnlyWhatChanged() throws {
        let (tree, before, kinds) = try simulate { clock in
            let test = try TestStation(clock)
            return try await test.run { test in
                try await test.sleep(.minutes(7))
                let before = test.readings().count
                let next = """
                    {"name": "test",
                     "devices": [{"name": "dust", "type": "sds011", "port": "/dev/ttyUSB0"},
                                 {"name": "gate", "type": "pir", "line": "GPIO27"}],
                     "watchdog": {}}
                    """
                let parsed = try StationConfiguration.read(Array(next.utf8), file: "next")
                test.station.reload(parsed)
                try await test.sleep(.minutes(1))
                return (test.station.tree, before, test.events.map(\.kind.name))
            }
        }
        let devices = tree.children.first { $0.id == "devices" }?.children ?? []
        #expect(Set(devices.map(\.id)) == ["dust", "gate"])
        #expect(devices.first { $0.id == "dust" }?.startedAt == .boot)
        #expect(!tree.children.contains { $0.id == "lights" })
        #expect(before == 2)
        #expect(kinds.contains("configuration reloaded"))
    }

    @Test func aDeviceThatIsNoLongerConfiguredShowsNoValue() throws {
        let (before, after) = try simulate { clock in
            let test = try TestStation(clock)
            return try await test.run { test in
                try await test.sleep(.minutes(7))
                let before = test.station.status.channels.count
                let next = #"{"name": "test", "watchdog": {}}"#
                let parsed = try StationConfiguration.read(Array(next.utf8), file: "next")
                test.station.reload(parsed)
                try await test.sleep(.minutes(1))
                let channels = test.station.status.channels
                return (before, channels.filter { !$0.isStale }.count)
            }
        }
        #expect(before == 2)
        #expect(after == 0)
    }

    @Test func aModeThatEndsGivesWayToTheConfiguredOne() throws {
        let modes = try simulate { clock in
            let text = #"{"name": "test", "mode": "live"}"#
            let test = try TestStation(clock, text)
            return try await test.run { test in
                let asked = ChangeMode("survey", name: "attic", seconds: 30)
                _ = try await test.ask(asked)
                let during = test.station.status.mode.mode
                try await test.sleep(.minutes(1))
                return [during, test.station.status.mode.mode]
            }
        }
        #expect(modes == ["survey", "live"])
    }

    @Test func theSameSeedGivesTheSameEvents() throws {
        func day(_ seed: UInt64) throws -> [Event] {
            try simulate(seed: seed) { clock in
                let test = try TestStation(clock, air: .drifting(seed: seed))
                test.line.withPeer { peer, _ in
                    let start = MonotonicInstant.boot.advanced(by: .seconds(Int(seed) * 700))
                    peer.inject(
                        SDS011FaultWindow(.silence, from: start, to: start.advanced(by: .hours(1)))
                    )
                }
                try await test.run { test in
                    try await test.sleep(.hours(5))
                    test.line.unplug(afterBytes: 7)
                    try await test.sleep(.hours(5))
                }
                return test.events
            }
        }
        let first = try day(1)
        #expect(first.count > 20)
        #expect(try day(1) == first)
        #expect(try day(2) != first)
    }
}
