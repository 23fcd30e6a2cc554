import HardwareIO
import Provisioning

/// Facts about a card of Roost, or the image of one, that can be read without a mount.
///
/// - Source: packaging/image/build/card.bash, which lays it out.
struct DoctorMedium {
    /// A partition that holds a root.
    struct Root: Hashable {
        let slot: RootSlot
        let byteCount: UInt64
        let superblock: ExtSuperblock?
    }

    /// Disk number by which the start of the card finds it.
    static let diskNumber: UInt32 = 0x0A05_7E00

    let layout: CardLayout?
    let sectorCount: UInt64
    let boot: FATVolume?
    let roots: [Root]
    let journal: JournalPartition?
    let data: ExtSuperblock?
    let slots: BootSlots

    /// - Throws: `StorageError` when the card cannot be read at all.
    init(_ disk: some DiskSectors) throws(StorageError) {
        let layout = try CardLayout.read(disk)
        (self.layout, sectorCount) = (layout, disk.sectorCount)
        func part(_ number: Int) -> CardLayout.Partition? {
            layout?.partitions.first { $0.number == number && $0.first < disk.sectorCount }
        }
        func head(_ number: Int) -> [UInt8] {
            guard let part = part(number), part.first + 8 <= disk.sectorCount else { return [] }
            return (try? disk.read(part.first, count: 8)) ?? []
        }
        let boot = part(1).flatMap { FATVolume(disk, first: $0.first) }
        self.boot = boot
        roots = RootSlot.allCases.map { slot in
            Root(
                slot: slot,
                byteCount: (part(slot.rawValue)?.sectorCount ?? 0) * 512,
                superblock: ExtSuperblock(head(slot.rawValue))
            )
        }
        journal = JournalPartition(head(5))
        data = ExtSuperblock(head(6))
        func text(_ name: String) -> String? {
            boot?.bytes(name, limit: 4_096).map { String(decoding: $0, as: UTF8.self) }
        }
        slots = BootSlots(slotText: text("slot.txt"), triedText: text("tried.txt"))
    }
}
