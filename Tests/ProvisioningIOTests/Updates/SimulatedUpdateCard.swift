import Core
import Provisioning

@testable import ProvisioningIO

/// A card whose power is cut at a chosen write.
///
/// What was written since the last flush is on the card or not, each write by chance, and the one
/// that was cut is there in part. The sector of `slot.txt` is there or not.
final class SimulatedUpdateCard: UpdateCard {
    private(set) var roots: [RootSlot: [UInt8]]
    private(set) var slotSector: [UInt8]
    private(set) var triedText = "tried=0\n"
    private(set) var writeCount = 0
    /// The write at which the power is cut; nil for none.
    var cutAt: Int?
    private(set) var isCut = false
    private var pending: [(offset: Int, bytes: [UInt8], slot: RootSlot)] = []
    private var random: SplitMix64
    /// Whether the card gives back other bytes than it was given.
    var lies = false

    init(roots: [RootSlot: [UInt8]], slots: BootSlots, seed: UInt64 = 1) {
        (self.roots, slotSector) = (roots, slots.sector)
        triedText = "tried=\(slots.tried)\n"
        random = SplitMix64(seed: seed)
    }

    private func demandPower() throws(UpdateError) {
        if isCut { throw .failed("no power") }
    }

    /// Whether this write is the one at which the power is cut.
    private func countWrite() -> Bool {
        writeCount += 1
        return writeCount == cutAt
    }

    private func cut(_ last: (offset: Int, bytes: [UInt8], slot: RootSlot)?) {
        isCut = true
        for write in pending where Bool.random(using: &random) { place(write) }
        if let last {
            let count = Int.random(in: 0...last.bytes.count, using: &random)
            place((last.offset, Array(last.bytes.prefix(count)), last.slot))
        }
        pending = []
    }

    private func place(_ write: (offset: Int, bytes: [UInt8], slot: RootSlot)) {
        let end = write.offset + write.bytes.count
        roots[write.slot]?.replaceSubrange(write.offset..<end, with: write.bytes)
    }

    func write(_ bytes: [UInt8], at offset: Int, of slot: RootSlot) throws(UpdateError) {
        try demandPower()
        if countWrite() {
            cut((offset, bytes, slot))
            throw .failed("no power")
        }
        pending.append((offset, bytes, slot))
    }

    func flush(_ slot: RootSlot) throws(UpdateError) {
        try demandPower()
        for write in pending { place(write) }
        pending = []
    }

    func read(_ offset: Int, count: Int, of slot: RootSlot) throws(UpdateError) -> [UInt8] {
        try demandPower()
        var bytes = Array((roots[slot] ?? [])[offset..<(offset + count)])
        if lies { bytes[0] ^= 1 }
        return bytes
    }

    func writeSlots(_ sector: [UInt8]) throws(UpdateError) {
        try demandPower()
        if countWrite() {
            if Bool.random(using: &random) { slotSector = sector }
            cut(nil)
            throw .failed("no power")
        }
        slotSector = sector
    }

    var slots: BootSlots {
        BootSlots(slotText: String(decoding: slotSector, as: UTF8.self), triedText: triedText)
    }

    /// The power comes, and the boot loader decides; every root looks as if it could be started.
    func start() -> RootSlot? {
        isCut = false
        cutAt = nil
        let start = BootStart(slots) { _ in true }
        triedText = "tried=\(start.tried)\n"
        return start.root
    }
}
