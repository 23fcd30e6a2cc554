import Provisioning

/// Writes an update to the root that does not run, so that a power cut at any write leaves a card
/// that starts.
///
/// 1. The boot partition says that the running root is the good one, and none is on trial.
/// 2. The other root's first piece is wiped: without its superblock it is no file system.
/// 3. All pieces but the first are written, and their sum is compared.
/// 4. The first piece is written, and the whole is read back from the card and compared.
/// 5. The boot partition says that the other root is to be tried once.
struct UpdateInstall: ~Copyable {
    /// Bytes of one write, and of the piece that is written last.
    static let pieceByteCount = 1 << 20
    /// Pieces that wait in memory for the card at most.
    private static let unflushedPieceCountMax = 8

    let target: RootSlot
    /// Bytes of the root that were taken so far, in order.
    private(set) var byteCount = 0
    private let root: UpdateManifest.Content
    private let card: any UpdateCard
    private let pieceByteCount: Int
    private var slots: BootSlots
    private var digest = UpdateDigest()
    private var first: [UInt8] = []
    private var piece: [UInt8] = []
    private var writtenByteCount = 0
    private var unflushedPieceCount = 0

    /// - Parameters:
    ///   - root: What is to be on the partition.
    ///   - slots: What the boot partition says.
    ///   - running: The root that runs, and is left alone.
    ///   - pieceByteCount: Bytes of one write, a multiple of 4096.
    init(
        _ root: UpdateManifest.Content,
        on card: any UpdateCard,
        slots: BootSlots,
        running: RootSlot,
        pieceByteCount: Int = pieceByteCount
    ) {
        precondition(pieceByteCount > 0 && pieceByteCount % 4_096 == 0, "whole blocks")
        (self.root, self.card, self.slots, target) = (root, card, slots, running.other)
        self.pieceByteCount = pieceByteCount
    }

    /// Makes the running root the only one to start, and the other one none.
    mutating func begin() throws(UpdateError) {
        let settled = slots.settled(on: target.other)
        if settled.good != slots.good || slots.trial != nil {
            try card.writeSlots(settled.sector)
            slots = settled
        }
        try wipe()
    }

    private func wipe() throws(UpdateError) {
        let zeros = [UInt8](repeating: 0, count: min(pieceByteCount, root.size))
        try card.write(zeros, at: 0, of: target)
        try card.flush(target)
    }

    /// Writes what comes next of the root.
    mutating func add(_ bytes: [UInt8]) throws(UpdateError) {
        byteCount += bytes.count
        guard byteCount <= root.size else {
            throw .damaged("the root is longer than the manifest says: fetch the file again")
        }
        digest.add(bytes)
        piece += bytes
        while piece.count >= pieceByteCount {
            try put(Array(piece.prefix(pieceByteCount)))
            piece.removeFirst(pieceByteCount)
        }
    }

    private mutating func put(_ bytes: [UInt8]) throws(UpdateError) {
        let offset = writtenByteCount
        writtenByteCount += bytes.count
        guard offset > 0 else {
            first = bytes
            return
        }
        try card.write(bytes, at: offset, of: target)
        unflushedPieceCount += 1
        guard unflushedPieceCount >= Self.unflushedPieceCountMax else { return }
        try card.flush(target)
        unflushedPieceCount = 0
    }

    /// Completes the root, compares it, and has it tried at the next start.
    ///
    /// - Parameter progress: Is given the bytes compared so far.
    /// - Returns: What the boot partition says now.
    /// - Throws: `UpdateError`; the root that was written is then none, and nothing is tried.
    consuming func finish(
        _ progress: (Int) -> Void = { _ in }
    ) throws(UpdateError) -> BootSlots {
        if !piece.isEmpty { try put(piece) }
        guard byteCount == root.size else {
            throw .damaged("the root has \(byteCount) of \(root.size) bytes: fetch the file again")
        }
        let (root, card, target) = (root, card, target)
        let (first, next) = (first, slots.trying(target))
        guard digest.finish() == root.sha256 else {
            throw .damaged("the root has other bytes than the manifest says: fetch the file again")
        }
        try card.flush(target)
        try card.write(first, at: 0, of: target)
        try card.flush(target)
        guard try Self.sum(root.size, card, target, progress) == root.sha256 else {
            try card.write([UInt8](repeating: 0, count: first.count), at: 0, of: target)
            try card.flush(target)
            throw .failed(
                "the card gives back other bytes than were written: replace it soon; "
                    + "nothing was changed"
            )
        }
        try card.writeSlots(next.sector)
        return next
    }

    private static func sum(
        _ size: Int,
        _ card: any UpdateCard,
        _ slot: RootSlot,
        _ progress: (Int) -> Void
    ) throws(UpdateError) -> String {
        var digest = UpdateDigest()
        var offset = 0
        while offset < size {
            let count = min(pieceByteCount, size - offset)
            digest.add(try card.read(offset, count: count, of: slot))
            offset += count
            progress(offset)
        }
        return digest.finish()
    }
}
