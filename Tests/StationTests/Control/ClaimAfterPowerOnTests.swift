import ControlProtocol
import Core
import HardwareIO
import TestSupport
import Testing

@testable import SimulationKit
@testable import Station
@testable import Store

/// `claim.window`: a new station may be claimed without a code for ten minutes after power-on.
@Suite struct ClaimAfterPowerOnTests {
    private static let noon = WallTime(nanoseconds: 1_790_000_000_000_000_000)

    private static func window(_ test: TestStation) async throws -> ClaimWindowReport {
        let answer = try await test.ask(UseClaimWindow())
        return try #require(answer.body)
    }

    private static func text(_ folder: TestFolder, _ claim: String) -> String {
        """
        {"name": "test", \(claim)
         "store": {"folder": "\(folder.path)", "megabytes": 4, "journalBlocks": 64}}
        """
    }

    private static let isOn = #""claim": {"window": true},"#

    @Test func aNewStoreOpensItForTenMinutesOfTheBoot() throws {
        let folder = try TestFolder(isInMemory: true)
        let (reports, events) = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder, Self.isOn))
            return try await test.run { test in
                try await test.sleep(.minutes(3))
                var reports = [try await Self.window(test)]
                try await test.sleep(.minutes(6))
                reports.append(try await Self.window(test))
                try await test.sleep(.minutes(2))
                reports.append(try await Self.window(test))
                return (reports, test.events.filter { $0.source == "control" })
            }
        }
        #expect(reports.map(\.cause) == [.powerOn, .powerOn, nil])
        #expect((419...420).contains(reports[0].leftSeconds ?? 0))
        #expect(events.map(\.kind.name) == ["claim window opened", "claim window closed"])
        #expect(events[0]["cause"] == "powerOn" && events[1]["cause"] == "time")
        #expect(events[1].instant < MonotonicInstant.boot.advanced(by: .seconds(602)))
    }

    /// Off by default; without a store, or when it was claimed; a restart is no power-on.
    @Test func itStaysClosedOtherwise() throws {
        func cause(_ text: String, from start: Duration, claims: Bool = false) throws
            -> ClaimWindowReport.Cause?
        {
            try simulate { clock in
                try await clock.sleep(for: start)
                let test = try TestStation(clock, text)
                return try await test.run { test in
                    try await test.sleep(.minutes(1))
                    if claims {
                        _ = try await test.ask(UseClaimWindow(closing: true))
                    }
                    return try await Self.window(test).cause
                }
            }
        }
        let folders = try (0..<4).map { _ in try TestFolder(isInMemory: true) }
        func isOn(_ number: Int) -> String { Self.text(folders[number], Self.isOn) }
        #expect(try cause(#"{"claim": {"window": true}}"#, from: .zero) == nil)
        #expect(try cause(Self.text(folders[0], ""), from: .zero) == nil)
        #expect(try cause(isOn(1), from: .minutes(11)) == nil)
        #expect(try cause(isOn(2), from: .zero, claims: true) == nil)
        #expect(try cause(isOn(3), from: .zero) == .powerOn)
        // With -O a folder is removed as soon as its name was read for the last time.
        withExtendedLifetime(folders) {}
    }

    /// A store that was there before the switch has no age, so it is old.
    @Test func aStoreFromBeforeIsOld() throws {
        let folder = try TestFolder(isInMemory: true)
        for claim in ["", Self.isOn] {
            let cause = try simulate { clock in
                let test = try TestStation(clock, Self.text(folder, claim))
                return try await test.run { test in
                    try await test.sleep(.minutes(1))
                    return try await Self.window(test).cause
                }
            }
            #expect(cause == nil)
        }
    }

    /// The start of an image made the data partition anew: the owner before may be someone.
    @Test func aStoreThatTookAnotherOnesPlaceIsOld() throws {
        let folder = try TestFolder()
        let cause = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder, Self.isOn))
            try test.platform.card.folder.write("made-anew", [])
            return try await test.run { test in
                try await test.sleep(.minutes(1))
                return try await Self.window(test).cause
            }
        }
        #expect(cause == nil)
        withExtendedLifetime(folder) {}
    }

    /// A reset that leaves what was measured makes an old store new once: its mark goes.
    @Test func aStationThatWasGivenAwayOpensIt() throws {
        let folder = try TestFolder(isInMemory: true)
        for (claim, isGivenAway) in [("", false), (Self.isOn, true)] {
            let (cause, isMarked) = try simulate { clock in
                let test = try TestStation(clock, Self.text(folder, claim))
                if isGivenAway { try test.platform.card.folder.write("given-away", []) }
                return try await test.run { test in
                    try await test.sleep(.minutes(1))
                    let cause = try await Self.window(test).cause
                    return (cause, try test.platform.card.folder.read("given-away") != nil)
                }
            }
            #expect(cause == (isGivenAway ? .powerOn : nil))
            #expect(!isMarked)
        }
        withExtendedLifetime(folder) {}
    }

    @Test func ageIsCountedWithinABootOrBetweenTrustedDates() throws {
        let (one, two) = (BootID(bytes: Array(1...16)), BootID(bytes: Array(2...17)))
        let start = MonotonicInstant.boot.advanced(by: .minutes(1))
        func later(_ hours: Int64) -> WallTime {
            WallTime(nanoseconds: Self.noon.nanoseconds + hours * 3_600_000_000_000)
        }
        var birth = StoreCreation(boot: one, at: start)
        #expect(birth.isYoung(at: start.advanced(by: .hours(23)), wall: nil, in: one))
        #expect(!birth.isYoung(at: start.advanced(by: .hours(24)), wall: nil, in: one))
        #expect(!birth.isYoung(at: start, wall: Self.noon, in: two), "it has no date")
        birth.date(Self.noon, at: start.advanced(by: .hours(2)), in: two)
        #expect(birth.wall == nil, "the date of another boot")
        birth.date(Self.noon, at: start.advanced(by: .hours(2)), in: one)
        #expect(birth.isYoung(at: start, wall: later(21), in: two))
        #expect(!birth.isYoung(at: start, wall: later(22), in: two))
        #expect(!birth.isYoung(at: start, wall: nil, in: two))
        #expect(!birth.isYoung(at: start, wall: later(-3), in: two), "before it was made")
        #expect(StoreCreation(birth.text) == birth)
        #expect(StoreCreation("x") == nil && StoreCreation("a b c") == nil)
    }
}
