import Configuration
import ControlProtocol
import Core
import HardwareIO
import Logging
import Testing

@testable import Devices
@testable import Profiles
@testable import SimulationKit
@testable import Station

/// A station that finds its sensors, on a machine with USB sockets.
struct DetectionBench: Sendable {
    let clock: SimulatedClock
    let platform: SimulatedPlatform
    let usb: SimulatedUSB
    let station: Station

    init(_ clock: SimulatedClock, _ text: String = #"{"name": "test"}"#) throws {
        self.clock = clock
        platform = SimulatedPlatform(clock: clock)
        usb = SimulatedUSB(platform)
        let dependencies = StationDependencies(
            platform: platform,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            seed: clock.seed,
            endProcess: { Issue.record("the process ends: \($0)") }
        )
        let configuration = try StationConfiguration.read(Array(text.utf8), file: "test")
        station = Station(configuration, in: dependencies)
    }

    /// Runs the station, lets `body` happen to it, and stops it in order.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (DetectionBench) async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await station.run() }
            let value = try await body(self)
            station.requestStop()
            try await group.next()
            return value
        }
    }

    func sleep(_ duration: Duration) async throws { try await clock.sleep(for: duration) }

    var events: [Event] { station.context.recorder.events(since: .boot) }
    var found: [FoundReport] { station.found }

    func values(of device: String) -> [Reading] {
        station.context.recorder.readings(since: .boot)
            .filter { $0.channel.device == device && $0.outcome.value != nil }
    }

    /// Asks over the control socket.
    func ask<Asked: Question>(
        _ question: Asked
    ) async throws -> ControlAnswer<Asked.Answer> {
        let connection = platform.socket.connect()
        defer { connection.close() }
        try connection.send(ControlCodec.line(AskedQuestion(question)))
        let line = try #require(await connection.nextLine())
        return try ControlCodec.message(from: line)
    }
}

extension SimulatedAdapter {
    /// With an SDS011 behind it.
    static func sds011(
        _ label: String,
        id: UInt16,
        serial: String? = nil,
        mode: SDS011ReportMode = .active,
        on clock: SimulatedClock
    ) -> SimulatedAdapter {
        SimulatedAdapter(label, serial: serial, clock: clock) { now in
            let memory = SDS011Simulator.Memory(
                deviceID: SDS011DeviceID(rawValue: id),
                reportMode: mode
            )
            return SensorPart(SDS011Simulator(memory: memory), poweredAt: now)
        }
    }

    /// With the part of a shipped profile behind it.
    static func part(
        of id: String,
        seed: UInt64 = 1,
        usb: (String, String) = ("1a86", "7523"),
        serial: String? = nil,
        on clock: SimulatedClock
    ) throws -> SimulatedAdapter {
        let profile = try #require(ProfileCatalog.shipped.profile(id))
        let kind = try #require(profile.driver.flatMap(DeviceCatalog.kind))
        let peer = try kind.simulator(profile, seed)
        return SimulatedAdapter(
            id,
            usb: usb,
            serial: serial,
            baud: profile.probe?.bauds.first ?? 9_600,
            clock: clock
        ) { SensorPart(peer, poweredAt: $0) }
    }
}
