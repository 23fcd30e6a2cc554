import Core
import FoundationEssentials
import Glibc
import SQLite
import Testing

@testable import Store

@Suite struct HistoryOpeningTests {
    private let folder = HistoryFolder()
    private let small = StorePlan(.megabytes(4))

    private func open() throws -> (History, HistoryOpening) {
        try HistoryFile.open(path: folder.database, plan: small)
    }

    private func put(_ bytes: [UInt8], at offset: Int) throws {
        let descriptor = Glibc.open(folder.database, O_WRONLY)
        try #require(descriptor >= 0)
        defer { Glibc.close(descriptor) }
        #expect(pwrite(descriptor, bytes, bytes.count, off_t(offset)) == bytes.count)
    }

    @Test func reservesAllItsRoomAtOnce() throws {
        let (history, opening) = try open()
        #expect(opening == .fresh)
        try history.close()
        #expect(folder.databaseByteCount <= 4 << 20)
        #expect(folder.databaseByteCount > 4 << 20 - 512 << 10)
        let (again, found) = try open()
        #expect(found == .found(migrated: []))
        #expect(again.cursor == 0)
    }

    @Test func keepsSettingsWithinTheirBounds() throws {
        let (history, _) = try open()
        let size = folder.databaseByteCount
        for index in 0..<HistorySchema.settingCountMax {
            let value = String(repeating: "é", count: index * 4)
            try history.set("key \(index)", to: value)
        }
        #expect(throws: StoreError.self) { try history.set("one more", to: "") }
        #expect(throws: StoreError.self) {
            try history.set("key 1", to: String(repeating: "x", count: 600))
        }
        try history.set("key 2", to: nil)
        try history.set("one more", to: "here")
        #expect(try history.setting("one more") == "here")
        #expect(try history.setting("key 2") == nil)
        #expect(try history.settings().count == HistorySchema.settingCountMax)
        try history.close()
        #expect(folder.databaseByteCount == size)
    }

    @Test(arguments: [
        "",
        "not a database at all, but long enough to have a header of its own: "
            + String(repeating: "abc", count: 400),
    ])
    func movesAsideWhatIsNoDatabase(contents: String) throws {
        try Data(contents.utf8).write(to: URL(filePath: folder.database))
        let (history, opening) = try open()
        if contents.isEmpty {
            #expect(opening == .fresh)
        } else {
            guard case .setAside(let path, _) = opening else {
                Issue.record("\(opening)")
                return
            }
            #expect(try Data(contentsOf: URL(filePath: path)) == Data(contents.utf8))
        }
        var dust = DustSeries(every: 10)
        #expect(try history.append([dust.start(), dust.block(dust.samples(5))]).samples == 5)
    }

    @Test func movesAsideWhatBelongsToSomebodyElse() throws {
        let other = try Connection(folder.database)
        try other.executeScript("CREATE TABLE recipes(name TEXT); INSERT INTO recipes VALUES('x')")
        try other.close()
        guard case .setAside(let path, let because) = try open().1 else {
            Issue.record("it was used")
            return
        }
        #expect(path.hasSuffix("history.db.damaged-1"))
        #expect(because.contains("something else"))
        let recipes: Int? = try Connection(path, mode: .readOnly)
            .scalar("SELECT count(*) FROM recipes")
        #expect(recipes == 1)
    }

    /// Opening a pipe for reading would wait for a writer that never comes.
    @Test(arguments: [0o644, 0o444] as [mode_t])
    func aPipeInTheHistorysPlaceHoldsNobodyUp(mode: mode_t) throws {
        #expect(mkfifo(folder.database, mode) == 0)
        #expect(throws: StoreError.self) { try HistoryReader(path: folder.database) }
        let (history, opening) = try open()
        guard case .setAside(let path, _) = opening else {
            Issue.record("it was used")
            return
        }
        var status = stat()
        #expect(lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
        var dust = DustSeries(every: 10)
        #expect(try history.append([dust.start(), dust.block(dust.samples(5))]).samples == 5)
    }

    private static func takesOrSaysSo(_ history: History, _ blocks: [JournalBlock]) -> Bool {
        let result = Result { () throws(StoreError) in try history.append(blocks) }
        switch result {
        case .success(let taken): return taken.samples == 5
        case .failure(.database(let error)): return error.isCorrupt
        case .failure: return false
        }
    }

    @Test func startsWhateverItsFirstPagesSay() throws {
        var generator = SplitMix64(seed: 21)
        var kept = 0
        for round in 0..<12 {
            try open().0.close()
            let noise = (0..<512).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let page = Int.random(in: 0..<6, using: &generator)
            try put(noise, at: page * 4_096 + Int.random(in: 0..<3_584, using: &generator))
            let (history, opening) = try open()
            if case .found = opening { kept += 1 }
            var dust = DustSeries(every: 10, seed: UInt64(round))
            // Damage that only shows on writing must be reported; the store sets the file aside.
            let blocks = [dust.start(), dust.block(dust.samples(5))]
            #expect(Self.takesOrSaysSo(history, blocks))
            try? history.close()
            HistoryFile.setAside(folder.database)
        }
        #expect(kept < 12)
        #expect(folder.names.count <= HistoryFile.setAsideCountMax * 2)
    }

    @Test func opensANewerSchemaForReadingOnly() throws {
        let (history, _) = try open()
        var dust = DustSeries(every: 10)
        try history.append([dust.start(), dust.block(dust.samples(50))])
        try history.connection.execute("INSERT INTO migrations VALUES('9 stars', 9, '9.0')")
        try history.close()
        let (newer, opening) = try open()
        #expect(opening == .newer(migration: "9 stars"))
        #expect(newer.isReadOnly)
        #expect(throws: StoreError.self) { try newer.append([dust.block(dust.samples(5))]) }
        #expect(throws: StoreError.self) { try newer.set("a", to: "b") }
        #expect(try HistoryReader(path: folder.database).all().count == 50)
    }

    @Test func saysWhichFolderIsMissing() {
        #expect {
            try HistoryFile.open(path: folder.path + "/none/history.db", plan: small)
        } throws: { error in
            "\(error)".contains("/none/history.db")
        }
    }

    @Test func aRottenSlotCostsItsOwnSamplesAlone() throws {
        let (history, _) = try open()
        var dust = DustSeries(every: 10)
        try history.append([dust.start()] + (0..<40).map { _ in dust.block(dust.samples(600)) })
        let slots = try HistorySlots(.samples, in: history.connection, isWritable: true)
        let lost = Int(try slots.header(of: 1).count)
        slots.rest()  // An open blob would keep what follows from being committed.
        let blob = try history.connection.blob(
            table: "samples",
            column: "data",
            row: 2,
            isWritable: true
        )
        try blob.write([0xAA, 0x55, 0xAA], at: 1_000)
        try blob.close()
        let reader = try HistoryReader(path: folder.database)
        #expect(lost > 0)
        #expect(try reader.all().count == 24_000 - lost)
        #expect(reader.damagedSlots == 1)
    }

    /// Before a station has mended a damaged page, readers show the data before and behind it.
    @Test(arguments: [0, 1, 5, -2, -1])
    func aRottenPageOfSlotsCostsReadersItsOwnSamplesAlone(_ which: Int) throws {
        let (history, _) = try open()
        var dust = DustSeries(every: 10, noise: 500)
        try history.append([dust.start()] + (0..<60).map { _ in dust.block(dust.samples(600)) })
        var mine: [(slot: Int, header: SlotHeader)] = []
        let slots = history.slots(.samples)
        for slot in slots.places {
            let header = try slots.header(of: slot)
            if header.key == SlotKey(DustSeries.stream.id) { mine.append((slot, header)) }
        }
        try history.close()
        #expect(mine.count > 8)
        let lost = mine[which < 0 ? mine.count + which : which]
        let whole = try [UInt8](Data(contentsOf: URL(filePath: folder.database)))
        let place = try #require(whole.firstRange(of: lost.header.bytes)).lowerBound
        for filling in [0, 0xA5] as [UInt8] {
            try put([UInt8](repeating: filling, count: 4_096), at: place / 4_096 * 4_096)
            let reader = try HistoryReader(path: folder.database)
            let left = try reader.all()
            #expect(left.count == 36_000 - Int(lost.header.count), "\(filling)")
            #expect(zip(left, left.dropFirst()).allSatisfy { $0.tick < $1.tick })
            // A reader that has met it says so, but for what lies before all that is left.
            #expect(reader.damagedSlots > 0 || which == 0)
        }
    }

    @Test func readersSeeWholeTransactionsWhileTheNodeWrites() throws {
        let (history, _) = try open()
        var dust = DustSeries(every: 10)
        try history.append([dust.start(), dust.block(dust.samples(6_000))])
        let reader = try HistoryReader(path: folder.database)
        let spans = [HistorySpan(boot: dust.boot, from: Tick(tenths: 0), to: .end)]
        let slow = try RawSamples(reader, DustSeries.stream.id, spans)
        var ticks: [Tick] = []
        for round in 0..<20 {
            for _ in 0..<300 {
                if let sample = try slow.next() { ticks.append(sample.tick) }
            }
            try history.append([dust.block(dust.samples(600))])
            #expect(try reader.all().count == 6_600 + round * 600)
        }
        while let sample = try slow.next() { ticks.append(sample.tick) }
        #expect(ticks == (1...ticks.count).map { Tick(tenths: Int64($0) * 10) })
        #expect(ticks.count >= 6_000)
    }

    @Test func keepsEventsBootsRunsAnchorsAndSchedules() throws {
        let (history, _) = try open()
        var dust = DustSeries(every: 10)
        let wall = WallTime(nanoseconds: 1_700_000_000_000_000_000)
        var blocks = [dust.start()]
        for index in 0..<300 {
            let tick = Tick(tenths: Int64(index) * 100)
            let event = Event(
                at: tick.instant,
                source: "lights",
                kind: .plain(.lampChanged),
                ["lamp": "\(index)"]
            )
            let anchor = ClockAnchor(
                boot: dust.boot,
                tick: tick,
                wall: wall,
                isTrusted: index > 100
            )
            blocks.append(dust.block([], [.event(event), .anchor(anchor)]))
        }
        blocks.append(dust.block([], [.stopped(at: Tick(tenths: 30_000))]))
        #expect(try history.append(blocks).events == 300)
        let reader = try HistoryReader(path: folder.database)
        let last = try HistoryEvents(reader).newest(5)
        #expect(last.map(\.event).map { $0["lamp"] } == ["295", "296", "297", "298", "299"])
        var count = 0
        try HistoryEvents(reader).each(from: dust.boot, Tick(tenths: 20_000)) { _ in
            count += 1
            return true
        }
        #expect(count == 100)
        #expect(try reader.boots().map(\.id) == [dust.boot])
        #expect(try reader.anchors().map(\.tick.tenths) == [0, 10_000, 10_100, 29_900])
        #expect(try reader.anchors().map(\.isTrusted) == [false, false, true, true])
        let run = try #require(try reader.runs().first)
        #expect(run.stopped == Tick(tenths: 30_000) && run.version == "1.0")
        #expect(try reader.schedules().map(\.interval) == [.seconds(1)])
    }
}
