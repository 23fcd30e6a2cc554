import Devices
import HardwareIO
import Logging
import Readings
import SimulationKit
import Supervision
import Synchronization
import Testing

@testable import Node

/// Many sensors on one station: what one does must cost the others nothing.
@Suite struct AttachmentTests {
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
                in: Station.Surroundings(
                    platform: platform,
                    logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                    seed: clock.seed,
                    endProcess: { ended.note($0) }
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
