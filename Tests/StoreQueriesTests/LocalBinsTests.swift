import Glibc
import Testing

@testable import Core
@testable import Store
@testable import StoreQueries

@Suite struct LocalBinsTests {
    private static let hasZones = access(ZoneFile.folder + "/Europe/Berlin", R_OK) == 0
    /// Summer time begins at midnight in two of them, and one moves by half an hour.
    private static let zones = [
        "Europe/Berlin", "America/New_York", "America/Havana", "Africa/Cairo",
        "Australia/Lord_Howe",
    ]

    private static func second(_ text: String) -> Int {
        Int((WallTime(iso8601: text)?.nanoseconds ?? 0) / 1_000_000_000)
    }

    @Test(.enabled(if: hasZones, "tzdata is missing"), arguments: zones, LocalUnit.allCases)
    func aYearHasNoHoleAndNothingTwice(name: String, unit: LocalUnit) throws {
        let zone = try #require(Zone(named: name))
        let (from, to) = (Self.second("2026-01-01T00:00:00Z"), Self.second("2026-12-31T00:00:00Z"))
        let bins = LocalBins(by: unit, in: zone, from: from, to: to).bins
        #expect(bins.first.map { $0.from <= from && from < $0.to } == true)
        #expect(bins.last.map { $0.to >= to } == true)
        for (bin, next) in zip(bins, bins.dropFirst()) { #expect(bin.to == next.from) }
        #expect(Set(bins.map(\.label)).count == bins.count)
        let lengths = Set(bins.map { $0.to - $0.from })
        switch unit {
        case .hour: #expect(lengths.isSubset(of: [3_600, 5_400, 1_800]))
        case .day:
            #expect(bins.count == 365)
            #expect(lengths.isSubset(of: [86_400, 82_800, 90_000, 84_600, 88_200]))
        case .week:
            #expect(bins.first?.label == "2026-W01" && bins.last?.label == "2026-W53")
            #expect(bins.count == 53)
        case .month: #expect(bins.count == 12 || bins.count == 13)
        case .year: #expect(bins.count <= 2)
        }
    }

    /// A Monday on 1 January, and days around a new year that belong to the other year's week.
    @Test(arguments: [
        ("2024-01-01", "2024-W01"), ("2026-12-31", "2026-W53"), ("2027-01-03", "2026-W53"),
        ("2027-01-04", "2027-W01"), ("2024-12-30", "2025-W01"), ("1970-01-01", "1970-W01"),
        ("1969-12-28", "1969-W52"),
    ])
    func aWeekIsOfTheYearOfItsThursday(day: String, label: String) {
        let from = Self.second(day + "T12:00:00Z")
        let bins = LocalBins(by: .week, in: .utc, from: from, to: from + 1).bins
        #expect(bins.map(\.label) == [label])
        #expect(bins.allSatisfy { $0.to - $0.from == 604_800 })
    }

    @Test(.enabled(if: hasZones, "tzdata is missing"))
    func aDayHasTheHoursOfItsClocks() throws {
        let zone = try #require(Zone(named: "Europe/Berlin"))
        let from = Self.second("2026-03-28T12:00:00Z")
        let bins = LocalBins(by: .day, in: zone, from: from, to: from + 2 * 86_400).bins
        #expect(bins.map(\.label) == ["2026-03-28", "2026-03-29", "2026-03-30"])
        #expect(bins.map { ($0.to - $0.from) / 3_600 } == [24, 23, 24])
        let places = [from, Self.second("2026-03-28T23:00:00Z"), from + 90 * 86_400]
        let found = LocalBins(by: .day, in: zone, from: from, to: from + 86_400)
        #expect(places.map { found.place(of: $0) } == [0, 1, nil])
    }
}
