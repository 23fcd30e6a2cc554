import Provisioning
import TestSupport
import Testing

@Suite struct ExtSuperblockTests {
    @Test func readsSizeStateAndLabel() throws {
        let block = try #require(ExtSuperblock(MadeUpCard.superblock()))
        #expect(block.byteCount == 16 << 20 && block.blockSize == 4_096)
        #expect(block.isClean && !block.hasErrors && !block.needsRecovery)
        #expect(block.label == "roost-root")
        let dirty = try #require(ExtSuperblock(MadeUpCard.superblock(state: 2, incompatible: 0x46)))
        #expect(!dirty.isClean && dirty.hasErrors && dirty.needsRecovery)
    }

    @Test func isNoneWithoutItsMagicOrItsBytes() {
        #expect(ExtSuperblock([UInt8](repeating: 0, count: 4_096)) == nil)
        #expect(ExtSuperblock(Array(MadeUpCard.superblock().prefix(2_047))) == nil)
        #expect(ExtSuperblock([]) == nil)
    }
}
