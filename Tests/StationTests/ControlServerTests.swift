import ControlProtocol
import Core
import Devices
import HardwareIO
import SimulationKit
import Supervision
import Testing

@testable import Station

@Suite struct ControlServerTests {
    /// Sixteen people who forgot their terminals locked everybody out for two minutes.
    @Test func theConnectionThatIsIdleForTheLongestTimeMakesRoom() throws {
        let (answered, firstSays, secondIsOpen, hasItem) = try simulate { clock in
            let test = try TestStation(clock)
            return try await test.run { test in
                try await test.sleep(.seconds(1))
                let listener = test.platform.socket.connect()
                try listener.send(ControlCodec.line(ControlRequest(.live)))
                try await test.sleep(.seconds(1))
                var idle: [any LineConnection] = []
                for _ in 1..<ControlServer.connectionLimit {
                    idle.append(test.platform.socket.connect())
                    try await test.sleep(.milliseconds(10))
                }
                let answer = try await test.ask(ControlRequest(.status), StatusReport.self)
                let first = try await idle[0].nextLine()
                try idle[1].send(ControlCodec.line(ControlRequest(.status)))
                let second = try await idle[1].nextLine()
                let item = try await listener.nextLine()
                for connection in idle + [listener] { connection.close() }
                return (
                    answer.body != nil, first ?? "", second?.contains("\"body\"") == true,
                    item != nil
                )
            }
        }
        #expect(answered && secondIsOpen && hasItem)
        #expect(firstSays.contains("\"idle\""))
    }

    @Test func aConfiguredDeviceIsRenamedWhereItIsConfigured() throws {
        let failure = try simulate { clock in
            let test = try TestStation(clock)
            return try await test.run { test in
                try await test.sleep(.seconds(1))
                var request = ControlRequest(.rename, name: "porch")
                request.device = "door"
                return try await test.ask(request, DevicesReport.self).error
            }
        }
        #expect(failure?.code == "configured")
        #expect(failure?.message.contains("test under devices[1].name; change it there") == true)
    }

    @Test func aSnoozeIsBoundedShownAndEnds() throws {
        let (tooLong, during, after) = try simulate { clock in
            let test = try TestStation(clock)
            return try await test.run { test in
                try await test.sleep(.seconds(1))
                let tooLong = try await test.ask(
                    ControlRequest(.snooze, seconds: 901),
                    StatusReport.self
                )
                _ = try await test.ask(ControlRequest(.snooze, seconds: 600), StatusReport.self)
                try await test.sleep(.minutes(4))
                let during = test.station.status.snoozedSeconds
                try await test.sleep(.minutes(7))
                return (tooLong.error?.code, during, test.station.status.snoozedSeconds)
            }
        }
        #expect(tooLong == "bad-request")
        #expect(during.map { (355...360).contains($0) } == true && after == nil)
    }

    /// It goes through `/proc` for what it costs, and the boot is the same all the time.
    @Test func theBootIsNotAskedForAtEachPage() throws {
        let count = try simulate { clock in
            let test = try TestStation(clock)
            return try await test.run { test in
                try await test.sleep(.seconds(1))
                let before = test.platform.figuresCount
                _ = try await test.ask(ControlRequest(.tail), TailReport.self)
                _ = try await test.ask(ControlRequest(.tail), TailReport.self)
                return test.platform.figuresCount - before
            }
        }
        #expect(count == 0)
    }
}
