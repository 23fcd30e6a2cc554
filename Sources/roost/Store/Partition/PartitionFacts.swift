import HardwareIO

/// A partition that is to become the journal's, as the kernel and blkid describe it.
struct PartitionFacts: Hashable {
    /// Why a partition is not marked.
    enum Refusal: Hashable {
        /// The content has a name that blkid knows, such as `ext4`.
        case inUse(String)
        case otherType(String?)
        case wrongSize(byteCount: UInt64)
        /// A byte is not zero, at this offset.
        case notEmpty(byteOffset: Int)

        /// A constant for programs.
        var code: String {
            switch self {
            case .inUse: "inUse"
            case .otherType: "otherType"
            case .wrongSize: "wrongSize"
            case .notEmpty: "notEmpty"
            }
        }
    }

    let path: String
    let disk: String
    /// Number of the partition in the disk's table, from 1.
    let number: Int
    let sectorCount: UInt64
    /// Tags that blkid found, by their names: `TYPE` is `ext4`.
    let tags: [String: String]
    /// Offset of the first byte that is not zero; nil while none was found.
    var firstByte: Int?

    /// Reads the output of `blkid -p -o export`: lines such as `TYPE=ext4`.
    static func tags(_ text: String) -> [String: String] {
        let pairs = text.split(separator: "\n").compactMap { line -> (String, String)? in
            let parts = line.split(separator: "=", maxSplits: 1)
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
        return Dictionary(pairs) { first, _ in first }
    }

    /// The type that the journal's partition has in a table of this kind; nil for another kind.
    private var wantedType: String? {
        tags["PART_ENTRY_SCHEME"].flatMap { JournalPartition.types[$0] }
    }

    var hasJournalType: Bool {
        wantedType != nil && wantedType == tags["PART_ENTRY_TYPE"]
    }

    /// The first reason against it; nil for a partition that can be marked.
    var refusal: Refusal? {
        if let name = tags["TYPE"] ?? tags["PTTYPE"] { return .inUse(name) }
        guard hasJournalType else { return .otherType(tags["PART_ENTRY_TYPE"]) }
        guard JournalPartition.sectorCounts.contains(sectorCount) else {
            return .wrongSize(byteCount: sectorCount * 512)
        }
        return firstByte.map { .notEmpty(byteOffset: $0) }
    }

    /// The mark of a ring that has the partition for itself.
    func mark(blockSize: Int) -> JournalPartition {
        let blockCount = Int(clamping: sectorCount * 512) / blockSize - 1
        return JournalPartition(blockSize: blockSize, blockCount: blockCount)
    }

    func sentence(_ refusal: Refusal) -> String {
        switch refusal {
        case .inUse(let name): "\(path): holds \(name)"
        case .otherType(let type):
            "\(path): its type is \(type ?? "unknown"), not that of a journal"
        case .wrongSize(let byteCount):
            "\(path): has \(byteCount >> 10) KiB, and the journal takes 1024 to 16384"
        case .notEmpty(let byteOffset):
            "\(path): not empty, data at byte \(byteOffset); it may be a boot loader"
        }
    }

    func nextStep(_ refusal: Refusal) -> String {
        let other = "name an empty partition"
        return switch refusal {
        case .inUse, .notEmpty:
            "\(other); if nothing needs what is there: sudo blkdiscard --force --zeroout \(path)"
        case .otherType:
            wantedType.map {
                "\(other) of the type \($0); if this is the one: "
                    + "sudo sfdisk --part-type \(disk) \(number) \($0)"
            } ?? "name a partition of an MBR or a GPT; `sudo sfdisk --list \(disk)` lists them"
        case .wrongSize:
            "\(other) of 1 to 16 MiB; `roost store partition --help` shows how to make one"
        }
    }
}
