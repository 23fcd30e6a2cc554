import Core
import HardwareIO
import Testing

@testable import Devices
@testable import SimulationKit

@Suite struct SimulatedSerialPortTests {
    private static let second = Duration.seconds(1)

    private static func line(_ clock: SimulatedClock) -> SimulatedSerialPort<SDS011Replay> {
        let recording = SDS011Recording(pieces: (1...9).map { Array(repeating: $0, count: 10) })
        let replay = SDS011Replay(recording, startingAt: .boot.advanced(by: second))
        return SimulatedSerialPort(replay, clock: clock)
    }

    @Test func waitsForAsManyBytesAsAskedAndNoLonger() throws {
        let (first, both, instant) = try simulate { clock in
            let line = Self.line(clock)
            let first = try await line.read(atLeast: 10, until: .boot.advanced(by: .seconds(9)))
            let both = try await line.read(atLeast: 15, until: .boot.advanced(by: .seconds(9)))
            return (first, both, clock.now)
        }
        #expect(first == Array(repeating: 1, count: 10))
        #expect(both?.count == 20)
        #expect(instant == .boot.advanced(by: .seconds(3)))
    }

    @Test func givesWhatThereIsAtTheDeadlineOrNothing() throws {
        let (nothing, some) = try simulate { clock in
            let line = Self.line(clock)
            let nothing = try await line.read(atLeast: 1, until: .boot.advanced(by: .seconds(0.5)))
            let some = try await line.read(atLeast: 99, until: .boot.advanced(by: .seconds(2.5)))
            return (nothing, some)
        }
        #expect(nothing == nil)
        #expect(some?.count == 20)
    }

    @Test func deliversWhatCameBeforeThePlugWasPulledAndThenThrows() throws {
        let (bytes, error) = try simulate { clock in
            let line = Self.line(clock)
            line.unplug(afterBytes: 13)
            let bytes = try await line.read(atLeast: 20, until: .boot.advanced(by: .seconds(9)))
            do {
                _ = try await line.read(atLeast: 1, until: .boot.advanced(by: .seconds(9)))
                return (bytes, SerialError?.none)
            } catch let error as SerialError {
                return (bytes, error)
            }
        }
        #expect(bytes?.count == 13)
        #expect(error == .disconnected(path: "/dev/ttyUSB0"))
    }

    @Test func endsAWaitingReadWhenClosedAndWorksAgainWhenReopened() throws {
        let (wasDisconnected, bytes) = try simulate { clock in
            let line = Self.line(clock)
            async let read = line.read(atLeast: 255, until: .boot.advanced(by: .seconds(99)))
            try await clock.sleep(for: .seconds(0.5))
            line.close()
            var wasDisconnected = false
            do { _ = try await read } catch is SerialError { wasDisconnected = true }
            line.reopen()
            let bytes = try await line.read(atLeast: 1, until: .boot.advanced(by: .seconds(9)))
            return (wasDisconnected, bytes)
        }
        #expect(wasDisconnected)
        #expect(bytes?.count == 10)
    }

    @Test func dropsWhatNobodyReadsBeyondFourKibibytes() throws {
        let (dropped, kept) = try simulate { clock in
            let recording = SDS011Recording(pieces: [Array(repeating: 7, count: 5_000)])
            let line = SimulatedSerialPort(
                SDS011Replay(recording, startingAt: .boot),
                clock: clock
            )
            try await clock.sleep(for: .seconds(1))
            let kept = try await line.read(atLeast: 1, until: clock.now)
            return (line.droppedByteCount, kept?.count)
        }
        #expect(dropped == 904)
        #expect(kept == 4_096)
    }

    @Test func takesItsTimeAtABaudRate() throws {
        let instant = try simulate { clock in
            let recording = SDS011Recording(pieces: [Array(repeating: 7, count: 96)])
            let line = SimulatedSerialPort(
                SDS011Replay(recording, startingAt: .boot),
                clock: clock,
                baud: 9_600
            )
            _ = try await line.read(atLeast: 96, until: .boot.advanced(by: .seconds(9)))
            return clock.now
        }
        #expect(instant == .boot.advanced(by: .milliseconds(100)))
    }
}
