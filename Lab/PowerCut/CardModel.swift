/// The part of operations not yet synced that a card keeps when the power goes.
package enum CardModel: Hashable, Sendable {
    /// Only what was synced.
    case nothing
    /// All of the operations, as if the cut came a little later.
    case everything
    /// Names as they were last, contents as they were synced: new files are empty.
    case namesOnly
    /// Some operations, by the seed; a file may be as long as it was, filled with zeros.
    case random(seed: UInt64)
    /// Like `random`, and of each write only some sectors of 512 bytes survive.
    case torn(seed: UInt64)

    /// Bytes that a card writes whole: the unit of the SD protocol's block address.
    static let sectorSize = 512

    /// The three fixed models, and the two random ones with the seeds given.
    package static func all(seeds: Range<UInt64>) -> [CardModel] {
        [.nothing, .everything, .namesOnly]
            + seeds.map { .random(seed: $0) } + seeds.map { .torn(seed: $0) }
    }
}

extension CardModel: CustomStringConvertible {
    /// Text form, such as `torn-7`.
    package var description: String {
        switch self {
        case .nothing: "nothing"
        case .everything: "everything"
        case .namesOnly: "names"
        case .random(let seed): "random-\(seed)"
        case .torn(let seed): "torn-\(seed)"
        }
    }

    /// Reads what `description` wrote; nil when it is none.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-")
        let seed = parts.count == 2 ? UInt64(parts[1]) : nil
        switch (parts.first, seed) {
        case ("nothing", nil): self = .nothing
        case ("everything", nil): self = .everything
        case ("names", nil): self = .namesOnly
        case ("random", let seed?): self = .random(seed: seed)
        case ("torn", let seed?): self = .torn(seed: seed)
        default: return nil
        }
    }
}

/// When a name that was created, deleted or renamed is safe.
package enum NameDurability: Hashable, Sendable {
    /// Once the folder is synced: all that POSIX promises.
    case afterFolderSync
    /// Once any file in it is synced: as ext4, XFS and others with one journal for names.
    case afterAnySync
}
