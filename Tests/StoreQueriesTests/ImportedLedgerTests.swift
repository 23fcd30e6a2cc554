import Glibc
import TestSupport
import Testing

@testable import Core
@testable import Store
@testable import StoreQueries

@Suite struct ImportedLedgerTests {
    /// 2026-11-21T00:00:00Z.
    private static let midnight: Int64 = 1_795_219_200

    private static func sample(minute: Int64) -> ImportedSample {
        ImportedSample(
            source: "old-pi",
            wall: WallTime(nanoseconds: (midnight + minute * 60) * 1_000_000_000),
            values: [.init(.pm25, FixedPoint(minute, decimals: 1))]
        )
    }

    private static func load(_ minutes: [Range<Int64>], _ folder: TestFolder) throws {
        for minutes in minutes {
            let plan = StorePlan(.megabytes(4))
            let (history, _) = try HistoryFile.open(path: folder.history, plan: plan)
            try HistoryImport.run(into: history) { session in
                try session.add(minutes.map(sample))
                return ((), .keep)
            }
            try history.close()
        }
    }

    private static func lines(
        _ folder: TestFolder,
        _ range: TimeRange = TimeRange()
    ) throws -> [GapLedgerReport.Line] {
        let reader = try HistoryReader(path: folder.history)
        let times = try StoreTimes(reader)
        return try reader.streams().flatMap { stream in
            try ImportedLedger.report(of: stream, reader, times.clock, range).lines
        }
    }

    /// Samples once a minute, in whatever order the files came; two hours of them are in none.
    @Test(arguments: [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
    func accountsFromTheFirstSampleToTheLast(order: [Int]) throws {
        let folder = try TestFolder(isInMemory: true)
        let parts: [Range<Int64>] = [0..<60, 60..<120, 240..<300]
        try Self.load(order.map { parts[$0] }, folder)
        let line = try #require(try Self.lines(folder).first)
        #expect(line.channel == "old-pi/pm25")
        #expect(line.elapsedTenths == 299 * 600)
        #expect(line.valueCount == 180)
        #expect(line.gaps.map(\.cause) == [.notImported])
        // From the last sample before to an interval before the next.
        #expect(line.gaps[0].tenths == 120 * 600 && line.gaps[0].count == 1)
        #expect(line.remainderTenths == 0)
    }

    @Test func aRangeIsAccountedForWithoutWhatLiesOutside() throws {
        let folder = try TestFolder(isInMemory: true)
        try Self.load([0..<60, 120..<180], folder)
        let moments = [30, 150].map { minute in
            WallTime(nanoseconds: (Self.midnight + minute * 60) * 1_000_000_000)
        }
        let range = TimeRange(from: moments[0], to: moments[1])
        let line = try #require(try Self.lines(folder, range).first)
        #expect(line.elapsedTenths == 120 * 600)
        #expect(line.gaps.map(\.tenths) == [60 * 600])
        #expect(line.remainderTenths == 0)
        let after = TimeRange(from: WallTime(nanoseconds: Self.midnight * 2_000_000_000))
        #expect(try Self.lines(folder, after).map(\.elapsedTenths) == [0])
    }

    @Test func oneSampleTakesNoTime() throws {
        let folder = try TestFolder(isInMemory: true)
        try Self.load([7..<8], folder)
        let line = try #require(try Self.lines(folder).first)
        #expect(line.elapsedTenths == 0 && line.valueCount == 1 && line.gaps == [])
    }
}

extension TestFolder {
    fileprivate var history: String { path("history.db") }
}
