import Testing

@testable import Eyes

@Suite struct JPEGSplitterTests {
    /// A JPEG by its markers, with a small one in a segment of its own, as cameras write them.
    static func jpeg(_ number: UInt8, hasThumbnail: Bool = true) -> [UInt8] {
        let small: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDA, 0x00, 0x02, 1, 0xFF, 0xD9]
        let inner = hasThumbnail ? small : [number]
        var bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE1, 0, UInt8(inner.count + 2)] + inner
        bytes += [0xFF, 0xFF, 0xDA, 0, 3, number]
        // A zero behind FF, a restart marker, FF before a marker, and a second scan.
        bytes += [5, 0xFF, 0x00, number, 0xFF, 0xD3, 7, 0xFF, 0xFF, 0xC4, 0, 2]
        bytes += [0xFF, 0xDA, 0, 2, 9]
        return bytes + [0xFF, 0xD9]
    }

    private static let stream = (1...5 as ClosedRange<UInt8>).map { jpeg($0) }

    @Test(arguments: 1...40) func piecesOfEachSizeGiveTheSame(size: Int) {
        var splitter = JPEGSplitter(byteMax: 1_000)
        let bytes = Self.stream.flatMap(\.self)
        var found: [[UInt8]] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            found += splitter.append(bytes[start..<min(start + size, bytes.count)])
        }
        #expect(found == Self.stream)
    }

    @Test(
        arguments: [
            [], [0], [0xFF], [0xFF, 0xD8], [0xFF, 0xD8, 0xFF], [0xFF, 0xD8, 0x11], [0xFF, 0xD9],
            Array("garbage".utf8), [0xFF, 0xD8, 0xFF, 0xE0, 0, 1],
        ] as [[UInt8]]
    )
    func garbageBetweenPicturesIsPassedOver(garbage: [UInt8]) {
        for size in [1, 3, 1_000] {
            var splitter = JPEGSplitter(byteMax: 1_000)
            let bytes = garbage + Self.stream.flatMap { $0 + garbage }
            var found: [[UInt8]] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                found += splitter.append(bytes[start..<min(start + size, bytes.count)])
            }
            #expect(found == Self.stream, "\(garbage) by \(size)")
        }
    }

    @Test func aPictureThatNeverEndsIsDroppedAndCounted() {
        var splitter = JPEGSplitter(byteMax: 100)
        #expect(splitter.append([0xFF, 0xD8, 0xFF, 0xDA, 0, 2]).isEmpty)
        for _ in 0..<20 { #expect(splitter.append([UInt8](repeating: 7, count: 10)).isEmpty) }
        #expect(splitter.tooLargeCount == 1)
        #expect(splitter.append(Self.stream[0]) == [Self.stream[0]])
    }
}
