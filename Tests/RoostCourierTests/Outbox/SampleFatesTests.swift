import ControlProtocol
import Core
import SimulationKit
import Synchronization
import Testing

@testable import CourierSimulation
@testable import RoostCourier
@testable import Store
@testable import StoreQueries

@Suite struct SampleFatesTests {
    private func fates(
        _ node: CourierNode,
        _ clock: SimulatedClock,
        from tick: Tick
    ) async throws -> [String] {
        let control = CourierControl(node) { SimulatedListener(clock: clock) }
        let question = FindFates(from: ScriptedStation.wall(tick).iso8601)
        return try await control.table.ask(question).fates.map(\.fate)
    }

    /// Imported samples have boots of their own, the newest of all.
    @Test func importedValuesHideNoSample() throws {
        try simulate { clock in
            let life = try CourierLife(clock)
            life.station.record()
            try await clock.sleep(for: .seconds(60))
            life.station.record()
            try life.station.checkpoint()
            let value = ImportedSample.Value(.pm25, FixedPoint(90, decimals: 1))
            let wall = ScriptedStation.wall(Tick(tenths: 300))
            let other = ImportedSample(source: "psi", wall: wall, values: [value])
            let merged = try life.station.history.withLock { try $0.merge([other]) }
            #expect(merged == [.written])
            let node = life.node()
            try await life.run(node) {
                try await clock.sleep(for: .minutes(2))
                #expect(try await fates(node, clock, from: Tick(tenths: 0)) == ["delivered"])
                #expect(try await fates(node, clock, from: Tick(tenths: 500)) == ["delivered"])
            }
            #expect(life.server.stored.count == 2)
            withExtendedLifetime(life.station.folder) {}
        }
    }

    /// A target that gets what is new was never sent what is old.
    @Test func whatIsOlderThanATargetWasNeverDelivered() throws {
        let text = #"{"id":"influx","type":"influx1","url":"http://192.168.1.5:8086","#
        try simulate { clock in
            let life = try CourierLife(clock, targets: text + #""database":"a","backlog":"none"}"#)
            for _ in 0..<5 {
                life.station.record()
                try await clock.sleep(for: .seconds(60))
            }
            for _ in 0..<2 {
                let node = life.node()
                try await life.run(node) {
                    try await clock.sleep(for: .seconds(30))
                    life.station.record()
                    try await clock.sleep(for: .minutes(2))
                    #expect(try await fates(node, clock, from: Tick(tenths: 600)) == ["earlier"])
                    let present = try await fates(node, clock, from: Tick(tenths: 3_100))
                    #expect(present == ["delivered"])
                }
            }
            #expect(life.server.stored.count == 2)
            withExtendedLifetime(life.station.folder) {}
        }
    }

    @Test(arguments: [
        ("2026-11-20T03:10", "2026-11-20T02:10:00Z"),
        ("2026-11-20 03:10:05", "2026-11-20T02:10:05Z"),
        ("2026-11-20", "2026-11-19T23:00:00Z"), ("2026-11-20T03:10Z", "2026-11-20T03:10:00Z"),
        ("2026-11-20T03:10:00+05:30", "2026-11-19T21:40:00Z"),
    ])
    func aMomentIsOfTheClocksWhereItNamesNoZone(typed: String, utc: String) {
        #expect(MomentText(typed, in: Zone { _ in 3_600 })?.text == utc)
        #expect(MomentText("soon", in: .utc) == nil)
    }
}
