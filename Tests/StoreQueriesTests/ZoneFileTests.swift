import Glibc
import Testing

@testable import Core
@testable import Store
@testable import StoreQueries

@Suite struct ZoneFileTests {
    @Test(
        .enabled(if: access(ZoneFile.folder + "/Europe/Berlin", R_OK) == 0, "tzdata is missing"),
        arguments: [
            ("Europe/Berlin", "2026-03-29T00:59:59Z", 3_600),
            ("Europe/Berlin", "2026-03-29T01:00:00Z", 7_200),
            ("Europe/Berlin", "2026-10-25T00:59:59Z", 7_200),
            ("Europe/Berlin", "2026-10-25T01:00:00Z", 3_600),
            ("America/New_York", "2026-03-08T07:00:00Z", -14_400),
            ("Australia/Lord_Howe", "2026-01-01T00:00:00Z", 39_600),
            ("Australia/Lord_Howe", "2026-07-01T00:00:00Z", 37_800),
            ("Asia/Kathmandu", "2026-07-01T00:00:00Z", 20_700),
            // Behind the last change that the file lists.
            ("Europe/Berlin", "2150-07-01T00:00:00Z", 7_200),
            ("Europe/Berlin", "2150-01-01T00:00:00Z", 3_600),
        ]
    )
    func knowsTheOffsetAtAMoment(name: String, moment: String, offset: Int) throws {
        let zone = try #require(Zone(named: name))
        let wall = try #require(WallTime(iso8601: moment))
        #expect(zone.offset(Int(wall.nanoseconds / 1_000_000_000)) == offset)
    }

    @Test(arguments: ["", "/etc/passwd", "../zoneinfo/UTC", "Nowhere/At all", "Europe/Berlin\n"])
    func whatIsNoZoneIsRefused(name: String) { #expect(Zone(named: name) == nil) }

    /// Summer in the south lasts over the new year.
    @Test func readsRules() throws {
        let south = try #require(ZoneRule("AEST-10AEDT,M10.1.0,M4.1.0/3"))
        let january = try #require(WallTime(iso8601: "2100-01-01T00:00:00Z"))
        let july = try #require(WallTime(iso8601: "2100-07-01T00:00:00Z"))
        #expect(south.offset(Int(january.nanoseconds / 1_000_000_000)) == 39_600)
        #expect(south.offset(Int(july.nanoseconds / 1_000_000_000)) == 36_000)
        #expect(ZoneRule("<+0330>-3:30")?.offset(0) == 12_600)
        for text in ["", "CET", "CET-1CEST", "CET-1CEST,M13.1.0,M1.1.0", "C1,"] {
            #expect(ZoneRule(text) == nil, "\(text)")
        }
    }

    @Test func aFileThatIsCutOffIsRefused() {
        #expect(ZoneFile([]) == nil)
        #expect(ZoneFile(Array("TZif2".utf8)) == nil)
        #expect(ZoneFile([UInt8](repeating: 0xFF, count: 200)) == nil)
    }
}
