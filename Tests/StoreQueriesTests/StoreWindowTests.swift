import ControlProtocol
import Glibc
import TestSupport
import Testing

@testable import Core
@testable import Store
@testable import StoreQueries

@Suite struct StoreWindowTests {
    private static let boots = (1...2).map { BootID(bytes: Array(repeating: $0, count: 16)) }
    private static let stream = StreamDescription(
        id: StreamID(1),
        device: "balcony",
        quantities: [.pm25, .pm10]
    )
    /// 2026-11-21T00:00:00Z.
    private static let midnight: Int64 = 1_795_219_200

    /// Two boots of three hours at 1 Hz; only the first has an anchor: it began at midnight.
    ///
    /// Undated ones have no anchor at all.
    private static func reader(
        _ folder: TestFolder,
        isDated: Bool = true
    ) throws -> HistoryReader {
        let path = "\(folder.path)/history.db"
        let (history, _) = try HistoryFile.open(path: path, plan: StorePlan(.megabytes(4)))
        for (index, boot) in boots.enumerated() {
            var encoder = SegmentEncoder(decimals: [1, 1], startingAt: Tick(tenths: 0))
            for second in 0..<10_800 {
                let value = Outcome.value(FixedPoint(Int64(second % 50), decimals: 1), [])
                encoder.append(Tick(tenths: Int64(second) * 10), [value, value])
            }
            var records: [JournalRecord] = [
                .started(at: Tick(tenths: 0), version: "1"), .stream(stream),
            ]
            if index == 0, isDated {
                let wall = WallTime(nanoseconds: midnight * 1_000_000_000)
                let tick = Tick(tenths: 0)
                let anchor = ClockAnchor(boot: boot, tick: tick, wall: wall, isTrusted: true)
                records.append(.anchor(anchor))
            }
            let samples = JournalRecord.samples(stream.id, segment: encoder.finished())
            for (place, records) in [records, [samples]].enumerated() {
                let block = JournalBlock(
                    sequence: UInt64(index * 2 + place + 1),
                    boot: boot,
                    payload: JournalRecordCodec.encode(records)
                )
                try history.append([block])
            }
        }
        try history.close()
        return try HistoryReader(path: path)
    }

    private static func lengths(_ window: StoreWindow, _ reader: HistoryReader) throws -> [Int64] {
        window.clip(try StreamExtents(reader).spans(of: stream.id)).map {
            $0.to.tenths - $0.from.tenths
        }
    }

    @Test func lastCountsFromTheEndOfTheNewestBoot() throws {
        let folder = try TestFolder(isInMemory: true)
        let reader = try Self.reader(folder)
        let times = try StoreTimes(reader)
        #expect(times.end == StoreTime(boot: Self.boots[1], tick: Tick(tenths: 107_990)))
        let window = StoreWindow(times: times, last: .hours(1), now: times.end)
        #expect(try Self.lengths(window, reader) == [36_001])
        #expect(window.contains(Self.boots[1], Tick(tenths: 107_990)))
        #expect(!window.contains(Self.boots[1], Tick(tenths: 71_989)))
        #expect(!window.contains(Self.boots[0], Tick(tenths: 107_990)))
    }

    @Test func lastReachesIntoTheBootBefore() throws {
        let folder = try TestFolder(isInMemory: true)
        let reader = try Self.reader(folder)
        let times = try StoreTimes(reader)
        let window = StoreWindow(times: times, last: .hours(4), now: times.end)
        let lengths = try Self.lengths(window, reader)
        // The second boot's times are a guess: right after the first.
        #expect(lengths.count == 2 && lengths[1] == 107_991)
        #expect((35_980...36_020).contains(lengths[0]))
    }

    @Test func withoutAnyDateLastReachesBackByRunningTime() throws {
        let folder = try TestFolder(isInMemory: true)
        let reader = try Self.reader(folder, isDated: false)
        let times = try StoreTimes(reader)
        #expect(times.clock.time(Self.boots[0], Tick(tenths: 0)) == nil)
        #expect(try times.undatedCount(reader) == 2)
        let window = StoreWindow(times: times, last: .hours(4), now: times.end)
        let lengths = try Self.lengths(window, reader)
        #expect(lengths.count == 2 && lengths[1] == 107_991)
        #expect((35_980...36_020).contains(lengths[0]))
        let hour = StoreWindow(times: times, last: .hours(1), now: times.end)
        #expect(try Self.lengths(hour, reader) == [36_001])
    }

