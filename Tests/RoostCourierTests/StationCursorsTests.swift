import ControlProtocol
import Core
import Logging
import SimulationKit
import Testing

@testable import RoostCourier

@Suite struct StationCursorsTests {
    private static func cursors(_ station: ScriptedStation, _ clock: SimulatedClock)
        -> StationCursors
    {
        var logger = Logger(label: "courier") { _ in SwiftLogNoOpLogHandler() }
        logger.logLevel = .critical
        return StationCursors(station, names: ["target"], clock: clock, logger: logger)
    }

    private static func fill(_ station: ScriptedStation, _ count: Int) async throws {
        for number in 0..<count {
            _ = try await station.ask(KeepCursor("former\(number)", [1]))
        }
        _ = try await station.ask(KeepCursor("target", [9, 9, 9]))
    }

    private static func read(_ cursors: StationCursors) async throws -> CursorError? {
        try await cursors.cursor(of: "target", DriveCursor.init(_:)).lost
    }

    /// A target that cannot begin reads its cursor every five seconds.
    @Test func aLostCursorIsSentOnce() throws {
        try simulate { clock in
            let station = try ScriptedStation(clock)
            try await Self.fill(station, 3)
            let cursors = Self.cursors(station, clock)
            for _ in 0..<3 { #expect(try await Self.read(cursors) != nil) }
            #expect(station.cursors["target.lost"] == [9, 9, 9])
            #expect(station.cursorCount == 5)
            await cursors.renew()
            #expect(station.cursorCount == 5)
            withExtendedLifetime(station.folder) {}
        }
    }

    @Test func aLostCursorTakesNoRoomFromOthers() throws {
        try simulate { clock in
            let station = try ScriptedStation(clock)
            try await Self.fill(station, CursorReport.nameLimit - 1)
            let cursors = Self.cursors(station, clock)
            for _ in 0..<3 { #expect(try await Self.read(cursors) != nil) }
            #expect(station.cursors.count == CursorReport.nameLimit)
            #expect(station.cursors["former0"] == [1] && station.cursors["target.lost"] == nil)
            #expect(await cursors.trouble == nil, "the target itself has lost nothing more")
            withExtendedLifetime(station.folder) {}
        }
    }

    @Test func aTargetOfTheConfigurationGetsTheRoomOfFormerOnes() throws {
        try simulate { clock in
            let station = try ScriptedStation(clock)
            for number in 0..<CursorReport.nameLimit {
                _ = try await station.ask(KeepCursor("former\(number)", [1]))
            }
            let cursors = Self.cursors(station, clock)
            await cursors.keep([1, 2], of: "target")
            #expect(station.cursors == ["target": [1, 2]])
            #expect(await cursors.trouble == nil)
            withExtendedLifetime(station.folder) {}
        }
    }

    /// A station refuses with the same code where its table is full and where it has much to do.
    @Test func aStationThatIsBusyWithOtherThingsKeepsTheCursorsOfFormerTargets() throws {
        try simulate { clock in
            let station = try ScriptedStation(clock)
            for number in 0..<3 { _ = try await station.ask(KeepCursor("former\(number)", [1])) }
            let cursors = Self.cursors(station, clock)
            station.set(isBusy: true)
            await cursors.keep([1, 2], of: "target")
            #expect(station.cursors.keys.sorted() == ["former0", "former1", "former2"])
            #expect(await cursors.trouble?.contains("too much") == true)
            station.set(isBusy: false)
            await cursors.renew()
            #expect(station.cursors.count == 4 && station.cursors["target"] == [1, 2])
            withExtendedLifetime(station.folder) {}
        }
    }

    /// What the station did not take is sent again, and why is said meanwhile.
    @Test func aCursorThatWasNotTakenIsSentAgain() throws {
        try simulate { clock in
            let station = try ScriptedStation(clock)
            let cursors = Self.cursors(station, clock)
            station.set(refusesCursors: true)
            await cursors.keep([1, 2], of: "target")
            #expect(await cursors.trouble?.contains("read-only") == true)
            #expect(try await cursors.cursor(of: "target") == [1, 2])
            station.set(refusesCursors: false)
            await cursors.renew()
            #expect(station.cursors == ["target": [1, 2]])
            #expect(await cursors.trouble == nil)
            withExtendedLifetime(station.folder) {}
        }
    }
}
