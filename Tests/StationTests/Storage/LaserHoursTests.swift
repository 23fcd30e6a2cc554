import ControlProtocol
import Core
import Testing

@testable import Devices
@testable import Station
@testable import Store

@Suite struct LaserHoursTests {
    private static func at(_ hours: Int) -> MonotonicInstant { .boot.advanced(by: .hours(hours)) }

    private static func laser(_ stored: String?) -> LaserHours {
        let laser = LaserHours(at: .boot)
        laser.load(stored.map { [LaserHours.key: $0] } ?? [:], at: .boot)
        return laser
    }

    private static func on(_ duration: Duration, _ part: String? = "A160") -> LaserTime {
        LaserTime(part: part, time: duration, life: .hours(8_000))
    }

    @Test func addsUpOverRestarts() throws {
        let first = Self.laser(nil)
        first.add(Self.on(.minutes(30)), kind: "nova-sds011", device: "dust", at: Self.at(1))
        let saved = try #require(first.due(at: Self.at(1))?.first?.value)
        #expect(saved == "nova-sds011 A160=1800")
        first.saved([(LaserHours.key, saved)], at: Self.at(1))
        #expect(first.due(at: Self.at(9), isLast: true) == nil, "nothing new")

        let second = Self.laser(saved)
        second.add(Self.on(.minutes(15)), kind: "nova-sds011", device: "dust", at: Self.at(2))
        #expect(second.reports(at: Self.at(2), nil).map(\.hours) == [0.75])
        #expect(second.due(at: Self.at(2))?.first?.value == "nova-sds011 A160=2700")
    }

    @Test func savesNothingBeforeItKnowsWhatWasSaved() {
        let laser = LaserHours(at: .boot)
        laser.add(Self.on(.hours(2)), kind: "nova-sds011", device: "dust", at: Self.at(2))
        #expect(laser.due(at: Self.at(2), isLast: true) == nil)
        laser.load([LaserHours.key: "nova-sds011 A160=3600"], at: Self.at(2))
        laser.load([LaserHours.key: "nova-sds011 A160=3600"], at: Self.at(2))
        #expect(laser.due(at: Self.at(2))?.first?.value == "nova-sds011 A160=10800")
    }

    @Test func savesAtMostOnceAnHour() {
        let laser = Self.laser(nil)
        laser.add(Self.on(.minutes(4)), kind: "nova-sds011", device: "dust", at: Self.at(1))
        #expect(laser.due(at: Self.at(1)) == nil, "too little to be worth a write")
        laser.add(Self.on(.minutes(4)), kind: "nova-sds011", device: "dust", at: Self.at(1))
        #expect(laser.due(at: .boot.advanced(by: .minutes(59))) == nil)
        #expect(laser.due(at: Self.at(1)) != nil)
    }

    @Test func projectsTheEndOfItsLifeAtThePaceOfThisRun() throws {
        let laser = Self.laser("nova-sds011 A160=\(3_999 * 3_600)")
        let day = Self.at(240)
        #expect(laser.report(of: "dust", at: Self.at(1), nil)?.daysLeft == nil)
        // An hour of ten: 10 % of the time.
        for hour in stride(from: 10, through: 240, by: 10) {
            laser.add(Self.on(.hours(1)), kind: "nova-sds011", device: "dust", at: Self.at(hour))
        }
        let wall = WallTime(iso8601: "2026-11-21T12:00:00Z")
        let report = try #require(laser.report(of: "dust", at: day, wall))
        #expect((report.part, report.hours) == ("nova-sds011 A160", 4_023))
        // 3 977 h of laser at one in ten: 39 770 h.
        let days = try #require(report.daysLeft)
        #expect(abs(days - 39_770.0 / 24) < 70)
        #expect(report.endOfLife?.hasPrefix("2031-") == true)
    }

    /// A new part begins with the fewest hours: at the bound it was never counted.
    @Test func aNewPartAtTheBoundIsCountedAndOneThatIsNotHereGoes() throws {
        let old = (0..<LaserHours.partLimit).map { "k\($0) old=\(3_600 * (1_000 + $0))" }
        let laser = LaserHours(at: .boot)
        let settings = LaserHours.keys.enumerated().map { index, key in
            (key, old.dropFirst(index * 10).prefix(10).joined(separator: ";"))
        }
        laser.load(Dictionary(uniqueKeysWithValues: settings), at: .boot)
        laser.add(Self.on(.minutes(1), "old"), kind: "k0", device: "dust", at: Self.at(1))
        let gone = laser.add(Self.on(.minutes(6)), kind: "new", device: "attic", at: Self.at(2))
        // The one with the fewest hours is here, so the next goes.
        #expect(gone?.part == "k1 old" && gone?.hours == 1_001)
        let reports = laser.reports(at: Self.at(2), nil)
        #expect(reports.count == LaserHours.partLimit)
        #expect(reports.contains { $0.part == "new A160" && $0.device == "attic" })
        #expect(reports.contains { $0.part == "k0 old" && $0.device == "dust" })
    }

    @Test func allPartsFitTheirSettingsAndComeBack() throws {
        let laser = Self.laser(nil)
        for index in 0..<40 {
            let part = Self.on(.hours(40_000 + index), String(repeating: "x", count: 60) + ";=")
            laser.add(part, kind: "k\(index)", device: "dust", at: Self.at(2))
        }
        let due = try #require(laser.due(at: Self.at(2)))
        #expect(due.map(\.key) == LaserHours.keys)
        for (key, value) in due {
            #expect(key.utf8.count + (try #require(value)).utf8.count <= 600)
        }
        let again = LaserHours(at: .boot)
        let stored = due.compactMap { key, value in value.map { (key, $0) } }
        again.load(Dictionary(uniqueKeysWithValues: stored), at: .boot)
        #expect(again.reports(at: Self.at(2), nil).count == LaserHours.partLimit)
    }

    @Test func aPartFollowsTheNameOfItsDeviceAndLeavesWithIt() {
        let laser = Self.laser(nil)
        laser.add(Self.on(.minutes(30)), kind: "nova-sds011", device: "dust", at: Self.at(1))
        laser.rename("dust", to: "balcony")
        #expect(laser.reports(at: Self.at(1), nil).map(\.device) == ["balcony"])
        laser.leave("balcony")
        #expect(laser.reports(at: Self.at(1), nil).map(\.device) == [nil])
    }

    @Test func readsWhatSomebodyElseWroteThereAsNothing() {
        #expect(Self.laser("garbage;=;x=-4;y=z;=5").reports(at: Self.at(1), nil).isEmpty)
    }
}
