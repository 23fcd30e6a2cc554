import Configuration
import ControlProtocol
import Core
import HardwareIO
import Logging
import Synchronization
import Testing

@testable import Devices
@testable import Runtime
@testable import SimulationKit
@testable import Station

/// Many sensors on one station: what one does must cost the others nothing.
@Suite struct DeviceSessionTests {
    private struct Crowd: Sendable {
        let platform: SimulatedPlatform
        let lines: [SimulatedSerialPort<SDS011Simulator>]
        let station: Station
        let ended = TestStation.Recording()

        /// A station with `good` sensors, `silent` ones that never answer, and absent ones.
        init(_ clock: SimulatedClock, good: Int, silent: Int, absent: Int) throws {
            platform = SimulatedPlatform(clock: clock)
            var (lines, entries) = ([SimulatedSerialPort<SDS011Simulator>](), [String]())
            for index in 0..<good + silent + absent {
                let path = "/dev/ttyUSB\(index)"
                entries.append(#"{"name": "d\#(index)", "type": "sds011", "port": "\#(path)"}"#)
                guard index < good + silent else { continue }
                let faults = index < good ? [] : [SDS011FaultWindow(.silence)]
                let part = SDS011Simulator(air: .drifting(seed: 1), faults: faults)
                let line = SimulatedSerialPort(part, clock: clock, path: path)
                platform.plug(line, at: path)
                lines.append(line)
            }
            self.lines = lines
            let text = #"{"mode": "live", "devices": [\#(entries.joined(separator: ", "))]}"#
            let ended = ended
            station = Station(
                try StationConfiguration.read(Array(text.utf8), file: "test"),
                in: StationDependencies(
                    platform: platform,
                    logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                    seed: clock.seed,
                    endProcess: { ended.append($0) }
                )
            )
        }
    }

    /// Stops at moments that fall into every phase: opening, settling, pausing, measuring.
    @Test(arguments: [0.0, 0.3, 0.9, 1.4, 3.3, 12.0, 40.0, 700.0])
    func aCrowdStopsInTimeAndAsleepWhateverEachOfThemDoes(seconds: Double) throws {
        let (took, reasons, awake) = try simulate { clock in
            let crowd = try Crowd(clock, good: 3, silent: 6, absent: 12)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await crowd.station.run() }
                try await clock.sleep(for: .milliseconds(Int(seconds * 1_000)))
                crowd.station.requestStop()
                try await group.next()
            }
            let took = MonotonicInstant.boot.duration(to: clock.now).inSeconds - seconds
            // A silent part obeys all the same; only what never opened its port is not asked.
            let awake = crowd.lines.filter { line in
                !line.trace.isEmpty && line.withPeer { peer, _ in peer.state } == .work
            }
            return (took, crowd.ended.reasons, awake.count)
        }
        #expect(took < 9)
        #expect(reasons.isEmpty)
        #expect(awake == 0)
    }

    /// A driver that fails so many times, and then goes on for ever.
    private final class Failing: Child {
        private let clock: SimulatedClock
        private let error: SerialError
        private let failures: Int
        private let starts = Mutex(0)

        init(_ error: SerialError, times: Int, on clock: SimulatedClock) {
            (self.error, failures, self.clock) = (error, times, clock)
        }

        var startCount: Int { starts.withLock { $0 } }

        func run() async throws {
            let start = starts.withLock { starts in
                starts += 1
                return starts
            }
            if start <= failures { throw error }
            while !Task.isCancelled { try await clock.sleep(for: .hours(1)) }
        }
    }

    @Test func aLineThatTakesNothingIsTriedAgainAndSparesTheStation() throws {
        let (tries, states, kinds) = try simulate { clock in
            let test = try TestStation(clock, #"{"name": "test"}"#)
            let context = test.station.context
            let driver = Failing(.backlog(path: "/dev/ttyUSB0"), times: 22, on: clock)
            context.devices.add(name: "dust", type: "sds011", location: "/dev/ttyUSB0")
            let attachment = DeviceSession(
                DeviceSession.Subject(name: "dust", path: "/dev/ttyUSB0", channels: []),
                station: context,
                heartbeat: Heartbeat(clock: clock, limit: .minutes(2))
            ) { _ in
                DeviceSession.Attached(driver: driver) {
                    DeviceList.Account(state: "measuring", facts: [])
                }
            }
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await attachment.run() }
                var states: [String] = []
                try await clock.sleep(for: .hours(1))
                let tries = driver.startCount
                states += await context.devices.reports().map(\.state)
                try await clock.sleep(for: .hours(1))
                states += await context.devices.reports().map(\.state)
                attachment.requestStop()
                try await group.next()
                return (tries, states, context.recorder.events(since: .boot).map(\.kind.name))
            }
        }
        // Pauses of 1, 2, 4 … 256 s, then of 300 s and their tolerance.
        #expect((15...21).contains(tries))
        #expect(states == ["unusable", "measuring"])
        #expect(kinds == ["device unusable", "device back"])
    }

    @Test func aDeviceThatIsNotThereIsAbsentRatherThanUnusable() throws {
        let states = try simulate { clock in
            let text = #"{"devices": [{"name": "dust", "type": "sds011", "port": "/dev/ttyUSB0"}]}"#
            let test = try TestStation(clock, text, isPlugged: false)
            return try await test.run { test in
                var states: [String] = []
                try await test.sleep(.minutes(1))
                states.append(await test.station.context.devices.reports()[0].state)
                test.platform.plug(test.line, at: TestStation.port)
                try await test.sleep(.minutes(1))
                states.append(await test.station.context.devices.reports()[0].state)
                return states
            }
        }
        #expect(states[0] == "absent")
        #expect(states[1] != "absent" && states[1] != "unusable")
    }

    /// A short interruption of the lights is reported only when it is over.
    @Test func aShortInterruptionIsToldWhenItIsOver() throws {
        let kinds = try simulate { clock in
            let test = try TestStation(clock, #"{"name": "test"}"#)
            let context = test.station.context
            let driver = Failing(.busy(path: "/dev/a", holder: nil), times: 1, on: clock)
            let attachment = DeviceSession(
                DeviceSession.Subject(name: "lights", path: nil, channels: []),
                station: context,
                heartbeat: Heartbeat(clock: clock, limit: .minutes(2))
            ) { _ in
                DeviceSession.Attached(driver: driver) {
                    DeviceList.Account(state: "good", facts: [])
                }
            }
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await attachment.run() }
                try await clock.sleep(for: .hours(1))
                attachment.requestStop()
                try await group.next()
                return context.recorder.events(since: .boot).map(\.kind.name)
            }
        }
        #expect(kinds == ["device back"])
    }

    @Test func aStopEndsTheWaitForAnAbsentPortAtOnce() throws {
        let took = try simulate { clock in
            let crowd = try Crowd(clock, good: 0, silent: 0, absent: 1)
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await crowd.station.run() }
                try await clock.sleep(for: .hours(1))
                let start = clock.now
                crowd.station.requestStop()
                try await group.next()
                return start.duration(to: clock.now)
            }
        }
        #expect(took == .zero)
    }
}
