import ControlProtocol
import Core
import TestSupport
import Testing

@testable import SimulationKit
@testable import Station

@Suite struct NewStationIDTests {
    private static func configuration(_ folder: String) -> String {
        """
        {"name": "test", "mode": "live",
         "devices": [{"name": "dust", "type": "sds011", "port": "/dev/ttyUSB0"}],
         "store": {"folder": "\(folder)", "megabytes": 4, "journalBlocks": 64}}
        """
    }

    @Test func aNewIDIsKeptOverARestartAndRecorded() throws {
        let folder = try TestFolder(isInMemory: true)
        let (first, second, events) = try simulate { clock in
            let test = try TestStation(clock, Self.configuration(folder.path))
            return try await test.run { test in
                try await test.sleep(.minutes(1))
                let first = try await test.ask(GetStatus()).body
                let second = try await test.ask(RenewStationID()).body
                let events = try await test.ask(GetEvents()).body
                return (first?.stationID, second?.stationID, events?.events ?? [])
            }
        }
        let third = try simulate { clock in
            let test = try TestStation(clock, Self.configuration(folder.path))
            return try await test.run { test in
                try await test.sleep(.minutes(1))
                return try await test.ask(GetStatus()).body?
                    .stationID
            }
        }
        #expect(first != second)
        #expect(second.map(StationID.isValid) == true)
        #expect(third == second)
        let renewals = events.filter { $0.kind == "station id renewed" }
        #expect(renewals.count == 1)
        #expect(renewals.first?.details["before"] == first.map(Fact.Value.text))
        #expect(renewals.first?.details["now"] == second.map(Fact.Value.text))
    }

    @Test func withoutAStoreItIsRefused() throws {
        let failure = try simulate { clock in
            let test = try TestStation(
                clock,
                """
                {"name": "test", "mode": "live",
                 "devices": [{"name": "dust", "type": "sds011", "port": "/dev/ttyUSB0"}]}
                """
            )
            return try await test.run { test in
                try await test.sleep(.minutes(1))
                return try await test.ask(RenewStationID()).error
            }
        }
        #expect(failure?.code == .store)
    }
}
