import Core
import SQLite
import Testing

@testable import Store

@Suite struct HistoryCopyTests {
    private let folder = HistoryFolder()
    private var copy: String { folder.path + "/copy.db" }

    /// Everything a history holds, as readers see it.
    private struct Contents: Equatable {
        var samples: [StoredSample]
        var events: [BootEvent] = []
        let boots: [StoredBoot]
        let runs: [StoredRun]
        let anchors: [ClockAnchor]
        let schedules: [StoredSchedule]
        let settings: [String: String]
        let cursor: UInt64

        init(_ path: String) throws {
            let reader = try HistoryReader(path: path)
            samples = try reader.all()
            boots = try reader.boots()
            runs = try reader.runs()
            anchors = try reader.anchors()
            schedules = try reader.schedules()
            settings = try reader.settings()
            cursor = try reader.cursor()
            var found: [BootEvent] = []
            try HistoryEvents(reader).each { event in
                found.append(event)
                return true
            }
            events = found
        }
    }

    /// A history of some megabytes with rounds of 500 loud samples and two events each.
    private func make(megabytes: Int, rounds: Int) throws -> DustSeries {
        let plan = StorePlan(.megabytes(megabytes))
        let (history, _) = try HistoryFile.open(path: folder.database, plan: plan)
        var dust = DustSeries(every: 10, noise: 1 << 40)
        try history.append([dust.start()])
        for round in 0..<rounds {
            let tick = Tick(tenths: dust.tick)
            let wall = WallTime(tenths: 17_600_000_000 + dust.tick)
            let event = Event(at: tick.instant, source: "balcony", kind: .other("round \(round)"))
            let block = dust.block(
                dust.samples(500),
                [
                    .event(event), .event(event),
                    .anchor(
                        ClockAnchor(boot: dust.boot, tick: tick, wall: wall, isTrusted: true)
                    ),
                ]
            )
            try history.append([block])
        }
        try history.set("alarm.limit", to: "35")
        try history.close()
        return dust
    }

    private func copy(to plan: StorePlan?) throws -> HistoryCopyReport {
        try HistoryCopy.copy(folder.database, to: copy, plan: plan, version: "test")
    }

    @Test func aCopyOfTheSameSizeHoldsTheSame() throws {
        _ = try make(megabytes: 4, rounds: 30)
        let report = try copy(to: nil)
        #expect(report.isWhole)
        #expect(report.findings.isEmpty)
        #expect(report.rings.allSatisfy { $0.items == $0.kept })
        #expect(try Contents(copy) == Contents(folder.database))
    }

    @Test func aLargerOneHoldsAllOfItAndGoesOn() throws {
        var dust = try make(megabytes: 4, rounds: 330)
        let before = try Contents(folder.database)
        #expect(before.samples.count < 330 * 500, "the ring has wrapped")
        let report = try copy(to: StorePlan(.megabytes(8)))
        #expect(!report.isWhole)
        #expect(report.findings.isEmpty)
        #expect(report.rings.allSatisfy { $0.items == $0.kept })
        #expect(try Contents(copy) == before)
        let (history, opening) = try HistoryFile.open(path: copy, plan: StorePlan(.megabytes(4)))
        #expect(opening == .found(migrated: []))
        let more = dust.samples(5_000)
        try history.append([dust.block(more)])
        try history.close()
        #expect(try Contents(copy).samples == before.samples + more)
    }

    @Test func aSmallerOneKeepsTheNewest() throws {
        var dust = try make(megabytes: 8, rounds: 330)
        let before = try Contents(folder.database)
        let report = try copy(to: StorePlan(.megabytes(4)))
        let after = try Contents(copy)
        let samples = try #require(report.rings.first { $0.name == "samples" })
        #expect(report.findings.isEmpty)
        #expect(samples.kept < samples.items)
        #expect(after.samples.count == samples.kept)
        #expect(after.samples.count > before.samples.count / 3)
        #expect(after.samples == before.samples.suffix(samples.kept))
        #expect(after.settings == ["alarm.limit": "35"])
        #expect(after.anchors == before.anchors)
        let (history, _) = try HistoryFile.open(path: copy, plan: StorePlan(.megabytes(4)))
        let more = dust.samples(20_000)
        try history.append([dust.block(more)])
        try history.close()
        let later = try Contents(copy).samples
        #expect(later == (after.samples + more).suffix(later.count))
        #expect(later.count > more.count)
    }

    @Test(arguments: [nil, 4, 6]) func rollupsSayTheSame(megabytes: Int?) throws {
        _ = try make(megabytes: 5, rounds: 40)
        _ = try copy(to: megabytes.map { StorePlan(.megabytes($0)) })
        let series = try [folder.database, copy].map { path in
            let reader = try HistoryReader(path: path)
            let spans = try StreamExtents(reader).spans(of: DustSeries.stream.id)
            return try [7, 60, 900].map { points in
                try HistorySeries(reader).points(
                    DustSeries.stream.id,
                    channel: 1,
                    spans,
                    points: points
                )
            }
        }
        #expect(series[0] == series[1])
    }

    @Test func theOriginalIsNotTouched() throws {
        _ = try make(megabytes: 4, rounds: 10)
        let before = try Contents(folder.database)
        let names = folder.names
        _ = try copy(to: StorePlan(.megabytes(5)))
        #expect(try Contents(folder.database) == before)
        #expect(Set(folder.names).subtracting(names).contains("copy.db"))
        #expect(!folder.names.contains { $0.contains(".part") })
    }

    @Test func damageIsCountedAndNotSpread() throws {
        _ = try make(megabytes: 4, rounds: 30)
        let connection = try Connection(folder.database)
        try connection.execute(
            "UPDATE samples SET data = CAST(substr(data, 1, 200) AS BLOB) || zeroblob(3856) "
                + "WHERE slot = 3"
        )
        try connection.close()
        let report = try copy(to: StorePlan(.megabytes(5)))
        #expect(report.rings.first { $0.name == "samples" }?.damagedSlots == 1)
        #expect(report.findings.isEmpty)
        let before = try Contents(folder.database).samples
        #expect(try Contents(copy).samples == before)
    }

    @Test func whatIsNoHistoryLeavesNothing() throws {
        let connection = try Connection(folder.database)
        try connection.executeScript("CREATE TABLE other(a)")
        try connection.close()
        #expect(throws: StoreError.self) { try copy(to: nil) }
        #expect(folder.names == ["history.db"])
    }
}
