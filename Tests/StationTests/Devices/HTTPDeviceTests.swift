import Configuration
import ControlProtocol
import Core
import HardwareIO
import Testing

@testable import Devices
@testable import Profiles
@testable import SimulationKit
@testable import Station

@Suite struct HTTPDeviceTests {
    private static let text = """
        {"name": "test", "devices": [{"name": "milano", "type": "milano-board",
         "address": "http://192.168.1.20/", "intervalSeconds": 5}]}
        """

    private static func board() throws -> HTTPLineSimulator {
        try HTTPLineSimulator(#require(ProfileCatalog.shipped.profile("milano-board")), seed: 7)
    }

    /// Readings of fine dust from the device, in its own resolution.
    private static func dust(_ test: TestStation) -> [Reading] {
        test.station.context.recorder.readings(since: .boot)
            .filter { $0.channel.quantity.name == "pm25" }
    }

    @Test func aStationReadsABoardOnItsNetwork() throws {
        let (readings, report, status) = try simulate { clock in
            let test = try TestStation(clock, Self.text)
            test.platform.network.put(try Self.board(), at: "192.168.1.20")
            return try await test.run { test in
                try await test.sleep(.minutes(10))
                let answer = try await test.ask(GetDevices())
                return (Self.dust(test), try #require(answer.body), test.station.status)
            }
        }
        #expect((119...122).contains(readings.count))
        #expect(readings.allSatisfy { $0.outcome.value != nil })
        #expect(status.channels.count == 11 && status.channels.allSatisfy { !$0.isStale })
        let device = try #require(report.devices.first)
        #expect(device.state == "answering" && device.location == "http://192.168.1.20/")
        #expect(device.type == "milano-board")
        let facts = device.facts
        #expect(facts["answerCount"] == .number(Double(readings.count)))
        #expect(facts["lastTrouble"] == nil)
    }

    @Test func aBoardThatLiesOrGoesAwayGivesNoValueAndIsNamedOnce() throws {
        let (readings, events, stale, device) = try simulate { clock in
            let test = try TestStation(clock, Self.text)
            test.platform.network.put(try Self.board(), at: "192.168.1.20")
            return try await test.run { test in
                try await test.sleep(.seconds(58))
                let network = test.platform.network
                _ = network.withDevice(at: "192.168.1.20") { $0.fault = .commas }
                try await test.sleep(.minutes(2))
                network.put(nil, at: "192.168.1.20")
                try await test.sleep(.minutes(10))
                let stale = test.station.status.channels.allSatisfy(\.isStale)
                let device = await test.station.context.devices.reports()[0]
                network.put(try Self.board(), at: "192.168.1.20")
                try await test.sleep(.minutes(10))
                return (Self.dust(test), test.events, stale, device)
            }
        }
        let lies = readings.filter { $0.instant > .boot.advanced(by: .seconds(60)) }
            .filter { $0.instant < .boot.advanced(by: .seconds(125)) }
        #expect(!lies.isEmpty && lies.allSatisfy { $0.outcome == .noData(.badFrames) })
        #expect(readings.last?.outcome.value != nil && stale)
        #expect(device.state == "not answering")
        #expect(
            device.facts["lastTrouble"]?.text.contains("no answer") == true
        )
        let kinds = events.filter { $0.source == "milano" }.map(\.kind.name)
        #expect(kinds.filter { $0 == "HTTP device not answering" }.count == 1)
        #expect(kinds.filter { $0 == "HTTP device answers again" }.count == 1)
    }

    @Test func aLampOutlastsOneMissedAnswerOfABoardInMonths() throws {
        let lamps = try simulate { clock in
            let text =
                String(Self.text.dropLast()).replacing("5}", with: "600}")
                + #", "lights": {}}"#
            let test = try TestStation(clock, text)
            test.platform.network.put(try Self.board(), at: "192.168.1.20")
            return try await test.run { test in
                var lamps: [String?] = []
                try await test.sleep(.minutes(1))
                test.platform.network.put(nil, at: "192.168.1.20")
                for minutes in [14, 10] {
                    try await test.sleep(.minutes(minutes))
                    lamps.append(test.station.status.lamp)
                }
                return lamps
            }
        }
        #expect(lamps == ["poor", "poor"], "one answer is missing, then two")
    }

    @Test func theLampFollowsABoardThatMeasuresDust() throws {
        let lamp = try simulate { clock in
            let text = String(Self.text.dropLast()) + #", "lights": {}}"#
            let test = try TestStation(clock, text)
            test.platform.network.put(try Self.board(), at: "192.168.1.20")
            return try await test.run { test in
                try await test.sleep(.minutes(1))
                return test.station.status.lamp
            }
        }
        #expect(lamp == "poor", "its dust drifts about 500 µg/m³")
    }
}
