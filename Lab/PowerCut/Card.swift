import Core

/// The files of one folder on a card: what is safe, and what has only been asked for.
struct Card {
    /// Name to bytes.
    typealias Files = [String: FileImage]

    /// A hash of names and bytes, good within this process.
    static func digest(_ files: Files) -> Int {
        var hasher = Hasher()
        for (name, image) in files.sorted(by: { $0.key < $1.key }) {
            hasher.combine(name)
            hasher.combine(image)
        }
        return hasher.finalize()
    }

    /// The content of a file, independent of its name.
    private struct Content {
        var synced = FileImage()
        /// Changes since the last sync, in order.
        var pending: [Change] = []
        /// Bytes after every pending change.
        var byteCount = 0
    }

    private enum Change {
        case write(offset: Int, bytes: [UInt8])
        case truncate(byteCount: Int)
    }

    /// A change of names that happens as a whole or not at all.
    private struct NameChange {
        let removed: String?
        let added: String?
        let content: Int
    }

    let nameDurability: NameDurability
    private var contents: [Content] = []
    private var names: [String: Int] = [:]
    private var syncedNames: [String: Int] = [:]
    private var pendingNames: [NameChange] = []

    init(_ files: Files, nameDurability: NameDurability) {
        self.nameDurability = nameDurability
        for (name, bytes) in files {
            names[name] = contents.count
            contents.append(Content(synced: bytes, byteCount: bytes.byteCount))
        }
        syncedNames = names
    }

    /// Whether every model keeps the same.
    var isSettled: Bool {
        pendingNames.isEmpty && contents.allSatisfy(\.pending.isEmpty)
    }

    mutating func apply(_ operation: PowerCutOperation) {
        switch operation {
        case .create(let name):
            contents.append(Content())
            change(NameChange(removed: nil, added: name, content: contents.count - 1))
        case .delete(let name):
            change(NameChange(removed: name, added: nil, content: content(of: name)))
        case .rename(let name, let other):
            change(NameChange(removed: name, added: other, content: content(of: name)))
        case .write(let name, let offset, let bytes):
            let index = content(of: name)
            contents[index].pending.append(.write(offset: offset, bytes: bytes))
            contents[index].byteCount = max(contents[index].byteCount, offset + bytes.count)
        case .truncate(let name, let byteCount):
            let index = content(of: name)
            contents[index].pending.append(.truncate(byteCount: byteCount))
            contents[index].byteCount = byteCount
        case .sync(let name):
            let index = content(of: name)
            for change in contents[index].pending { Self.apply(change, &contents[index].synced) }
            contents[index].pending = []
            if nameDurability == .afterAnySync { syncNames() }
        case .syncFolder: syncNames()
        case .acknowledge: break
        }
    }

    /// The files on the card after the power is back.
    ///
    /// The random models throw other dice at each position of the cut.
    func survivors(_ model: CardModel, at position: Int) -> Files {
        var choice = Choice(model, position)
        var kept = syncedNames
        for change in pendingNames where choice.keepsNames() { Self.apply(change, &kept) }
        // In the order of names: the choices must not hang on the order of a dictionary.
        var files: Files = [:]
        for (name, index) in kept.sorted(by: { $0.key < $1.key }) {
            files[name] = survivor(contents[index], &choice)
        }
        return files
    }

    private func survivor(_ content: Content, _ choice: inout Choice) -> FileImage {
        guard !content.pending.isEmpty else { return content.synced }
        var bytes = content.synced
        for change in content.pending {
            switch change {
            case .truncate: if choice.keepsChange() { Self.apply(change, &bytes) }
            case .write(let offset, let written) where choice.tears:
                for sector in Self.sectors(offset, written) where choice.keepsChange() {
                    Self.apply(sector, &bytes)
                }
            case .write: if choice.keepsChange() { Self.apply(change, &bytes) }
            }
        }
        if choice.fillsWithZeros(), bytes.byteCount < content.byteCount {
            bytes.resize(content.byteCount)
        }
        return bytes
    }

    /// The write as one for each sector of the card that it touches.
    private static func sectors(_ offset: Int, _ bytes: [UInt8]) -> [Change] {
        var (changes, start) = ([Change](), offset)
        while start < offset + bytes.count {
            let size = CardModel.sectorSize
            let end = min((start / size + 1) * size, offset + bytes.count)
            let part = bytes[start - offset..<end - offset]
            changes.append(.write(offset: start, bytes: [UInt8](part)))
            start = end
        }
        return changes
    }

    private static func apply(_ change: Change, _ bytes: inout FileImage) {
        switch change {
        case .write(let offset, let written): bytes.write(written, at: offset)
        case .truncate(let byteCount): bytes.resize(byteCount)
        }
    }

    private static func apply(_ change: NameChange, _ names: inout [String: Int]) {
        // A name given meanwhile to another file is not this change's to remove.
        if let removed = change.removed, names[removed] == change.content { names[removed] = nil }
        if let added = change.added { names[added] = change.content }
    }

    private mutating func change(_ change: NameChange) {
        Self.apply(change, &names)
        pendingNames.append(change)
    }

    private mutating func syncNames() {
        syncedNames = names
        pendingNames = []
    }

    /// The content under a name; an empty one for a file that came there unseen.
    private mutating func content(of name: String) -> Int {
        if let index = names[name] { return index }
        contents.append(Content())
        change(NameChange(removed: nil, added: name, content: contents.count - 1))
        return contents.count - 1
    }
}

/// A model's decisions, in the order they are asked for.
private struct Choice {
    private let model: CardModel
    private var random: SplitMix64

    init(_ model: CardModel, _ position: Int) {
        self.model = model
        switch model {
        case .random(let seed), .torn(let seed):
            var dice = SplitMix64(seed: seed)
            random = SplitMix64(seed: dice.next() &+ UInt64(position))
        case .nothing, .everything, .namesOnly: random = SplitMix64(seed: 0)
        }
    }

    var tears: Bool {
        if case .torn = model { true } else { false }
    }

    mutating func keepsNames() -> Bool {
        switch model {
        case .nothing: false
        case .everything, .namesOnly: true
        case .random, .torn: toss()
        }
    }

    mutating func keepsChange() -> Bool {
        switch model {
        case .nothing, .namesOnly: false
        case .everything: true
        case .random, .torn: toss()
        }
    }

    mutating func fillsWithZeros() -> Bool {
        switch model {
        case .nothing, .everything, .namesOnly: false
        case .random, .torn: toss()
        }
    }

    private mutating func toss() -> Bool { random.next() & 1 == 1 }
}
