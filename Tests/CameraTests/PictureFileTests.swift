import Camera
import Core
import Glibc
import HardwareIO
import TestSupport
import Testing

@testable import SimulationKit

@Suite struct PictureFileTests {
    private static let motion = SeenMotion(
        source: "door",
        time: WallTime(nanoseconds: 5_000_000_000),
        instant: MonotonicInstant(nanoseconds: 7)
    )

    private static func write(_ bytes: [UInt8], to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try #require(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
    }

    @Test func aReaderFindsWhatTheWriterStored() throws {
        let shape = try #require(PictureShape(megabytes: 1, count: 5))
        let card = SimulatedBlockStorage(blockSize: 4_096, blockCount: shape.blockCount)
        let picture = (0..<9_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try PictureRing(card, shape: shape).add(picture, of: Self.motion)
        let folder = try TestFolder(isInMemory: true)
        let path = folder.path("pictures")
        var bytes: [UInt8] = []
        for block in 0..<card.blockCount { bytes += try card.read(block) }
        try Self.write(bytes, to: path)
        let found = try PictureFile.read(path)
        let record = try #require(found.records.first)
        #expect(try found.picture(record) == picture && record.source == "door")
        #expect(throws: StorageError.readOnly(path: path)) { try found.delete(1) }
        #expect(try PictureFile.shape(path) == shape)
    }

    @Test func whatIsNoRingIsNotThere() throws {
        let folder = try TestFolder(isInMemory: true)
        #expect(throws: StorageError.absent(path: folder.path("none"))) {
            try PictureFile.read(folder.path("none"))
        }
        #expect(throws: StorageError.absent(path: folder.path)) {
            try PictureFile.read(folder.path)
        }
        let path = folder.path("short")
        for count in [0, 100, 4_095, 4_096, 20_000] {
            try Self.write([UInt8](repeating: 0, count: count), to: path)
            do {
                _ = try PictureFile.read(path)
                Issue.record("\(count) bytes of zeros are a ring")
            } catch {
                guard case .absent = error else { throw error }
            }
        }
    }
}
