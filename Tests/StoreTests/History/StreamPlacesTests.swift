import Core
import SQLite
import Testing

@testable import SimulationKit
@testable import Store

/// A history with few places for streams, and a journal of 32 blocks.
@Suite struct StreamPlacesTests {
    private let folder = HistoryFolder()
    private let ring = SimulatedBlockStorage(blockSize: 4_096, blockCount: 32)
    private let boot = BootID(bytes: Array(repeating: 9, count: 16))
    private let noise = (0..<16).map { Quantity(name: "n\($0)", unit: "", decimals: 0) }

    private func open(places: Int = 4) throws -> StationStore {
        try StationStore(
            journal: ring,
            historyPath: folder.database,
            plan: StorePlan(.megabytes(4)),
            version: "1.0",
            mirrorSequence: 0,
            testHooks: HistoryTestHooks(streamPlaces: places)
        )
    }

    private func stream(_ id: UInt16, _ quantities: [Quantity] = [.pm25]) -> StreamDescription {
        StreamDescription(id: StreamID(id), device: "part-\(id)", quantities: quantities)
    }

    /// Ten samples from a tick on, with the stream's name before them.
    private func payload(
        _ stream: StreamDescription,
        from tick: Int64,
        isNamed: Bool = true,
        count: Int = 10
    ) -> [UInt8] {
        var generator = SplitMix64(seed: UInt64(tick))
        let decimals = stream.quantities.map(\.decimals)
        var encoder = SegmentEncoder(decimals: decimals, startingAt: Tick(tenths: tick))
        for row in 0..<count {
            let outcomes = decimals.map { decimals in
                let value = Int64.random(in: 0..<(1 << 40), using: &generator)
                return Outcome.value(FixedPoint(decimals == 0 ? value : 120, decimals: decimals))
            }
            encoder.append(Tick(tenths: tick + Int64(row) * 10), outcomes)
        }
        let samples = JournalRecord.samples(stream.id, segment: encoder.finished())
        let before: [JournalRecord] = isNamed ? [.stream(stream)] : []
        let start: [JournalRecord] =
            tick == 0 ? [.started(at: Tick(tenths: 0), version: "1.0")] : []
        return JournalRecordCodec.encode(start + before + [samples])
    }

    private func counts() throws -> [String: Int] {
        let reader = try HistoryReader(path: folder.database)
        var counts: [String: Int] = [:]
        for stream in try reader.streams() {
            let samples = try RawSamples(
                reader,
                stream.id,
                try StreamExtents(reader).spans(of: stream.id)
            )
            while try samples.next() != nil { counts[stream.device, default: 0] += 1 }
        }
        return counts
    }

    // MARK: -

    @Test func samplesWithoutAPlaceStayInTheJournal() throws {
        let store = try open()
        for id in 1...5 {
            _ = try store.append(payload(stream(UInt16(id)), from: Int64(id - 1) * 100), boot: boot)
        }
        _ = try store.append(payload(stream(1), from: 500), boot: boot)
        try store.checkpoint()
        let news = store.takeStreamNews()
        #expect(news.placeless.map(\.device) == ["part-5"])
        #expect(news.samplesGivenUp == 0)
        #expect(news.places == 4)
        #expect(try counts() == ["part-1": 10, "part-2": 10, "part-3": 10, "part-4": 10])
        // A restart loses nothing, and the names of waiting streams are known.
        try store.close()
        let again = try open()
        #expect(again.opening.streams.map(\.device).sorted().last == "part-5")
        let waiting = again.waiting(after: 0, limit: 10, in: boot).blocks
        #expect(waiting.map(\.sequence) == [5, 6])
        #expect(again.takeStreamNews().placeless.map(\.device) == ["part-5"])
    }

    @Test func aFullJournalGivesThemUpAndTheLedgerNamesThem() throws {
        let store = try open()
        for id in 1...4 {
            _ = try store.append(payload(stream(UInt16(id)), from: Int64(id - 1) * 100), boot: boot)
        }
        var givenUp = 0
        for round in 4..<80 {
            let id = UInt16(round % 2 == 0 ? 5 : 1)
            let isNamed = round == 4
            _ = try store.append(
                payload(stream(id), from: Int64(round) * 100, isNamed: isNamed),
                boot: boot
            )
            try store.checkpoint()
            givenUp += store.takeStreamNews().samplesGivenUp
        }
        #expect(givenUp > 0)
        let stored = try counts()
        #expect(stored["part-5"] == nil)
        #expect(try #require(stored["part-1"]) > 100)
        let reader = try HistoryReader(path: folder.database)
        let marks = try GapMarks.all(in: reader).filter { $0.cause == .noPlace }
        #expect(marks.map(\.lost).reduce(0, +) == givenUp)
        #expect(marks.first?.device == "part-5")
        let run = NodeRun(
            boot: boot,
            started: Tick(tenths: 0),
            ended: Tick(tenths: 8_000),
            end: .running
        )
        let clock = ClockAnchors(runs: [run], anchors: [])
        let timeline = GapLedgerTimeline(runs: [run], clock: clock)
        let reports = try GapLedgerReports.all(
            of: reader,
            along: timeline,
            within: 0..<timeline.length
        )
        let lines = reports.flatMap(\.lines)
        let line = try #require(lines.first { $0.channel.contains("part-5") })
        #expect(line.lostCount == givenUp)
        #expect(line.tenths(.noPlace) > 0)
    }

