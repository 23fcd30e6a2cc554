import Glibc
import HardwareIO
import TestSupport
import Testing

@testable import LinuxIO
@testable import SimulationKit

@Suite struct FileBlockStorageTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    @Test(arguments: [FileBlockStorage.Caching.buffered, .direct], [512, 4_096])
    func keepsTheContractOfBlockStorage(
        caching: FileBlockStorage.Caching,
        blockSize: Int
    ) throws {
        let path = folder.path("journal.ring")
        try BlockStorageConformance(blockSize: blockSize, blockCount: 5).check {
            try FileBlockStorage(path: path, blockSize: blockSize, blockCount: 5, caching: caching)
        }
    }

    @Test func keepsTheContractInTheSimulationToo() throws {
        let card = SimulatedBlockStorage(blockSize: 1_024, blockCount: 5)
        try BlockStorageConformance(blockSize: 1_024, blockCount: 5).check {
            card.afterPowerCut(.nothing)
        } reopened: {
            ($0 as? SimulatedBlockStorage)?.afterPowerCut(.nothing) ?? card
        }
    }

    @Test func makesTheWholeFileOrNone() throws {
        let path = folder.path("journal.ring")
        // A power cut while the file is made leaves a partial `.new` file behind.
        let stale = open(path + ".new", O_CREAT | O_WRONLY, 0o600)
        _ = Glibc.write(stale, "half", 4)
        close(stale)
        let made = try FileBlockStorage(path: path, blockSize: 4_096, blockCount: 40)
        #expect(made.isNew && !made.isDevice)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_size == 163_840)
        #expect(status.st_blocks * 512 >= 163_840, "no holes")
        #expect(access(path + ".new", F_OK) != 0)
        let found = try FileBlockStorage(path: path, blockSize: 4_096, blockCount: nil)
        #expect(!found.isNew && found.blockCount == 40)
    }

    @Test(arguments: [false, true])
    func refusesAPipeAtOnce(isReadOnly: Bool) {
        let path = folder.path("pipe")
        #expect(mkfifo(path, 0o444) == 0)
        #expect(throws: StorageError.failed(call: "open", errno: ENOTBLK, path: path)) {
            try FileBlockStorage(path: path, blockCount: 2, isReadOnly: isReadOnly)
        }
    }

    @Test func countsWhatItAskedOfTheCard() throws {
        let storage = try FileBlockStorage(path: folder.path("a"), blockCount: 2)
        try storage.write(0, [UInt8](repeating: 1, count: 512))
        try storage.write(1, [UInt8](repeating: 1, count: 4_096))
        try storage.sync()
        #expect(storage.writeCount == 2 && storage.byteCount == 4_608 && storage.syncCount == 1)
    }

    @Test func refusesAFileOfAnotherSize() throws {
        let path = folder.path("journal.ring")
        _ = try FileBlockStorage(path: path, blockCount: 4)
        #expect(throws: StorageError.wrongSize(path: path, found: 16_384, wanted: 20_480)) {
            try FileBlockStorage(path: path, blockCount: 5)
        }
        truncate(path, 100)
        #expect(throws: StorageError.wrongSize(path: path, found: 100, wanted: 4_096)) {
            try FileBlockStorage(path: path, blockCount: nil)
        }
        truncate(path, 0)
        #expect(throws: StorageError.wrongSize(path: path, found: 0, wanted: 16_384)) {
            try FileBlockStorage(path: path, blockCount: 4)
        }
    }

    @Test func whatMarksAPartitionIsNoBlockOfTheRing() throws {
        let path = folder.path("partition")
        let header = JournalPartition(blockSize: 4_096, blockCount: 5)
        let raw = open(path, O_CREAT | O_WRONLY, 0o600)
        _ = Glibc.write(raw, header.block, 4_096)
        close(raw)
        truncate(path, 6 * 4_096)
        // The header gives the number of blocks, whatever was asked for.
        for blockCount in [5, 512, nil] {
            let storage = try FileBlockStorage(path: path, blockCount: blockCount)
            #expect(storage.blockCount == 5)
            try storage.write(0, [UInt8](repeating: 1, count: 512))
            try storage.write(4, [UInt8](repeating: 2, count: 512))
            #expect(try storage.read(4).starts(with: [2, 2]))
        }
        let first = try FileBlockStorage(path: path, blockCount: nil, isReadOnly: true).read(0)
        #expect(first.starts(with: [1, 1]))
        #expect(throws: StorageError.wrongSize(path: path, found: 24_576, wanted: 3_072)) {
            try FileBlockStorage(path: path, blockSize: 512, blockCount: nil)
        }
        truncate(path, 5 * 4_096)
        #expect(throws: StorageError.self) { try FileBlockStorage(path: path, blockCount: nil) }
    }

    @Test func saysInWordsWhatIsWrongWithThePath() throws {
        let missing = folder.path("none/journal.ring")
        let error = #expect(throws: StorageError.self) {
            try FileBlockStorage(path: missing, blockCount: 4)
        }
        #expect(error == .absent(path: missing))
        #expect(error?.description.contains("make the folder") == true)
        #expect(throws: StorageError.absent(path: missing)) {
            try FileBlockStorage(path: missing, blockCount: nil)
        }
        #expect(throws: StorageError.self) {
            try FileBlockStorage(path: folder.path, blockCount: 4)
        }
        // The kernel's own read-only folder, for root and for everybody else.
        let error2 = #expect(throws: StorageError.self) {
            try FileBlockStorage(path: "/proc/journal.ring", blockCount: 4)
        }
        #expect(error2 == .absent(path: "/proc/journal.ring"))
    }
}

@Suite struct SharedMemoryFileTests {
    @Test func outlivesTheObjectThatWrote() throws {
        let folder = try TestFolder()
        let path = folder.path("tail")
        try SharedMemoryFile(path: path, byteCount: 8_192).write([1, 2, 3], at: 8_189)
        let second = try SharedMemoryFile(path: path, byteCount: 8_192)
        #expect(second.read(8_188..<8_192) == [0, 1, 2, 3])
    }

    @Test func startsAgainWithZerosWhenTheSizeIsAnother() throws {
        let folder = try TestFolder()
        let path = folder.path("tail")
        try SharedMemoryFile(path: path, byteCount: 4_096).write([1], at: 0)
        let other = try SharedMemoryFile(path: path, byteCount: 8_192)
        #expect(other.read(0..<8_192).allSatisfy { $0 == 0 })
    }

    @Test func saysThatTheFolderIsMissing() throws {
        let folder = try TestFolder()
        let path = folder.path("none/tail")
        #expect(throws: StorageError.absent(path: path)) {
            try SharedMemoryFile(path: path, byteCount: 4_096)
        }
    }

    @Test func knowsWhetherItLiesInMemory() throws {
        try #require(access("/dev/shm", W_OK) == 0)
        let path = "/dev/shm/roost-test-\(getpid())"
        defer { unlink(path) }
        #expect(try SharedMemoryFile(path: path, byteCount: 4_096).isInMemory)
    }
}
