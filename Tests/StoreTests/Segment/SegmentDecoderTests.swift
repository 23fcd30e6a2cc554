import Core
import Testing

@testable import Store

@Suite struct SegmentDecoderTests {
    @Test(arguments: SegmentSamples.Air.allCases, SegmentSamples.Rhythm.allCases)
    func readsBackExactlyWhatWasWritten(
        air: SegmentSamples.Air,
        rhythm: SegmentSamples.Rhythm
    ) throws {
        for (channels, count) in [(1, 5), (2, 1_200), (3, 600), (7, 90), (16, 60)] {
            let seed = UInt64(channels)
            let samples = SegmentSamples(
                seed: seed,
                count: count,
                channels: channels,
                rhythm,
                air
            )
            let segment = samples.encoder.finished()
            #expect(try rows(of: segment, decimals: samples.decimals) == samples.rows)
            #expect(try rowsInPieces(of: segment, decimals: samples.decimals) == samples.rows)
        }
    }

    @Test func readsAnEmptySegment() throws {
        let segment = SegmentEncoder(decimals: [2], startingAt: Tick(tenths: -3)).finished()
        var decoder = try SegmentDecoder(segment, decimals: [2])
        #expect(decoder.count == 0)
        #expect(decoder.start == Tick(tenths: -3))
        #expect(try decoder.next() == nil)
        #expect(try decoder.next() == nil)
    }

    @Test func keepsTheFarthestTicksAndTheLargestSteps() throws {
        let bound = SegmentFormat.maximumTick
        let ends = [Int64.min, .max, 0, .min, -1, .max, .min, .min, 1]
        var encoder = SegmentEncoder(decimals: [9], startingAt: Tick(tenths: -bound))
        var written: [SegmentRow] = []
        for (index, mantissa) in ends.enumerated() {
            let tick = Tick(tenths: index < 4 ? -bound : bound)
            let row = SegmentRow(tick, [.value(FixedPoint(mantissa, decimals: 9))])
            encoder.append(row.tick, row.outcomes)
            written.append(row)
        }
        #expect(try rows(of: encoder.finished(), decimals: [9]) == written)
    }

