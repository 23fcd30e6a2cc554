import HardwareIO

/// Why a disk gets no partition for the journal, or why none is removed.
package enum PartitionRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// Neither GPT nor MBR.
    case noTable
    /// The whole disk holds a file system, without a table.
    case fileSystem(String)
    case damaged(String)
    /// An MBR that repeats partitions of a GPT.
    case hybrid
    /// A table without a partition.
    case empty
    case smallGap(byteCount: UInt64)
    /// The gap is not zero; `kind` says what it looks like.
    case gapInUse(byteOffset: UInt64, kind: String?)
    /// Every entry of the table is in use: all four of an MBR, or all of a GPT.
    case noFreeEntry(count: Int)
    /// The disk has no partition to remove.
    case notThere
    case storage(StorageError)

    /// A constant for programs.
    package var code: String {
        switch self {
        case .noTable: "noTable"
        case .fileSystem: "fileSystem"
        case .damaged: "damaged"
        case .hybrid: "hybrid"
        case .empty: "empty"
        case .smallGap: "smallGap"
        case .gapInUse: "gapInUse"
        case .noFreeEntry: "noFreeEntry"
        case .notThere: "notThere"
        case .storage: "storage"
        }
    }

    package var description: String {
        switch self {
        case .noTable: "there is no partition table (neither GPT nor MBR)"
        case .fileSystem(let name): "the whole disk is one \(name) file system, without a table"
        case .damaged(let what): "the partition table is damaged: \(what)"
        case .hybrid: "the MBR repeats partitions of the GPT (a hybrid), which two tables describe"
        case .empty: "the table has no partition, so there is no gap before the first"
        case .smallGap(let byteCount):
            "the gap before the first partition has \(byteCount >> 10) KiB to use, "
                + "and the journal needs 1024"
        case .gapInUse(let byteOffset, let kind):
            "the gap before the first partition is not empty: "
                + "data at byte \(byteOffset)\(kind.map { ", \($0)" } ?? "")"
        case .noFreeEntry(let count): "all \(count) entries of the partition table are in use"
        case .notThere: "there is no partition for the journal"
        case .storage(let error): "\(error)"
        }
    }

    package var nextStep: String {
        let file = "leave the journal in the store's folder"
        return switch self {
        case .noTable, .fileSystem, .empty:
            "name the disk that the system starts from, or \(file)"
        case .damaged:
            "look at it with `sudo fdisk -l`, repair it (`sudo gdisk`, command v, for a GPT), "
                + "and try again"
        case .hybrid, .noFreeEntry, .smallGap: file
        case .gapInUse:
            "\(file): some boards keep their boot loader there, and Roost overwrites nothing"
        case .notThere: "nothing to do"
        case .storage: "see `sudo dmesg | tail`"
        }
    }
}
