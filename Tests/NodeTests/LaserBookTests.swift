import ControlProtocol
import Devices
import Readings
import Store
import Testing

@testable import Node

@Suite struct LaserBookTests {
    private static func at(_ hours: Int) -> MonotonicInstant { .boot.advanced(by: .hours(hours)) }

    private static func book(_ stored: String?) -> LaserBook {
        let book = LaserBook(at: .boot)
        book.load(stored, at: .boot)
        return book
    }

    private static func on(_ duration: Duration, _ part: String? = "A160") -> LaserTime {
        LaserTime(part: part, time: duration, life: .hours(8_000))
    }

    @Test func addsUpOverRestarts() throws {
        let first = Self.book(nil)
        first.note(Self.on(.minutes(30)), kind: "nova-sds011", device: "dust", at: Self.at(1))
        let saved = try #require(first.due(at: Self.at(1)))
        #expect(saved == "nova-sds011 A160=1800")
        first.saved(at: Self.at(1))
        #expect(first.due(at: Self.at(9), isLast: true) == nil, "nothing new")

        let second = Self.book(saved)
        second.note(Self.on(.minutes(15)), kind: "nova-sds011", device: "dust", at: Self.at(2))
        #expect(second.reports(at: Self.at(2), nil).map(\.hours) == [0.75])
        #expect(second.due(at: Self.at(2)) == "nova-sds011 A160=2700")
    }

    @Test func savesNothingBeforeItKnowsWhatWasSaved() {
        let book = LaserBook(at: .boot)
        book.note(Self.on(.hours(2)), kind: "nova-sds011", device: "dust", at: Self.at(2))
        #expect(book.due(at: Self.at(2), isLast: true) == nil)
        book.load("nova-sds011 A160=3600", at: Self.at(2))
        book.load("nova-sds011 A160=3600", at: Self.at(2))
        #expect(book.due(at: Self.at(2)) == "nova-sds011 A160=10800")
    }

    @Test func savesAtMostOnceAnHour() {
        let book = Self.book(nil)
        book.note(Self.on(.minutes(4)), kind: "nova-sds011", device: "dust", at: Self.at(1))
        #expect(book.due(at: Self.at(1)) == nil, "too little to be worth a write")
        book.note(Self.on(.minutes(4)), kind: "nova-sds011", device: "dust", at: Self.at(1))
        #expect(book.due(at: .boot.advanced(by: .minutes(59))) == nil)
        #expect(book.due(at: Self.at(1)) != nil)
    }

    @Test func projectsTheEndOfItsLifeAtThePaceOfThisRun() throws {
        let book = Self.book("nova-sds011 A160=\(3_999 * 3_600)")
        let day = Self.at(240)
        #expect(book.report(of: "dust", at: Self.at(1), nil)?.daysLeft == nil)
        // An hour of ten: 10 % of the time.
        for hour in stride(from: 10, through: 240, by: 10) {
            book.note(Self.on(.hours(1)), kind: "nova-sds011", device: "dust", at: Self.at(hour))
        }
        let wall = WallTime(iso8601: "2026-11-21T12:00:00Z")
        let report = try #require(book.report(of: "dust", at: day, wall))
        #expect((report.part, report.hours) == ("nova-sds011 A160", 4_023))
        // 3 977 h of laser at one in ten: 39 770 h.
        let days = try #require(report.daysLeft)
        #expect(abs(days - 39_770.0 / 24) < 70)
        #expect(report.endOfLife?.hasPrefix("2031-") == true)
    }

    @Test func forgetsWhomItSawLeastAtItsBoundAndFitsOneSetting() throws {
        let book = Self.book(nil)
        for index in 0..<40 {
            let part = Self.on(.hours(40_000 + index), String(repeating: "x", count: 60) + ";=")
            book.note(part, kind: "k\(index)", device: "dust", at: Self.at(2))
        }
        let text = try #require(book.due(at: Self.at(2)))
        #expect(text.split(separator: ";").count == LaserBook.partLimit)
        #expect(text.utf8.count + LaserBook.key.utf8.count <= 600)
        let again = Self.book(text)
        #expect(again.reports(at: Self.at(2), nil).count == LaserBook.partLimit)
    }

    @Test func readsWhatSomebodyElseWroteThereAsNothing() {
        #expect(Self.book("garbage;=;x=-4;y=z;=5").reports(at: Self.at(1), nil).isEmpty)
    }
}
