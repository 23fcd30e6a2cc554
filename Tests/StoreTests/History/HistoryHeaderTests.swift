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
}
