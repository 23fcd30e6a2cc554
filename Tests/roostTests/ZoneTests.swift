import Core
import Testing

@testable import Store
@testable import StoreQueries
@testable import roost

@Suite struct ZoneTests {
    /// Berlin in 2026: summer time from 29 March, 01:00 UTC, to 25 October, 01:00 UTC.
    private static let berlin = Zone { second in
        (1_774_746_000..<1_792_890_000).contains(second) ? 7_200 : 3_600
    }
    private static let newYork = Zone { _ in -18_000 }
    private static let kolkata = Zone { _ in 19_800 }

    private static func wall(_ text: String) throws -> WallTime {
        try #require(WallTime(iso8601: text))
    }

    private static func moments(_ text: String, _ zone: Zone = berlin) throws -> Zone.Moments {
        try #require(TimeArgument(argument: text)).moments(in: zone)
    }

    @Test(arguments: [
        ("2026-11-21T07:15:00Z", berlin, "2026-11-21T08:15:00+01:00"),
        ("2026-07-01T22:30:00Z", berlin, "2026-07-02T00:30:00+02:00"),
        ("2026-10-25T00:30:00Z", berlin, "2026-10-25T02:30:00+02:00"),
        ("2026-10-25T01:30:00Z", berlin, "2026-10-25T02:30:00+01:00"),
        ("2026-01-01T03:00:00Z", newYork, "2025-12-31T22:00:00-05:00"),
        ("2026-01-01T20:00:00Z", kolkata, "2026-01-02T01:30:00+05:30"),
        ("2026-11-21T07:15:00Z", Zone.utc, "2026-11-21T07:15:00Z"),
    ])
    func writesTheClockOfTheZoneAndHowFarItIsFromUTC(
        _ utc: String,
        _ zone: Zone,
        _ local: String
    ) throws {
        let wall = try Self.wall(utc)
        #expect(zone.text(wall) == local)
        #expect(zone.text(utc) == local)
        #expect(zone.clockWords(wall) == local.dropFirst(11).prefix(8))
        // A printed time can be typed again, in any zone.
        #expect(TimeArgument(argument: local)?.moments(in: Self.newYork).first == wall)
    }

    @Test(arguments: [
        ("2026-11-21", "2026-11-20T23:00:00Z"), ("2026-07-01", "2026-06-30T22:00:00Z"),
        ("2026-11-21T08:15", "2026-11-21T07:15:00Z"),
        ("2026-11-21T08:15:30", "2026-11-21T07:15:30Z"),
        ("2026-11-21T08:15:30Z", "2026-11-21T08:15:30Z"),
        ("2026-11-21T08:15:30-05:00", "2026-11-21T13:15:30Z"),
        ("2026-10-25T02:30+01:00", "2026-10-25T01:30:00Z"),
        ("2026-10-25T02:30Z", "2026-10-25T02:30:00Z"),
        ("2026-03-29T01:59:59", "2026-03-29T00:59:59Z"),
        ("2026-03-29T03:00:00", "2026-03-29T01:00:00Z"),
        ("2026-10-25T01:59:59", "2026-10-24T23:59:59Z"),
        ("2026-10-25T03:00:00", "2026-10-25T02:00:00Z"),
    ])
    func readsWhatIsTypedOnTheClockOfTheZone(_ typed: String, _ utc: String) throws {
        let moments = try Self.moments(typed)
        #expect(moments.first.iso8601 == utc)
        #expect(moments.last == moments.first && moments.note == nil)
    }

    @Test(arguments: ["2026-10-25T02:00:00", "2026-10-25T02:30", "2026-10-25T02:59:59"])
    func anHourThatComesTwiceIsBoth(_ typed: String) throws {
        let moments = try Self.moments(typed)
        #expect(moments.last.nanoseconds - moments.first.nanoseconds == 3_600_000_000_000)
        #expect(Self.berlin.text(moments.first).hasSuffix("+02:00"))
        #expect(Self.berlin.text(moments.last).hasSuffix("+01:00"))
        let note = try #require(moments.note)
        #expect(note.contains("comes twice") && note.contains(Self.berlin.text(moments.last)))
        #expect(note.contains("a range holds both") && moments.oddity?.contains("range") == false)
    }

    @Test(arguments: ["2026-03-29T02:00:00", "2026-03-29T02:30", "2026-03-29T02:59:59"])
    func anHourThatNeverComesIsTheChangeOfTheClocks(_ typed: String) throws {
        let moments = try Self.moments(typed)
        #expect(moments.first.iso8601 == "2026-03-29T01:00:00Z" && moments.last == moments.first)
        #expect(moments.note?.contains("2026-03-29T03:00:00+02:00") == true)
        #expect(moments.oddity == "there is no \(typed) here, as the clocks go forward")
    }

    @Test(arguments: ["Europe/Nowhere", "", "/etc/passwd", "../../etc/passwd", "Europe"])
    func aZoneThatIsNotThereIsRefused(_ name: String) {
        #expect(throws: (any Error).self) { try Zone.use(named: name) }
    }

    @Test(arguments: [
        "2026-13-01", "yesterday", "2026-11-21T8:15", "2026-11-21T08:15:00+1", "2026-11-21T08:15+1",
    ])
    func whatIsNoTimeIsRefused(_ text: String) {
        #expect(TimeArgument(argument: text) == nil)
    }
}