    @Test func aStreamThatLeftTheRingGivesItsPlaceToTheNext() throws {
        let store = try open(places: 3)
        _ = try store.append(payload(stream(1), from: 0), boot: boot)
        _ = try store.append(payload(stream(2, noise), from: 100, count: 30), boot: boot)
        _ = try store.append(payload(stream(3), from: 500), boot: boot)
        try store.checkpoint()
        // Round the ring and a little more: only the last slots of streams 1 and 3 are left.
        let slots = StorePlan(.megabytes(4)).slotCount(of: .samples)
        for round in 0..<slots * 5 / 4 {
            let tick = 1_000 + Int64(round) * 500
            _ = try store.append(
                payload(stream(2, noise), from: tick, isNamed: false, count: 30),
                boot: boot
            )
            if round % 8 == 7 { try store.checkpoint() }
        }
        #expect(try counts()["part-1"] == 10)
        let late = 1_000 + Int64(slots * 5 / 4) * 500
        _ = try store.append(payload(stream(4), from: late), boot: boot)
        try store.checkpoint()
        let news = store.takeStreamNews()
        #expect(news.recycled == [StreamID(1)])
        #expect(news.placeless.isEmpty)
        let stored = try counts()
        #expect(stored["part-4"] == 10)
        #expect(stored["part-3"] == 10)
        #expect(stored["part-1"] == nil)
        try store.close()
        #expect(try counts() == stored)
    }

    @Test func samplesWhoseNameIsLostAreKeptUnderOneThatSaysSo() throws {
        let store = try open()
        _ = try store.append(payload(stream(7), from: 0, isNamed: false), boot: boot)
        try store.checkpoint()
        #expect(try counts() == ["unnamed-7": 10])
        _ = try store.append(payload(stream(7), from: 100), boot: boot)
        try store.checkpoint()
        #expect(try counts() == ["part-7": 20])
    }

    // MARK: - Imports

    private func imported(_ source: Int) -> [ImportedSample] {
        [
            ImportedSample(
                source: "sensor-community:\(source)",
                wall: WallTime(seconds: 1_700_000_000),
                values: [ImportedSample.Value(.pm25, FixedPoint(120, decimals: 1))]
            )
        ]
    }

    @Test func anImportLeavesPlacesToTheStation() throws {
        let history = try HistoryFile.open(
            path: folder.database,
            plan: StorePlan(.megabytes(4)),
            testHooks: HistoryTestHooks(streamPlaces: 32)
        ).0
        func load(_ sources: Range<Int>) throws {
            try HistoryImport.run(into: history) { session in
                for source in sources { try session.add(imported(source)) }
                return ((), .keep)
            }
        }
        try load(0..<28)
        #expect(throws: ImportError.streamsFull(source: "sensor-community:28", count: 32)) {
            try load(28..<29)
        }
        #expect(try history.streams().count == 28)
    }

    // MARK: - Histories of before

    @Test func aDamagedHistoryWithFewerPlacesIsReplacedByOneOfItsShape() throws {
        for places in [nil, HistorySchema.streamCountMin] {
            let folder = HistoryFolder()
            var plan = StorePlan(.megabytes(9))
            plan.streamPlaces = places
            try HistoryFile.open(path: folder.database, plan: plan).0.close()
            var found = StorePlan(.megabytes(64))
            found.shape = HistoryShape.counted(in: folder.database)
            #expect(found.streamCount == places ?? 288)
            for ring in HistoryRing.allCases {
                #expect(found.slotCount(of: ring) == plan.slotCount(of: ring))
            }
        }
    }

    @Test func anOldHistoryGoesOnWithItsPlaces() throws {
        var plan = StorePlan(.megabytes(9))
        plan.streamPlaces = HistorySchema.streamCountMin
        let history = try HistoryFile.open(path: folder.database, plan: plan).0
        try history.connection.executeScript(
            """
            DROP TABLE cursors;
            DELETE FROM migrations WHERE name LIKE '3 %' OR name LIKE '4 %';
            """
        )
        try history.close()
        let (again, opening) = try HistoryFile.open(
            path: folder.database,
            plan: StorePlan(.megabytes(9))
        )
        let steps = ["3 places of streams are used again", "4 cursors"]
        #expect(opening == .found(migrated: steps))
        #expect(again.streamCount == 128)
    }
}
