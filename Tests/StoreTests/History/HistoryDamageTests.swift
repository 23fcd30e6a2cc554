import Core
import SQLite
import Testing

@testable import Store

/// A history in which one slot of samples is damaged.
@Suite struct HistoryDamageTests {
    @Test(arguments: [false, true])
    func aBootWhoseLastSlotIsDamagedIsStillThere(isFollowed: Bool) throws {
        let bench = try StoreBench(noise: 1 << 33)
        for _ in 0..<24 { try bench.append(bench.dust.block(bench.dust.samples(300)).payload) }
        try bench.store.checkpoint()
        let boot = bench.dust.boot
        if isFollowed {
            bench.dust.boot = BootID(bytes: Array(repeating: 8, count: 16))
            bench.dust.tick = 10
            try bench.append(bench.dust.start().payload)
            try bench.append(bench.dust.block(bench.dust.samples(300)).payload)
            try bench.store.checkpoint()
        }
        try bench.store.close()
        let before = try HistoryReader(path: bench.folder.database)
        let stream = DustSeries.stream.id
        let spans = try StreamExtents(before).spans(of: stream)
        let count = try before.all().count
        // The slot in which the first boot ends.
        let connection = try Connection(bench.folder.database)
        let last = try #require(
            try connection.rows("SELECT slot, data FROM samples") { (row) throws(SQLiteError) in
                (try row[0] as Int, SlotHeader(try row[1] as [UInt8]))
            }.filter { $0.1.first.boot == 1 }.max { $0.1.depth < $1.1.depth }
        )
        var bytes: [UInt8] = try #require(
            try connection.scalar("SELECT data FROM samples WHERE slot = ?", last.0)
        )
        bytes[100] ^= 1
        try connection.execute("UPDATE samples SET data = ? WHERE slot = ?", bytes, last.0)
        try connection.close()
        let reader = try HistoryReader(path: bench.folder.database)
        let found = try StreamExtents(reader).spans(of: stream)
        #expect(found.first?.boot == boot)
        #expect(found.first?.from == spans.first?.from)
        #expect(try reader.all().count >= count - Int(last.1.count))
        #expect(try reader.all().count > 0)
        #expect(try StreamExtents(reader).latest(of: stream) != nil)
        if !isFollowed { #expect(found == spans) }
    }
}
