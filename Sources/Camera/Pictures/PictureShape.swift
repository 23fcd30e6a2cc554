import HardwareIO

/// The layout of a ring of pictures on the card: a block that says so, then slots of equal size.
package struct PictureShape: Hashable, Sendable {
    static let magic = Array("ROOST-PICTURES-1".utf8)
    package static let blockSize = 4_096

    /// Number of pictures that fit.
    package let slotCount: Int
    /// Blocks of a slot: one for its header, the others for the picture.
    let slotBlocks: Int

    /// Room for one picture of 4 KiB.
    package static let smallest = PictureShape(slotCount: 1, slotBlocks: 2)

    private init(slotCount: Int, slotBlocks: Int) {
        (self.slotCount, self.slotBlocks) = (slotCount, slotBlocks)
    }

    /// The shape that fits into some megabytes.
    ///
    /// - Parameters:
    ///   - megabytes: 1…4 096, of 1 048 576 bytes.
    ///   - count: 1…10 000 pictures; nil when a slot would be smaller than 8 KiB.
    package init?(megabytes: Int, count: Int) {
        slotCount = count
        slotBlocks = ((megabytes << 20) / Self.blockSize - 1) / count
        guard slotBlocks >= 2 else { return nil }
    }

    /// Reads a ring's first block; nil when it has no shape yet.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count >= 28, bytes.starts(with: Self.magic) else { return nil }
        var input = LittleEndianReader(bytes[Self.magic.count...])
        (slotCount, slotBlocks) = (Int(input.number(4)), Int(input.number(4)))
        guard UInt32(input.number(4)) == CRC32.checksum(bytes[..<24]),
            (1...10_000).contains(slotCount), (2...(1 << 20)).contains(slotBlocks)
        else { return nil }
    }

    /// Blocks of the whole ring.
    package var blockCount: Int { 1 + slotCount * slotBlocks }
    /// Bytes of a picture, at most.
    package var pictureMax: Int { (slotBlocks - 1) * Self.blockSize }

    func block(ofSlot slot: Int) -> Int { 1 + slot * slotBlocks }

    /// The first block's header, 512 bytes.
    var header: [UInt8] {
        var bytes = Self.magic
        bytes.append(littleEndian: UInt64(slotCount), 4)
        bytes.append(littleEndian: UInt64(slotBlocks), 4)
        bytes.append(littleEndian: UInt64(CRC32.checksum(bytes)), 4)
        return bytes + [UInt8](repeating: 0, count: 512 - bytes.count)
    }
}
