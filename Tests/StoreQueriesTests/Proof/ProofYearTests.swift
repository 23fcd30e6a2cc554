import ControlProtocol
import StoreFixtures
import TestSupport
import Testing

@testable import Core
@testable import Store
@testable import StoreQueries

/// A year of forty channels.
@Suite struct ProofYearTests {
    private static let boot = BootID(bytes: Array(repeating: 9, count: 16))
    private static let dayTenths: Int64 = 864_000

    /// Ten devices of four channels, a value every two hours; one in twenty days lacks some.
    private static func write(days: Int64, to folder: TestFolder) throws {
        let plan = StorePlan(.megabytes(64))
        let (history, _) = try HistoryFile.open(path: folder.path("history.db"), plan: plan)
        var sequence: UInt64 = 0
        func append(_ records: [JournalRecord]) throws {
            sequence += 1
            let payload = JournalRecordCodec.encode(records)
            try history.append([JournalBlock(sequence: sequence, boot: boot, payload: payload)])
        }
        let start = QueryFixture.wall("2026-01-01T05:00:00Z")
        let anchor = ClockAnchor(boot: boot, tick: Tick(tenths: 0), wall: start, isTrusted: true)
        try append([.started(at: Tick(tenths: 0), version: "1"), .anchor(anchor)])
        var random = SplitMix64(seed: 59)
        for number in 1...10 {
            let stream = StreamDescription(
                id: StreamID(UInt16(number)),
                device: "sensor-\(number)",
                quantities: [.pm25, .pm10, .temperature, .pm1]
            )
            let schedule = JournalRecord.schedule(
                stream.id,
                from: Tick(tenths: 0),
                interval: .seconds(7_200)
            )
            try append([.stream(stream), schedule])
            for day in 0..<days {
                let begin = day * dayTenths
                var encoder = SegmentEncoder(
                    decimals: stream.quantities.map(\.decimals),
                    startingAt: Tick(tenths: begin)
                )
                let lost = Int.random(in: 0..<20, using: &random) == 0 ? 3..<7 : 0..<0
                for step in 0..<12 where !lost.contains(step) {
                    let outcomes = stream.quantities.map { quantity in
                        Outcome.value(FixedPoint(Int64(step), decimals: quantity.decimals))
                    }
                    encoder.append(Tick(tenths: begin + Int64(step) * 72_000), outcomes)
                }
                try append([.samples(stream.id, segment: encoder.finished())])
            }
        }
        try history.close()
    }

    @Test func isOneSmallAnswer() throws {
        let folder = try TestFolder(isInMemory: true)
        try Self.write(days: 365, to: folder)
        let reader = try HistoryReader(path: folder.path("history.db"))
        let times = try StoreTimes(reader)
        let now = try #require(StoreExtent(reader, times).newest?.wall)
        let days = try ProofDays(reader, times, in: ("UTC", .utc), now: now)
        #expect(days.rows.count == 10 && days.rows.flatMap(\.channels).count == 40)
        #expect(days.dayCount == 366)
        #expect(days.coveredSeconds < days.dueSeconds)
        let answer = try ControlCodec.line(days)
        #expect(answer.utf8.count <= 20_000)
    }
}
