import Core
import Testing

@testable import Store

@Suite struct NodeRunHistoryTests {
    /// The samples of a minute of a boot, with or without the words of its start.
    private static func block(
        _ number: UInt8,
        from second: Int64,
        withStart: Bool
    ) -> JournalBlock {
        var encoder = SegmentEncoder(decimals: [1, 1], startingAt: Tick(tenths: second * 10))
        for second in second..<second + 60 {
            encoder.append(Tick(tenths: second * 10), [.value(1), .value(2)])
        }
        var records = [
            JournalRecord.stream(DustSeries.stream),
            .samples(DustSeries.stream.id, segment: encoder.finished()),
        ]
        if withStart {
            records.insert(.started(at: Tick(tenths: second * 10), version: "1.0"), at: 0)
        }
        return JournalBlock(
            sequence: UInt64(number) * 100 + UInt64(second),
            boot: .numbered(number),
            payload: JournalRecordCodec.encode(records)
        )
    }

    @Test func aRunWhoseStartWasLostIsKnownByItsSamples() throws {
        let folder = HistoryFolder()
        let plan = StorePlan(.megabytes(4))
        let (history, _) = try HistoryFile.open(path: folder.database, plan: plan)
        // The second boot has no start left, the third only the later one of two.
        try history.append([
            Self.block(1, from: 0, withStart: true), Self.block(2, from: 10, withStart: false),
            Self.block(3, from: 5, withStart: false), Self.block(3, from: 90, withStart: true),
        ])
        try history.close()
        let reader = try HistoryReader(path: folder.database)
        let runs = try NodeRuns.all(in: reader)
        #expect(runs.map(\.boot) == [1, 2, 3, 3].map { BootID.numbered($0) })
        #expect(runs.map(\.started.tenths) == [0, 100, 50, 900])
        #expect(runs.map(\.ended.tenths) == [590, 690, 640, 1_490])
        #expect(runs.map(\.end) == [.lost, .lost, .lost, .running])
    }

    @Test func aScheduleTellsThatTheNodeRan() throws {
        let folder = HistoryFolder()
        let (history, _) = try HistoryFile.open(
            path: folder.database,
            plan: StorePlan(.megabytes(4))
        )
        let id = DustSeries.stream.id
        func block(_ boot: UInt8, _ records: [JournalRecord]) -> JournalBlock {
            let payload = JournalRecordCodec.encode(records)
            return JournalBlock(sequence: UInt64(boot), boot: .numbered(boot), payload: payload)
        }
        // All samples are lost, and of the second boot the start as well.
        try history.append([
            block(
                1,
                [
                    .stream(DustSeries.stream), .started(at: Tick(tenths: 7), version: "1.0"),
                    .schedule(id, from: Tick(tenths: 900), interval: .seconds(1)),
                ]
            ),
            block(2, [.schedule(id, from: Tick(tenths: 400), interval: .seconds(5))]),
        ])
        try history.close()
        let runs = try NodeRuns.all(in: try HistoryReader(path: folder.database))
        #expect(runs.map(\.boot) == [1, 2].map { BootID.numbered($0) })
        #expect(runs.map(\.started.tenths) == [7, 400])
        #expect(runs.map(\.ended.tenths) == [900, 400])
    }
}
