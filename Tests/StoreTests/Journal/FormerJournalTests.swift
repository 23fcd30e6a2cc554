import Core
import Glibc
import HardwareIO
import Testing

@testable import LinuxIO
@testable import SimulationKit
@testable import Store

/// The journal moves from a file to another ring, with blocks that wait in the file.
@Suite struct FormerJournalTests {
    private let folder = HistoryFolder()
    private let partition = SimulatedBlockStorage(blockSize: 4_096, blockCount: 32)
    private var file: String { folder.path + "/journal.ring" }

    private func store(on ring: any BlockStorage, former: String?) throws -> StationStore {
        var place = StoreLocation(
            journal: "/dev/roost/journal",
            history: folder.database,
            plan: StorePlan(.megabytes(4)),
            version: "1.0"
        )
        place.formerJournal = former
        return try StationStore(place, mirrorSequence: 0) { ring }
    }

    private func openFile() throws -> StationStore {
        try store(on: try FileBlockStorage(path: file, blockCount: 64), former: nil)
    }

    /// Two hours, the last of which only the file's ring has.
    private func live(_ dust: inout DustSeries) throws {
        let first = try openFile()
        _ = try first.append(dust.start().payload, boot: dust.boot)
        for hour in 0..<2 {
            for _ in 0..<6 {
                _ = try first.append(dust.block(dust.samples(600)).payload, boot: dust.boot)
            }
            if hour == 0 { try first.checkpoint() }
        }
    }

    @Test func whatWaitsInTheFileIsTakenBeforeThePartitionBegins() throws {
        var dust = DustSeries(every: 10)
        try live(&dust)
        let second = try store(on: partition, former: file)
        #expect(second.opening.newestBlock == 13)
        #expect(try HistoryReader(path: folder.database).all().count == 12 * 600)
        #expect(access(file, F_OK) != 0, "the file lies aside")
        #expect(second.opening.losses == [], "a move is no damage")
        _ = try second.append(dust.block(dust.samples(600)).payload, boot: dust.boot)
        try second.checkpoint()
        try second.close()
        #expect(try HistoryReader(path: folder.database).all().count == 13 * 600)
    }

    @Test func withoutTheHistoryThePartitionWaitsForWhatTheFileHas() throws {
        var dust = DustSeries(every: 10)
        try live(&dust)
        unlink(folder.database)
        let second = try store(on: partition, former: file)
        #expect(!second.lacksHistory && second.opening.newestBlock == 13)
        #expect(try HistoryReader(path: folder.database).all().count == 12 * 600)
    }

    @Test func noFileIsNoFormerJournal() throws {
        let store = try store(on: partition, former: file)
        #expect(store.opening.newestBlock == 0)
        #expect(folder.names.filter { $0.hasPrefix("journal") } == [])
    }
}
