import ControlProtocol
import Core
import HardwareIO
import Testing

@testable import Devices
@testable import SimulationKit
@testable import Station

@Suite struct PinTrialTests {
    private static let text = """
        {"name": "test", "mode": "live", "detect": false,
         "devices": [{"name": "door", "type": "pir", "line": "GPIO17", "settleSeconds": 2},
                     {"name": "lamp", "type": "led", "line": "GPIO22", "shows": "station"}]}
        """

    @Test func aLampBlinksAndGoesOnAsBefore() throws {
        let (report, values, after) = try simulate { clock in
            let test = try TestStation(clock, Self.text)
            return try await test.run { test in
                try await test.sleep(.seconds(5))
                let before = test.platform.gpio.history.count
                let answer = try await test.ask(TryPin("GPIO22"))
                let changes = test.platform.gpio.history.dropFirst(before)
                    .filter { $0.consumer == "roost lamp" }
                return (answer.body, changes.map(\.values), test.platform.gpio.level(of: "GPIO22"))
            }
        }
        #expect(report?.device == "lamp" && report?.isOutput == true && report?.seconds == 3)
        #expect(values.count == 13 && Set(values.prefix(12).map { $0[0] }) == [true, false])
        #expect(after, "all is well, so the lamp is lit")
    }

    @Test func aFreeLineIsTriedAsItsPartAndLeftDark() throws {
        let (lamp, none, holder, level) = try simulate { clock in
            let test = try TestStation(clock, Self.text)
            return try await test.run { test in
                try await test.sleep(.seconds(5))
                let none = try await test.ask(TryPin("GPIO23")).error
                let lamp = try await test.ask(TryPin("23", profile: "led")).body
                let gpio = test.platform.gpio
                return (lamp, none, gpio.holder(of: "GPIO23"), gpio.level(of: "GPIO23"))
            }
        }
        #expect(lamp?.line == "GPIO23" && lamp?.device == nil && lamp?.isOutput == true)
        #expect(none?.code == .badRequest && none?.pointer == "/type")
        #expect(holder == nil && !level)
    }

    @Test func anInputSaysWhatItReadsMeanwhile() throws {
        let report = try simulate { clock in
            let test = try TestStation(clock, Self.text)
            return try await test.run { test in
                try await test.sleep(.seconds(5))
                return try await withThrowingTaskGroup(of: PinTrialReport?.self) { group in
                    group.addTask { try await test.ask(TryPin("GPIO17")).body }
                    group.addTask {
                        try await test.sleep(.seconds(1))
                        test.platform.gpio.drive("GPIO17", true)
                        try await test.sleep(.seconds(2))
                        test.platform.gpio.drive("GPIO17", false)
                        return nil
                    }
                    var report: PinTrialReport?
                    for try await one in group { report = one ?? report }
                    return report
                }
            }
        }
        #expect(report?.device == "door" && report?.isOutput == false)
        #expect(report?.changeCount == 2 && report?.isActive == false)
        #expect((1.9...2.1).contains(report?.activeSeconds ?? 0))
    }

    @Test func refusesWhatAnotherProgramHasAndASecondTrial() throws {
        let (failures, busy) = try simulate { clock in
            let test = try TestStation(clock, Self.text)
            test.platform.gpio.hold("GPIO8", by: "spi0 CS0")
            return try await test.run { test in
                try await test.sleep(.seconds(5))
                let failures = [
                    try await test.ask(TryPin("GPIO8", profile: "led")).error,
                    try await test.ask(TryPin("GPIO0", profile: "led")).error,
                    try await test.ask(TryPin("GPIO99", profile: "led")).error,
                ]
                async let first = test.ask(TryPin("GPIO22"))
                try await test.sleep(.seconds(1))
                let busy = try await test.ask(TryPin("GPIO17")).error
                _ = try await first
                return (failures, busy)
            }
        }
        #expect(failures.map { $0?.code } == [.conflict, .conflict, .badRequest])
        #expect(failures[0]?.message.contains("spi0 CS0") == true)
        #expect(busy?.code == .busy)
    }

    /// A lamp that is removed while it is tried is let go dark, as its driver left it.
    @Test func aLampThatGoesDuringItsTrialIsDark() throws {
        let (isLit, holder, level) = try simulate { clock in
            let test = try TestStation(clock, Self.text)
            return try await test.run { test in
                try await test.sleep(.seconds(5))
                let gpio = test.platform.gpio
                let request = LineRequest(
                    chipLabel: nil,
                    lines: [.name("GPIO24")],
                    direction: .output(initially: [false]),
                    consumer: "roost test"
                )
                let lines = TappedLines(try gpio.requestLines(request), of: request)
                try lines.set([false])
                try lines.lend(0, true)
                let isLit = gpio.level(of: "GPIO24")
                lines.release()
                #expect(throws: GPIOError.self) { try lines.lend(0, true) }
                lines.giveBack()
                return (isLit, gpio.holder(of: "GPIO24"), gpio.level(of: "GPIO24"))
            }
        }
        #expect(isLit && holder == nil && !level)
    }

    /// A person who leaves the page in the middle leaves no lamp lit.
    @Test func aTrialEndsDarkWhenItsAskerLeaves() throws {
        let (holder, level) = try simulate { clock in
            let test = try TestStation(clock, Self.text)
            return try await test.run { test in
                try await test.sleep(.seconds(5))
                let connection = test.platform.socket.connect()
                let question = AskedQuestion(TryPin("GPIO23", profile: "led"))
                try connection.send(ControlCodec.line(question))
                try await test.sleep(.milliseconds(100))
                #expect(test.platform.gpio.level(of: "GPIO23"))
                connection.close()
                try await test.sleep(.seconds(1))
                let gpio = test.platform.gpio
                return (gpio.holder(of: "GPIO23"), gpio.level(of: "GPIO23"))
            }
        }
        #expect(holder == nil && !level)
    }
}
