import ControlProtocol
import Core
import HardwareIO
import TestSupport
import Testing

@testable import Devices
@testable import SimulationKit
@testable import Station
@testable import Store

@Suite struct AlertTailTests {
    private static func text(_ folder: TestFolder) -> String {
        #"""
        {"name": "test",
         "devices": [{"name": "dust", "type": "sds011", "port": "/dev/ttyUSB0"}],
         "alerts": {"use": [], "rules": [
            {"id": "bad", "channel": "*/pm25", "when": {"value": {"atLeast": 5}}}]},
         "store": {"folder": "\#(folder.path)", "megabytes": 4, "journalBlocks": 64}}
        """#
    }

    /// Returns kinds and numbers of the alerts of the six minutes after the first request, which
    /// sets where memory begins.
    private static func follow(_ test: TestStation) async throws -> [String] {
        try await test.sleep(.seconds(10))
        let begin = try await test.ask(GetTail())
        try await test.sleep(.minutes(6))
        let end = try #require(begin.body?.end)
        let answer = try await test.ask(GetTail(from: end))
        let report = try #require(answer.body)
        #expect(report.next != nil)
        return report.parts.flatMap { JournalRecordCodec.contents($0.bytes).records }
            .compactMap { record in
                guard case .event(let event) = record, event.kind.name.hasPrefix("alert ") else {
                    return nil
                }
                return "\(event.kind.name) \(event["n"] ?? "")"
            }
    }

    @Test func aFollowerGetsEachAlertOnceAlsoOverARestart() throws {
        let folder = try TestFolder(isInMemory: true)
        let (first, second, third) = try simulate { clock in
            func station(_ tenths: UInt16, _ card: SimulatedCard) throws -> TestStation {
                let air = SDS011Air.constant(
                    SDS011Measurement(pm25Tenths: tenths, pm10Tenths: 300)
                )
                return try TestStation(clock, Self.text(folder), air: air, card: card)
            }
            let card = SimulatedCard()
            return (
                try await station(161, card).run(Self.follow),
                try await station(161, card).run(Self.follow),
                try await station(21, card).run(Self.follow)
            )
        }
        #expect(first == ["alert raised 1"])
        #expect(second.isEmpty)
        #expect(third == ["alert resolved 2"])
    }
}
