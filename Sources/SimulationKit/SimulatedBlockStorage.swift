import Core
import HardwareIO

/// A card in memory whose power can end at any write or sync, and which can fail in known ways.
///
/// Reads see what was written, as through the page cache; what is durable is another image.
package final class SimulatedBlockStorage: BlockStorage {
    /// The part of writes not yet synced that survives a power cut.
    package enum Survival: Hashable, Sendable {
        case nothing
        case everything
        /// Whole writes, by the seed.
        case someWrites(seed: UInt64)
        /// Sectors of 512 bytes of each write, by the seed.
        case someSectors(seed: UInt64)
    }

    /// Faults of the card from now on.
    package struct Faults: Hashable, Sendable {
        /// Numbers of writes, from 0, that fail with EIO.
        package var failingWrites: Set<Int> = []
        /// Numbers of syncs, from 0, that fail with EIO; what they were for is lost silently.
        var failingSyncs: Set<Int> = []
        /// Blocks that fail with EIO whenever they are written.
        package var badBlocks: Set<Int> = []
        /// Blocks that fail with EIO whenever they are read.
        var unreadableBlocks: Set<Int> = []
        package var isFull = false
        package var isReadOnly = false
        /// Number of the operation (write or sync, from 0) at which the power ends.
        ///
        /// It has begun, and throws; so does everything after it.
        var powerEndsAt: Int?

        package init() {}
    }

    package let blockSize: Int
    package let blockCount: Int
    package var faults = Faults()

    package private(set) var writeCount = 0
    package private(set) var syncCount = 0
    package private(set) var byteCount = 0
    /// Writes and syncs begun.
    package private(set) var operationCount = 0
    /// Called at each write and sync, for tests that let a card stall.
    var onOperation: () -> Void = {}

    private var visible: [[UInt8]]
    private var durable: [[UInt8]]
    /// Bound: what is written between two syncs.
    private var pending: [Write] = []

    private typealias Write = (index: Int, bytes: [UInt8])

    /// A card with zeros on it.
    package init(blockSize: Int = 4_096, blockCount: Int) {
        let blank = [UInt8](repeating: 0, count: blockSize)
        self.blockSize = blockSize
        self.blockCount = blockCount
        visible = Array(repeating: blank, count: blockCount)
        durable = visible
    }

    private init(_ blocks: [[UInt8]], blockSize: Int) {
        self.blockSize = blockSize
        blockCount = blocks.count
        visible = blocks
        durable = blocks
    }

    /// The card as it is found when the power is back: a new object, with no faults.
    package func afterPowerCut(_ survival: Survival) -> SimulatedBlockStorage {
        var blocks = durable
        switch survival {
        case .nothing: break
        case .everything: for write in pending { Self.apply(write, to: &blocks) }
        case .someWrites(let seed):
            var dice = SplitMix64(seed: seed)
            for write in pending where Bool.random(using: &dice) {
                Self.apply(write, to: &blocks)
            }
        case .someSectors(let seed):
            var dice = SplitMix64(seed: seed)
            for write in pending {
                for start in stride(from: 0, to: write.bytes.count, by: 512)
                where Bool.random(using: &dice) {
                    let sector = start..<start + 512
                    blocks[write.index].replaceSubrange(sector, with: write.bytes[sector])
                }
            }
        }
        return SimulatedBlockStorage(blocks, blockSize: blockSize)
    }

    /// Changes what is durable, as a card that forgets does.
    func corrupt(_ index: Int, _ change: (inout [UInt8]) -> Void) {
        change(&durable[index])
        visible[index] = durable[index]
    }

    package var isReadOnly: Bool { faults.isReadOnly }

    package func read(_ index: Int) throws(StorageError) -> [UInt8] {
        guard !faults.unreadableBlocks.contains(index) else { throw Self.failed("pread") }
        return visible[index]
    }

    package func write(_ index: Int, _ bytes: [UInt8]) throws(StorageError) {
        precondition(bytes.count % 512 == 0 && (512...blockSize).contains(bytes.count))
        if faults.isReadOnly { throw .readOnly(path: "simulated") }
        if faults.isFull { throw .full(path: "simulated") }
        let hasPower = begin()
        let number = writeCount
        writeCount += 1
        guard !faults.failingWrites.contains(number), !faults.badBlocks.contains(index) else {
            throw Self.failed("pwrite")
        }
        if hasPower || operationCount - 1 == faults.powerEndsAt {
            byteCount += bytes.count
            visible[index].replaceSubrange(0..<bytes.count, with: bytes)
            pending.append((index, bytes))
        }
        guard hasPower else { throw Self.failed("pwrite") }
    }

    package func sync() throws(StorageError) {
        guard begin() else { throw Self.failed("fdatasync") }
        let number = syncCount
        syncCount += 1
        guard !faults.failingSyncs.contains(number) else {
            pending.removeAll()  // Linux calls the pages clean after an error, and forgets them.
            throw Self.failed("fdatasync")
        }
        for write in pending { Self.apply(write, to: &durable) }
        pending.removeAll()
    }

    private static func apply(_ write: Write, to blocks: inout [[UInt8]]) {
        blocks[write.index].replaceSubrange(0..<write.bytes.count, with: write.bytes)
    }

    /// Counts an operation; false when there is no power to end it with.
    private func begin() -> Bool {
        defer { operationCount += 1 }
        onOperation()
        return faults.powerEndsAt.map { operationCount < $0 } ?? true
    }

    private static func failed(_ call: String) -> StorageError {
        .failed(call: call, errno: 5, path: "simulated")
    }
}
