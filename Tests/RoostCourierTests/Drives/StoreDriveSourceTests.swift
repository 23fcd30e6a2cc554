import Core
import SimulationKit
import StoreFixtures
import Testing

@testable import RoostCourier
@testable import Store
@testable import StoreQueries

/// Drives of a real history.
@Suite struct StoreDriveSourceTests {
    /// Unchecked: one test is one thread.
    private struct Access: HistoryAccess, @unchecked Sendable {
        let fixture: DriveFixture

        func read<Value: Sendable>(
            _ body: @escaping @Sendable (HistoryReader, StoreTimes) throws -> Value
        ) async throws -> Value {
            try body(fixture.reader, fixture.times)
        }
    }

    private static let here = (latitude: Int64(460_671_000), longitude: Int64(111_211_000))

    private static func boot(_ started: String?, _ seconds: [Int64]) -> DriveFixture.Boot {
        var boot = DriveFixture.Boot(started)
        boot.samples = [(DriveFixture.counter, seconds.map { DriveFixture.row($0, 34, here) })]
        return boot
    }

    @Test func findsSurveysThatAreOverWithTheirSamplesAndDates() async throws {
        var undated = Self.boot(nil, [10, 20, 30])
        undated.marks = [.begun(5, "no clock"), .ended(25, "no clock")]
        undated.stopped = 40
        var first = Self.boot("2026-11-22T04:30:00Z", [10, 20, 30, 40])
        first.marks = [
            .begun(5, "ride"), .ended(25, "ride"), .begun(30, "kept", isPrivate: true),
        ]
        first.stopped = 50
        var second = Self.boot("2026-11-23T04:30:00Z", [10, 20, 30])
        second.marks = [.begun(5, "fresh"), .ended(25, "fresh"), .begun(28, "goes on")]
        let fixture = try DriveFixture([undated, first, second], now: 60)
        let source = StoreDriveSource(Access(fixture: fixture), DriveLog.Choice())
        let drives = try await source.drives(after: nil)
        #expect(drives.map(\.name) == ["no clock", "ride", "kept", "fresh"])
        #expect(drives.map(\.samples) == [2, 2, 2, 2])
        #expect(drives.map(\.isPrivate) == [false, false, true, false])
        #expect(drives.map(\.dating) == [.never, .known, .known, .known])
        #expect(drives.map(\.hasOldest) == [true, false, false, false])
        let later = try await source.drives(after: drives[1].place)
        #expect(later == Array(drives.dropFirst(2)))
        #expect(try await source.number(of: DriveFixture.id(9)) == nil)
        let dates = try #require(drives[1].dates)
        guard case .file(let file) = try await source.file(of: drives[1], dates) else {
            Issue.record("no file")
            return
        }
        #expect(file.name == "roost-20261122T043005Z.LOG" && file.lines == 2)
        // The source gives no file of a private survey, also where it is asked for one.
        #expect(try await source.file(of: drives[2], dates) == .empty)
    }

    /// Later anchors move the dates of a boot; the log keeps those that it began with.
    @Test func makesTheSameLogForTheSameDates() async throws {
        var files: [DriveMade] = []
        var dates: DriveDates?
        for shift in [Int64(0), 3] {
            let started = shift == 0 ? "2026-11-22T04:30:00Z" : "2026-11-22T04:30:03Z"
            var boot = Self.boot(started, Array(stride(from: 10, to: 500, by: 5)))
            boot.marks = [.begun(5, "ride"), .ended(500, "ride")]
            let fixture = try DriveFixture([boot], now: 600)
            let source = StoreDriveSource(Access(fixture: fixture), DriveLog.Choice())
            let drive = try #require(try await source.drives(after: nil).first)
            #expect(drive.dating == .known)
            dates = dates ?? drive.dates
            files.append(try await source.file(of: drive, try #require(dates)))
            if shift > 0 {
                #expect(try await source.file(of: drive, try #require(drive.dates)) != files[0])
            }
        }
        #expect(files[0] == files[1])
        guard case .file(let file) = files[0] else {
            Issue.record("\(files[0])")
            return
        }
        #expect(file.lines == 98)
        let lines = String(decoding: file.bytes, as: UTF8.self).split(separator: "\r\n")
        #expect(lines[2].hasPrefix("$BNRDD,0,2026-11-22T04:30:10Z,34,"))
        #expect(lines.last?.hasPrefix("$BNRDD,0,2026-11-22T04:38:15Z,34,") == true)
    }
}
