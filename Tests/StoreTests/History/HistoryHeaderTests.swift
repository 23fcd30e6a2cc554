import Core
import FoundationEssentials
import Glibc
import SQLite
import TestSupport
import Testing

@testable import Store

/// A history whose first hundred bytes rot, or whose end is missing.
@Suite struct HistoryHeaderTests {
    /// Bits of a byte that are flipped one after the other: all where one has cost a history.
    ///
    /// In the small form one bit of those, and of one other byte in ten.
    private static func bits(of byte: Int) -> [UInt8] {
        let known: Set<Int> = [18, 28, 29, 30, 31, 47, 59]
        let one: [UInt8] = [1 << UInt8(byte * 5 % 8)]
        guard Exhaustive.isWhole else { return known.contains(byte) || byte % 11 == 0 ? one : [] }
        return known.contains(byte) ? (0..<8).map { 1 << $0 } : one
    }

    /// Flips one bit of each byte, or several: nothing is lost, and the size stays.
    @Test(arguments: 0..<10)
    func aBitOfTheHeaderThatRotsCostsNothing(_ tenth: Int) throws {
        let bench = try StoreBench.withHoursThatOnlyTheHistoryHolds()
        try bench.store.set("place", to: "balcony")
        try bench.store.close()
        let file = URL(filePath: bench.folder.database)
        let whole = try [UInt8](Data(contentsOf: file))
        let all = try HistoryReader(path: file.path()).all().count
        for byte in tenth * 10..<tenth * 10 + 10 {
            for bit in Self.bits(of: byte) {
                var rotten = whole
                rotten[byte] ^= bit
                try Data(rotten).write(to: file)
                // As large as this is the plan of the station, and of the damaged file not.
                let store = try bench.reopened(megabytes: byte % 2 == 0 ? 4 : 6)
                #expect(bench.folder.databaseByteCount == whole.count, "byte \(byte), \(bit)")
                #expect(try store.setting("place") == "balcony", "byte \(byte), \(bit)")
                #expect(try store.checkpoint() == .taken, "byte \(byte), \(bit)")
                let left = try HistoryReader(path: file.path()).all().count
                #expect(left == all, "byte \(byte), \(bit)")
                #expect(try bench.ledger().tenths(.unexplained) == 0, "byte \(byte), \(bit)")
                try store.close()
                for name in bench.folder.names where name.contains(".damaged-") {
                    unlink("\(bench.folder.path)/\(name)")
                }
            }
        }
    }

    /// A station that has just been made, with the bit that asked for 8 GiB of a 4 MiB file.
    @Test func theSizeOfANewHistoryIsNeverThatOfADamagedField() throws {
        let folder = HistoryFolder()
        try HistoryFile.open(path: folder.database, plan: StorePlan(.megabytes(4))).0.close()
        let byteCount = folder.databaseByteCount
        var bytes = try [UInt8](Data(contentsOf: URL(filePath: folder.database)))
        bytes[28] ^= 0x20
        try Data(bytes).write(to: URL(filePath: folder.database))
        for configured in [4, 8] {
            let plan = StorePlan(.megabytes(configured)).sized(like: folder.database)
            #expect(plan.megabytes == 4)
        }
        #expect(byteCount == bytes.count)
    }

    /// The size that is found again is the one that it was made with, whatever is configured.
    @Test(arguments: [4, 5, 17, 64, 100])
    func aSizeIsFoundAgain(_ megabytes: Int) throws {
        let folder = HistoryFolder()
        let made = StorePlan(.megabytes(megabytes))
        try HistoryFile.open(path: folder.database, plan: made).0.close()
        for configured in [megabytes - 1, megabytes, megabytes + 1, 400] {
            let plan = StorePlan(.megabytes(configured)).sized(like: folder.database)
            let slots = HistoryRing.allCases.map { plan.slotCount(of: $0) }
            #expect(slots == HistoryRing.allCases.map { made.slotCount(of: $0) })
        }
        // Cut short by a tenth, it still says how long it was.
        truncate(folder.database, off_t(folder.databaseByteCount * 9 / 10))
        #expect(StorePlan(.megabytes(300)).sized(like: folder.database).megabytes == megabytes)
    }

    /// Without the first page of its ring the length says how large a history was.
    @Test func aSizeIsFoundByTheLengthAlone() throws {
        let folder = HistoryFolder()
        try HistoryFile.open(path: folder.database, plan: StorePlan(.megabytes(17))).0.close()
        var bytes = try [UInt8](Data(contentsOf: URL(filePath: folder.database)))
        for index in 2 * HistorySchema.pageSize..<3 * HistorySchema.pageSize { bytes[index] = 0 }
        try Data(bytes).write(to: URL(filePath: folder.database))
        #expect(HistoryHeader(of: folder.database)?.slotCount == nil)
        #expect(StorePlan(.megabytes(300)).sized(like: folder.database).megabytes == 17)
        // A file as large as the configured history, or nearly, may have that size.
        #expect(StorePlan(.megabytes(17)).sized(like: folder.database).megabytes == 17)
    }
}
