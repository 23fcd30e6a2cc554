import Core
import HardwareIO
import Provisioning
import TestSupport
import Testing

@Suite struct CardLayoutTests {
    @Test func readsThePartitionsOfAnImage() throws {
        let layout = try #require(try CardLayout.read(MadeUpCard()))
        #expect(layout.diskNumber == 0x0A05_7E00)
        #expect(layout.partitions.map(\.number) == [1, 2, 3, 4, 5, 6])
        #expect(layout.partitions.map(\.type) == [0x0C, 0x83, 0x83, 0x0F, 0xDA, 0x83])
        #expect(layout.partitions.map(\.first) == [64, 4_096, 5_120, 6_144, 7_168, 8_192])
    }

    @Test func readsFilesWithLongNamesOverSeveralClusters() throws {
        var card = MadeUpCard()
        let long = [UInt8]((0..<1_700).map { UInt8(truncatingIfNeeded: $0) })
        card.putFile("roost-said with a very long name.txt", long)
        let boot = try #require(FATVolume(card, first: 64))
        #expect(boot.label == "ROOST")
        #expect(boot.files.count == 10)
        #expect(boot.bytes("ROOST-SAID with a very long name.txt") == long)
        #expect(boot.bytes("slot.txt") == Array("slot=2\n".utf8))
        #expect(boot.bytes("slot.txt", limit: 3) == Array("slo".utf8))
        #expect(boot.bytes("gone.txt") == nil)
    }

    @Test func isNoneWithoutATable() throws {
        var card = MadeUpCard()
        card.put([0, 0], at: 510)
        #expect(try CardLayout.read(card) == nil)
        #expect(FATVolume(card, first: 4_096) == nil)
    }

    @Test func endsInDamagedChains() throws {
        var card = MadeUpCard()
        // The extended partition leads to itself, and the folder to itself.
        card.put([0x0F, 0, 0, 0, 0, 0, 0, 0], at: 6_144 * 512 + 446 + 16 + 4)
        card.put([2, 0, 0, 0], at: 96 * 512 + 8)
        _ = try CardLayout.read(card)
        #expect(FATVolume(card, first: 64) != nil)
    }

    @Test func endsInAChainThatNamesNoPartition() throws {
        var card = MadeUpCard()
        let place = 6_144 * 512 + 446
        card.put([UInt8](repeating: 0, count: 16), at: place)
        // The next sector of the chain, which has no partition either and leads to itself.
        card.put([0x0F, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0], at: place + 16 + 4)
        let next = place + 8 * 512
        card.put([UInt8](repeating: 0, count: 16), at: next)
        card.put([0x0F, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0], at: next + 16 + 4)
        card.put([0x55, 0xAA], at: next - 446 + 510)
        let layout = try #require(try CardLayout.read(card))
        #expect(layout.partitions.map(\.number) == [1, 2, 3, 4])
    }

    @Test func neverTrapsOnChance() throws {
        var random = SplitMix64(seed: 41)
        let good = MadeUpCard()
        for _ in 0..<200 {
            var card = good
            for _ in 0..<20 {
                let area = [
                    446..<512, 64 * 512..<65 * 512, 96 * 512..<97 * 512, 128 * 512..<130 * 512,
                ]
                let range = area[Int.random(in: 0..<area.count, using: &random)]
                let place = Int.random(in: range, using: &random)
                card.bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
            _ = try? CardLayout.read(card)
            let boot = FATVolume(card, first: 64)
            for file in boot?.files ?? [] { _ = boot?.bytes(file.name) }
        }
    }
}