    @Test func refusesASegmentOfOtherChannels() {
        let segment = SegmentEncoder(decimals: [1, 1], startingAt: Tick(tenths: 0)).finished()
        for decimals in [[1], [1, 2], [1, 1, 1], []] {
            #expect(throws: CodecError(.otherChannels, at: 1)) {
                try SegmentDecoder(segment, decimals: decimals)
            }
        }
    }

    @Test func refusesANewerVersion() {
        var segment = SegmentEncoder(decimals: [1], startingAt: Tick(tenths: 0)).finished()
        segment[0] = 2
        #expect(throws: CodecError(.unknownVersion(2), at: 0)) {
            try SegmentDecoder(segment, decimals: [1])
        }
    }

    @Test func boundsTheRowsASegmentMayClaim() {
        let claim: [UInt8] = [0x81, 0x80, 0x40]  // 2^20 + 1.
        #expect(throws: CodecError(.outOfRange, at: 3)) {
            try SegmentDecoder([1, 1, 1] + claim + [0, 0, 0], decimals: [1])
        }
    }

    /// Invalid bytes after the header of one channel with one decimal from tick 0.
    @Test(arguments: [
        (count: 2, first: 0, exceptions: [0x06], CodecError(.unknownCode(6), at: 7)),
        (2, 0, [0x07], CodecError(.unknownCode(7), at: 7)),
        (2, 0, [0x10, 0x0A], CodecError(.outOfRange, at: 7)),  // Two rows on: behind the last.
        (2, 0, [0x00], CodecError(.truncated, at: 8)),
        (2, 0, [0x03], CodecError(.unexpected, at: 7)),
        (2, 0, [0x02, 0x02], CodecError(.unexpected, at: 8)),
        (2, 0, [0x02, 0x00, 0x0A], CodecError(.unexpected, at: 8)),
        (2, 0, [0x04, 0x10, 0x00], CodecError(.otherChannels, at: 8)),
        (2, 0, [0x04, 0x0A, 0x00], CodecError(.outOfRange, at: 8)),
        (2, 0, [0x04, 0x01, 0x80, 0x80, 0x04], CodecError(.outOfRange, at: 9)),
        (2, 0, [0x05, 0x0F], CodecError(.unknownCode(15), at: 8)),
        (2, 0, [0x05], CodecError(.truncated, at: 8)),
    ])
    func namesTheByteThatMakesNoSense(
        count: UInt8,
        first: UInt8,
        exceptions: [UInt8],
        error: CodecError
    ) {
        let header: [UInt8] = [1, 1, 1, count, 0, first, UInt8(exceptions.count)]
        #expect(throws: error) {
            try rows(of: header + exceptions + [0xFF, 0xFF], decimals: [1])
        }
    }

    @Test func refusesTimeBeyondItsBound() {
        let bound = SegmentFormat.maximumTick
        var header: [UInt8] = [1, 1, 1, 2]
        Varint.append(Varint.zigzag(bound), to: &header)
        let rest: [UInt8] = [0, 4, 0x05, 0x00, 0x08, 0x01]  // No data; one tick later.
        #expect(throws: CodecError.self) { try rows(of: header + rest, decimals: [1]) }
    }

    @Test func refusesWhatIsLeftOver() {
        let samples = SegmentSamples(seed: 1, count: 100, channels: 2, .jittering, .gappy)
        let segment = samples.encoder.finished()
        #expect(throws: CodecError(.trailingBytes, at: segment.count)) {
            try rows(of: segment + [0], decimals: samples.decimals)
        }
    }

    @Test(arguments: SegmentSamples.Air.allCases)
    func refusesATruncatedSegmentWhereverItEnds(air: SegmentSamples.Air) throws {
        for rhythm in SegmentSamples.Rhythm.allCases {
            let samples = SegmentSamples(seed: 2, count: 60, channels: 2, rhythm, air)
            let segment = samples.encoder.finished()
            for count in segment.indices {
                #expect(throws: CodecError.self) {
                    try rows(of: Array(segment[..<count]), decimals: samples.decimals)
                }
            }
        }
    }

    @Test(arguments: 0..<8)
    func survivesRandomBytes(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var survivors = 0
        for _ in 0..<800 {
            let size = Int.random(in: 0...120, using: &random)
            var bytes = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
            // Most begin well, or nothing but the first byte would ever be tested.
            let channels = Int.random(in: 1...16, using: &random)
            let head = [1, UInt8(channels)] + [UInt8](repeating: 0, count: (channels + 1) / 2)
            if size > 40 { bytes.replaceSubrange(0..<head.count, with: head) }
            let decimals = [Int](repeating: 0, count: channels)
            survivors += Self.readAll(bytes, decimals)
        }
        #expect(survivors > 0)
    }

    @Test(arguments: SegmentSamples.Air.allCases, SegmentSamples.Rhythm.allCases)
    func survivesMutatedSegments(
        air: SegmentSamples.Air,
        rhythm: SegmentSamples.Rhythm
    ) throws {
        var random = SplitMix64(seed: 3)
        var survivors = 0
        for channels in [1, 2, 5] {
            let samples = SegmentSamples(seed: 4, count: 60, channels: channels, rhythm, air)
            let segment = samples.encoder.finished()
            for _ in 0..<100 {
                var bytes = segment
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let index = Int.random(in: 2..<bytes.count, using: &random)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &random)
                    case 1: bytes[index] = .random(in: 0...255, using: &random)
                    case 2: bytes.insert(.random(in: 0...255, using: &random), at: index)
                    default: if bytes.count > 3 { bytes.remove(at: index) }
                    }
                }
                survivors += Self.readAll(bytes, samples.decimals)
            }
        }
        #expect(survivors > 0)
    }

    /// Reads all it can: rows in order and as many as claimed, or an error at one of the bytes.
    ///
    /// - Returns: 1 when there were rows, else 0.
    private static func readAll(_ bytes: [UInt8], _ decimals: [Int]) -> Int {
        var count = 0
        do throws(CodecError) {
            var decoder = try SegmentDecoder(bytes, decimals: decimals)
            var (piece, previous) = (SegmentRows(), decoder.start)
            while try decoder.nextRows(into: &piece) {
                count += piece.count
                #expect(piece.count > 0 && piece.tick(0) >= previous)
                previous = piece.tick(piece.count - 1)
            }
            #expect(count == decoder.count)
        } catch {
            #expect((0...bytes.count).contains(error.offset), "\(error)")
        }
        return count > 0 ? 1 : 0
    }
}
