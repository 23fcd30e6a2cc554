import HardwareIO
import Testing

/// Contract of every `BlockStorage`, whatever its medium.
struct BlockStorageConformance {
    let blockSize: Int
    let blockCount: Int

    /// - Parameters:
    ///   - open: Opens the storage, with zeros the first time.
    ///   - reopened: Opens it as the next process would; nil opens it again.
    /// - Throws: What opening, reading and writing throw.
    func check(
        _ open: () throws -> any BlockStorage,
        reopened: ((any BlockStorage) throws -> any BlockStorage)? = nil
    ) throws {
        let storage = try open()
        #expect(storage.blockSize == blockSize && storage.blockCount == blockCount)
        let blank = [UInt8](repeating: 0, count: blockSize)
        for index in 0..<blockCount { #expect(try storage.read(index) == blank) }

        for index in [4, 0, 2] { try storage.write(index, block(index)) }
        #expect(try storage.read(4) == block(4), "a write is seen before it is synced")
        try storage.write(2, block(7))
        let short = Array(block(9).prefix(512))
        try storage.write(0, short)
        try storage.sync()
        try storage.sync()

        let found = try reopened?(storage) ?? open()
        #expect(try found.read(0) == short + block(0).dropFirst(512), "the rest of a block stays")
        #expect(try found.read(2) == block(7))
        #expect(try found.read(4) == block(4))
        for index in [1, 3] { #expect(try found.read(index) == blank) }
    }

    private func block(_ number: Int) -> [UInt8] {
        (0..<blockSize).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number &* 31 &+ 1) }
    }
}
