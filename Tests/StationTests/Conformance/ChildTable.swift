import Configuration
import ControlProtocol
import Core
import Glibc
import HardwareIO
import Testing

@testable import Devices
@testable import Profiles
@testable import Runtime
@testable import SimulationKit
@testable import Station
@testable import Store

/// Every child there is: a new one is a row here, and `TidyTests` asks for it.
enum ChildTable {
    static let rows: [ChildRow] =
        [sds011("normal"), sds011("live")] + sensors + [
            ChildRow(HTTPLineDriver.self, "milano", boardText, board),
            ChildRow(PIRDriver.self, "door", device("door", #""pir", "line": "GPIO17""#), pir),
            ChildRow(ButtonDriver.self, "bell", device("bell", #""button", "line": "GPIO27""#)) {
                test,
                _ in .init(flaw: dark(test, "GPIO27"))
            },
            ChildRow(
                LEDDriver.self,
                "alive",
                device("alive", #""led", "line": "GPIO22", "shows": "station""#)
            ) { test, _ in .init(flaw: dark(test, "GPIO22")) },
            ChildRow(TrafficLightDriver.self, "lights", #"{"lights": {}}"#, lamps),
            ChildRow(
                DeviceSession.self,
                "lights",
                #"{"lights": {"output": "/dev/lamp"}}"#,
                variant: "letters",
                letters
            ),
            ChildRow(
                DeviceSession.self,
                "dust",
                device("dust", #""sds011", "port": "/dev/ttyUSB7""#),
                variant: "not plugged in"
            ),
            ChildRow(StoreWriter.self, "store", "", store),
            ChildRow(AlertTask.self, "alerts", "", alerts),
            ChildRow(DetectionTask.self, "detection", "{}", detection),
            ChildRow(ControlServer.self, "control", "{}", control),
            ChildRow(ModeTask.self, "mode", "{}", modes),
            ChildRow(AdapterWatch.self, "hotplug", "{}"),
            ChildRow(HealthMonitor.self, "health", "{}"),
            ChildRow(
                Supervisor.self,
                "devices",
                device("dust", #""sds011", "port": "/dev/ttyUSB0""#),
                dust
            ),
            ChildRow(
                Supervisor.self,
                "devices",
                "{}",
                variant: "an HTTP device that comes and goes",
                visitor
            ),
        ]

    private static func device(_ name: String, _ type: String, mode: String = "normal") -> String {
        #"{"mode": "\#(mode)", "devices": [{"name": "\#(name)", "type": \#(type)}]}"#
    }

    // MARK: Serial lines

    private static func sds011(_ mode: String) -> ChildRow {
        ChildRow(
            SensorDriver.self,
            "dust",
            device("dust", #""sds011", "port": "/dev/ttyUSB0""#, mode: mode),
            variant: mode,
            dust
        )
    }

    private static let dust: ChildRow.Prepare = { test, surroundings in
        if surroundings.isSilent {
            test.line.withPeer { peer, _ in peer.inject(SDS011FaultWindow(.silence)) }
        }
        return ChildRow.Subject(flaw: {
            guard test.platform.openCount > 0 else { return nil }
            let isAwake = test.line.withPeer { peer, _ in peer.state == .work }
            if isAwake { return "the laser is on" }
            return test.line.isOpen ? "the port is open" : nil
        })
    }

    /// One for each kind in the catalog, by the first shipped profile that names it.
    private static let sensors = DeviceCatalog.kinds.filter { $0.driver != "sds011" }.flatMap {
        kind -> [ChildRow] in
        let profiles = ProfileCatalog.shipped.profiles
        guard let profile = profiles.first(where: { $0.driver == kind.driver }) else { return [] }
        return ["normal", "live"].map { mode in
            ChildRow(
                SensorDriver.self,
                "part",
                device("part", #""\#(profile.id)", "port": "\#(port(of: profile))""#, mode: mode),
                variant: "\(kind.driver), \(mode)"
            ) { test, surroundings in try part(kind, profile, test, surroundings) }
        }
    }

    private static func port(of profile: Profile) -> String {
        profile.kind == .bus ? "/sys/bus/i2c/devices/1-0076" : "/dev/ttyUSB1"
    }

    private static func part(
        _ kind: SensorKind,
        _ profile: Profile,
        _ test: TestStation,
        _ surroundings: Surroundings
    ) throws -> ChildRow.Subject {
        let faults = surroundings.isSilent ? [SensorFaultWindow(.silence)] : []
        let part = SensorPart(try kind.simulator(profile, 1), faults: faults)
        let line = SimulatedSerialPort(part, clock: test.clock, path: port(of: profile))
        test.platform.plug(line, at: port(of: profile))
        let words = try kind.dialect(profile).commands(for: .rest).flatMap(\.bytes)
        return ChildRow.Subject(flaw: {
            guard test.platform.openCount > 0 else { return nil }
            if line.isOpen { return "the port is open" }
            let written = line.trace.filter(\.isFromHost).flatMap(\.bytes)
            let isAtRest = written.isEmpty || written.suffix(words.count).elementsEqual(words)
            return isAtRest ? nil : "the part is not at rest"
        })
    }

    // MARK: The network

    private static let boardText = device(
        "milano",
        #""milano-board", "address": "http://192.168.1.20/", "intervalSeconds": 5"#
    )

    private static let board: ChildRow.Prepare = { test, surroundings in
        let profile = try #require(ProfileCatalog.shipped.profile("milano-board"))
        var board = try HTTPLineSimulator(profile)
        if surroundings.isSilent { board.fault = .silence }
        // While the disk hangs the name server is silent as well: then there is no board at all.
        if surroundings.hangsAfter == nil {
            test.platform.network.put(board, at: "192.168.1.20")
        }
        return ChildRow.Subject()
    }

    /// The owner adds an HTTP device and removes it, again and again.
    private static let visitor: ChildRow.Prepare = { test, surroundings in
        _ = try board(test, surroundings)
        let added = StationOverlay([
            "devices": .object([
                "milano": .object([
                    "type": .string("milano-board"), "address": .string("http://192.168.1.20/"),
                ])
            ])
        ])
        return ChildRow.Subject(life: {
            for _ in 0..<2 {
                DeviceBranch(station: test.station.state).follow(added)
                try await test.sleep(.seconds(7))
                DeviceBranch(station: test.station.state).follow(StationOverlay())
                try await test.sleep(.seconds(2))
            }
        })
    }

    // MARK: Pins

    private static func dark(_ test: TestStation, _ lines: String...) -> @Sendable () -> String? {
        {
            let gpio = test.platform.gpio
            if let lit = lines.first(where: { gpio.level(of: $0) }) { return "\(lit) is on" }
            return lines.first { gpio.holder(of: $0) != nil }.map { "\($0) is held" }
        }
    }

    private static let pir: ChildRow.Prepare = { test, surroundings in
        let gpio = test.platform.gpio
        return ChildRow.Subject {
            guard !surroundings.isSilent else { return }
            for second in stride(from: 31, to: 70, by: 7) {
                let at = MonotonicInstant.boot.advanced(by: .seconds(second))
                try await test.clock.sleep(until: at)
                gpio.drive("GPIO17", second % 2 == 1)
            }
        } flaw: {
            gpio.holder(of: "GPIO17") == nil ? nil : "GPIO17 is held"
        }
    }

    /// Lit from the start.
    private static let lamps: ChildRow.Prepare = { test, _ in
        test.station.state.lamp.light.offer(.poor, at: test.clock.now, validFor: .hours(1))
        return ChildRow.Subject(flaw: dark(test, "GPIO9", "GPIO10", "GPIO11"))
    }

    private static let letters: ChildRow.Prepare = { test, _ in
        test.station.state.lamp.light.offer(.poor, at: test.clock.now, validFor: .hours(1))
        return ChildRow.Subject(flaw: {
            let last = test.platform.letters.last
            return last == nil || last == "-" ? nil : "the lamp is lit"
        })
    }

    // MARK: The station's own

    private static let store: ChildRow.Prepare = { test, surroundings in
        guard surroundings == .well else { return ChildRow.Subject() }
        let folder = try #require(test.configuration.store).folder
        return ChildRow.Subject(flawInOrder: {
            access("\(folder)/history.db-wal", F_OK) == 0 ? "the history is not closed" : nil
        })
    }

    /// Asked for its vitals with each sample, and for other rules.
    private static let alerts: ChildRow.Prepare = { test, _ in
        test.station.state.alerts.configure(test.configuration)
        let channel = Channel(device: "dust", quantity: .pm25)
        return ChildRow.Subject {
            for second in stride(from: 5, to: 70, by: 13) {
                let at = MonotonicInstant.boot.advanced(by: .seconds(second))
                try await test.clock.sleep(until: at)
                test.station.context.recorder.accept([Reading(channel, at: at, .value(60))])
            }
        }
    }

    private static let detection: ChildRow.Prepare = { test, surroundings in
        let node = "/dev/ttyUSB3"
        let adapter = SimulatedAdapter("sds011", clock: test.clock) { _ in
            SDS011Simulator(air: .drifting(seed: 1))
        }
        test.platform.put(surroundings.isSilent ? nil : adapter, at: node)
        let device = HotplugDevice(
            devpath: "/devices/usb1/1-1/ttyUSB3",
            node: node,
            subsystem: "tty",
            properties: ["ID_VENDOR_ID": "1a86", "ID_MODEL_ID": "7523"]
        )
        test.station.state.detection.configure(test.configuration)
        return ChildRow.Subject {
            try await test.clock.sleep(for: .seconds(1))
            test.station.state.detection.apply([.snapshot([device])])
        }
    }

    private static let control: ChildRow.Prepare = { test, _ in
        ChildRow.Subject {
            func ask(_ question: some Question) async throws {
                try await test.clock.sleep(for: .seconds(1))
                let connection = test.platform.socket.connect()
                try connection.send(ControlCodec.line(AskedQuestion(question)))
                _ = try await connection.nextLine()
            }
            try await ask(GetStatus())
            try await ask(GetDevices())
            try await ask(FollowLive())
            try await ask(GetTree())
        }
    }

    private static let modes: ChildRow.Prepare = { test, _ in
        ChildRow.Subject {
            for second in [3, 7, 11] {
                let ends = MonotonicInstant.boot.advanced(by: .seconds(second + 2))
                test.station.context.modes.change(to: StationMode(kind: .live, ends: ends))
                try await test.clock.sleep(until: ends.advanced(by: .seconds(1)))
            }
        }
    }
}
