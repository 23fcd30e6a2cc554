/// A folder on a card that persists through kills and power cuts.
///
/// Files are written in a scratch folder, through the VFS `PowerCutRecording.vfs` and the
/// Files are written in a scratch folder, through the VFS `PowerCutRecording.vfs` and the
/// `powercut_note` calls; the card's own content is computed from the recording. After
///
/// Unchecked: one simulation is one thread.
package final class LivingCard: @unchecked Sendable {
    /// Counts of writes and syncs since the beginning.
    package struct Wear: Hashable, Sendable {
        package var byteCount = 0
        package var writeCount = 0
        package var syncCount = 0
    }

    private var card: Card
    private var scratch: ScratchFolder
    private var recording: PowerCutRecording
    private var wearSoFar = Wear()
    /// A card that says it has synced and has not.
    package var forgetsSyncs = false { willSet { settle() } }

    /// An empty card.
    package init(nameDurability: NameDurability) throws {
        card = Card([:], nameDurability: nameDurability)
        scratch = try ScratchFolder()
        recording = PowerCutRecording(folder: scratch.path)
    }

    /// Where the files are until the next cut.
    package var folder: String { scratch.path }

    /// Leaves the files where they are when this instance is gone.
    ///
    /// - Returns: Their folder.
    package func keepFiles() -> String {
        scratch.isKept = true
        return scratch.path
    }

    /// Removes the files, unless they are kept: what still holds this instance needs them no more.
    package func discard() { scratch.discard() }

    package var wear: Wear {
        settle()
        return wearSoFar
    }

    /// Operations tried so far in this folder, refused ones too.
    package var triedCount: Int { recording.triedCount }

    /// Refuses operations from `first` on, counted like `triedCount`; nil refuses none.
    package func refuse(_ fault: PowerCutFault?, from first: Int = 0, count: Int = .max) {
        recording.fail(fault ?? .broken, from: fault == nil ? .max : first, count: count)
    }

    /// Sizes of the files by name, as a program sees them.
    package var byteCounts: [String: Int] {
        settle()
        return card.survivors(.everything, at: 0).mapValues(\.byteCount)
    }

    /// Computes the card's content from the latest operations; called regularly to free memory.
    package func settle() {
        for operation in recording.takeOperations() {
            switch operation {
            case .write(_, _, let bytes):
                wearSoFar.byteCount += bytes.count
                wearSoFar.writeCount += 1
            case .sync, .syncFolder:
                if forgetsSyncs { continue }
                wearSoFar.syncCount += 1
            default: break
            }
            card.apply(operation)
        }
    }

    /// Changes bytes of a file without any write, as bit rot does.
    ///
    /// - Parameters:
    ///   - count: Bytes.
    ///   - change: What becomes of each of them.
    /// - Returns: false when there is no such place.
    /// - Throws: `PowerCutError`.
    @discardableResult
    package func rot(
        _ name: String,
        at offset: Int,
        count: Int,
        _ change: (UInt8) -> UInt8 = { $0 ^ 0x5A }
    ) throws -> Bool {
        settle()
        let files = card.survivors(.everything, at: 0)
        guard let file = files[name], offset + count <= file.byteCount else { return false }
        var bytes = Array(file.bytes[offset..<offset + count])
        for index in bytes.indices { bytes[index] = change(bytes[index]) }
        card.apply(.write(name, offset: offset, bytes: bytes))
        card.apply(.sync(name))
        try scratch.overwrite(name, bytes, at: offset)
        return true
    }

    /// A process that died left its files as they were; unsynced writes are still not safe.
    package func leave() throws {
        settle()
        try move(to: card.survivors(.everything, at: 0))
    }

    /// The machine was shut down in order: all is safe.
    package func flush() throws {
        settle()
        let files = card.survivors(.everything, at: 0)
        card = Card(files, nameDurability: card.nameDurability)
        try move(to: files)
    }

    /// The power went; the files are what the model says is left of them.
    ///
    /// - Parameters:
    ///   - model: What the card keeps of what was not synced.
    ///   - number: Of the cut: random models throw other dice at each.
    /// - Throws: `PowerCutError`.
    package func cut(_ model: CardModel, number: Int) throws {
        settle()
        let files = card.survivors(model, at: number)
        card = Card(files, nameDurability: card.nameDurability)
        try move(to: files)
    }

    private func move(to files: Card.Files) throws {
        let next = try ScratchFolder()
        try next.fill(files)
        (scratch, recording) = (next, PowerCutRecording(folder: next.path))
    }
}
