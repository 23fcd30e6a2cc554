import Provisioning
import Testing

@Suite struct ExtSuperblockTests {
    /// A superblock with the fields that are read.
    static func partition(state: UInt8 = 1, incompatible: UInt8 = 0x42) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        func put(_ offset: Int, _ values: [UInt8]) {
            bytes.replaceSubrange((1_024 + offset)..<(1_024 + offset + values.count), with: values)
        }
        put(0x4, [0x00, 0x10, 0, 0])
        put(0x18, [2, 0, 0, 0])
        put(0x38, [0x53, 0xEF])
        put(0x3A, [state, 0])
        put(0x60, [incompatible, 0, 0, 0])
        put(0x78, Array("roost-root".utf8))
        return bytes
    }

    @Test func readsSizeStateAndLabel() throws {
        let block = try #require(ExtSuperblock(Self.partition()))
        #expect(block.byteCount == 16 << 20 && block.blockSize == 4_096)
        #expect(block.isClean && !block.hasErrors && !block.needsRecovery)
        #expect(block.label == "roost-root")
        let dirty = try #require(ExtSuperblock(Self.partition(state: 2, incompatible: 0x46)))
        #expect(!dirty.isClean && dirty.hasErrors && dirty.needsRecovery)
    }

    @Test func isNoneWithoutItsMagicOrItsBytes() {
        #expect(ExtSuperblock([UInt8](repeating: 0, count: 4_096)) == nil)
        #expect(ExtSuperblock(Array(Self.partition().prefix(2_047))) == nil)
        #expect(ExtSuperblock([]) == nil)
    }
}
