/// The medium of the journal's ring, which decides what a block of it costs the card.
package enum JournalMedium: String, CaseIterable, Hashable, Sendable {
    /// A file on ext4 with blocks of 4 KiB.
    case ext4
    /// A file on XFS.
    case xfs
    /// A file on FAT.
    case vfat
    /// A partition of its own: no file system writes along.
    case partition

    /// The medium for the kernel's name of a file system; nil for one that was not measured.
    package init?(fileSystem name: String) {
        switch name {
        case "ext3", "ext4": self = .ext4
        case "xfs": self = .xfs
        case "vfat", "msdos": self = .vfat
        default: return nil
        }
    }

    /// Bytes that the file system writes of its own for each block; docs/measurements/card.md.
    ///
    /// ext4: three blocks of its journal for the file's time, and the inode's.
    var bytesPerBlock: Double {
        switch self {
        case .ext4: 16_384
        case .xfs: 1_024
        case .vfat: 512
        case .partition: 0
        }
    }

    /// Requests beside the block's own.
    var requestsPerBlock: Double {
        switch self {
        case .ext4: 3
        case .xfs, .vfat: 1
        case .partition: 0
        }
    }

    /// Name of the medium for people.
    package var name: String {
        self == .partition ? "its own partition" : "a file on \(rawValue)"
    }
}

extension StorePlan {
    /// The same with the journal on something else.
    package func on(_ medium: JournalMedium) -> StorePlan {
        var plan = self
        plan.journal.medium = medium
        return plan
    }
}