    @Test func whereNoStationRanLastCountsFromTheNewestSample() throws {
        let folder = try TestFolder(isInMemory: true)
        let path = "\(folder.path)/history.db"
        let (history, _) = try HistoryFile.open(path: path, plan: StorePlan(.megabytes(4)))
        let value = ImportedSample.Value(.pm25, FixedPoint(1, decimals: 1))
        let samples = (0..<288).map { index in
            let wall = WallTime(seconds: Int(Self.midnight) + index * 300)
            return ImportedSample(source: "attic", wall: wall, values: [value])
        }
        _ = try HistoryImport.run(into: history) { session in
            _ = try session.add(samples)
            return (try session.report(), .keep)
        }
        try history.close()
        let reader = try HistoryReader(path: path)
        let times = try StoreTimes(reader)
        let window = StoreWindow(times: times, last: .hours(1), now: times.end)
        var found = try StoreSamples(reader, window) { _ in true }
        var count = 0
        while try found.next() != nil { count += 1 }
        #expect(count == 13)
    }

    @Test func aRangeOfWallTimeIsCutOutOfTheBootsItMeets() throws {
        let folder = try TestFolder(isInMemory: true)
        let reader = try Self.reader(folder)
        let range = TimeRange(
            from: WallTime(nanoseconds: (Self.midnight + 60) * 1_000_000_000),
            to: WallTime(nanoseconds: (Self.midnight + 180) * 1_000_000_000)
        )
        let window = StoreWindow(times: try StoreTimes(reader), range: range)
        #expect(try Self.lengths(window, reader) == [1_200])
    }

    @Test func aRunThatGoesOnEndsNow() throws {
        let folder = try TestFolder(isInMemory: true)
        let reader = try Self.reader(folder)
        let now = StoreTime(boot: Self.boots[1], tick: Tick(tenths: 200_000))
        #expect(try StoreTimes(reader, now: now).end == now)
        // Another boot's clock says nothing about this run.
        let other = StoreTime(boot: Self.boots[0], tick: Tick(tenths: 200_000))
        #expect(try StoreTimes(reader, now: other).end?.tick == Tick(tenths: 107_990))
    }

    @Test(arguments: [(1, Duration.hours(1)), (3_600, .hours(1)), (3_700, .hours(4))])
    func theNewestComeFromTheShortestWindowThatHoldsThem(limit: Int, length: Duration) throws {
        let folder = try TestFolder(isInMemory: true)
        let reader = try Self.reader(folder)
        let times = try StoreTimes(reader)
        let window = StoreWindow(times: times, now: times.end)
        let (found, dropping) = try window.newest(limit) { window in
            var samples = try StoreSamples(reader, window) { _ in true }
            var count = 0
            while try samples.next() != nil { count += 1 }
            return count
        }
        #expect(found.last == length)
        let held = length == .hours(1) ? 3_601...3_601 : 14_395...14_405
        #expect(held.contains(dropping + limit))
    }

    @Test func theJournalsBlocksComeBeforeWhatNoneHolds() throws {
        let boot = "\(Self.boots[0])"
        func part(_ sequence: UInt64?, _ version: String) -> TailReport.Part {
            let record = JournalRecord.started(
                at: Tick(tenths: Int64(sequence ?? 9)),
                version: version
            )
            let payload = JournalRecordCodec.encode([record, .stream(Self.stream)])
            return sequence.map {
                TailReport.Part(sequence: $0, bootID: boot, payload: payload)
            } ?? TailReport.Part(earliestSequence: 6, bootID: boot, payload: payload)
        }
        func page(_ parts: [TailReport.Part]) -> TailReport {
            TailReport(folder: "/store", bootID: boot, nowSeconds: 12.34, parts: parts, next: nil)
        }
        let found = StationTail([page([part(nil, "open")]), page([part(4, "a"), part(5, "b")])])
        #expect(found.folder == "/store")
        #expect(found.now == StoreTime(boot: Self.boots[0], tick: Tick(tenths: 123)))
        let folder = try TestFolder(isInMemory: true)
        let path = "\(folder.path)/history.db"
        try HistoryFile.open(path: path, plan: StorePlan(.megabytes(4))).0.close()
        let runs = try HistoryReader(path: path, tail: found.tail).runs()
        #expect(runs.map(\.version) == ["a", "b", "open"])
    }
}
