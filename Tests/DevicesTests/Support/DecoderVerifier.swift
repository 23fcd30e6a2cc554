import HardwareIO
import Testing

/// Checks a decoder with good frames, split anywhere and with anything between them.
struct DecoderVerifier<Decoder: FrameDecoder> where Decoder.Frame: Equatable {
    /// A good frame: its bytes and what it means.
    struct Sample {
        let bytes: [UInt8]
        let frame: Decoder.Frame
    }

    let samples: [Sample]
    /// Bytes that hold no frame and begin none that swallows a sample.
    let garbage: [[UInt8]]

    func verify(sourceLocation: SourceLocation = #_sourceLocation) {
        let stream = samples.flatMap(\.bytes)
        let frames = samples.map(\.frame)
        expect(frames, from: [stream], "all at once", sourceLocation)
        expect(frames, from: stream.map { [$0] }, "byte by byte", sourceLocation)
        for cut in 0...stream.count {
            let pieces = [Array(stream[..<cut]), Array(stream[cut...])]
            expect(frames, from: pieces, "cut at \(cut)", sourceLocation)
        }
        for rubbish in garbage { verify(around: rubbish, sourceLocation) }
        for sample in samples { verifyTruncation(of: sample, sourceLocation) }
    }

    private func verify(around rubbish: [UInt8], _ location: SourceLocation) {
        let frames = samples.map(\.frame)
        var stream = rubbish
        for sample in samples { stream += sample.bytes + rubbish }
        expect(frames, from: [stream], "between \(rubbish)", location)
        expect(frames, from: stream.map { [$0] }, "between \(rubbish), byte by byte", location)
        for cut in 0...stream.count {
            let pieces = [Array(stream[..<cut]), Array(stream[cut...])]
            expect(frames, from: pieces, "between \(rubbish), cut at \(cut)", location)
        }
        #expect(
            results([stream]) == results(stream.map { [$0] }),
            "rejections depend on how the stream is cut",
            sourceLocation: location
        )
    }

    private func verifyTruncation(of sample: Sample, _ location: SourceLocation) {
        for count in 0..<sample.bytes.count {
            var decoder = Decoder()
            let start = Array(sample.bytes[..<count])
            #expect(frames(decoder.decode(start)).isEmpty, sourceLocation: location)
            #expect(
                decoder.missingByteCount == sample.bytes.count - count,
                sourceLocation: location
            )
            let rest = Array(sample.bytes[count...])
            #expect(frames(decoder.decode(rest)) == [sample.frame], sourceLocation: location)
        }
    }

    private func expect(
        _ expected: [Decoder.Frame],
        from pieces: [[UInt8]],
        _ how: String,
        _ location: SourceLocation
    ) {
        var decoder = Decoder()
        let found = pieces.flatMap { frames(decoder.decode($0)) }
        #expect(found == expected, "\(how)", sourceLocation: location)
        #expect(decoder.missingByteCount >= 1, sourceLocation: location)
    }

    private func results(_ pieces: [[UInt8]]) -> [Decoder.Decoded] {
        var decoder = Decoder()
        return pieces.flatMap { decoder.decode($0) }
    }

    private func frames(_ results: [Decoder.Decoded]) -> [Decoder.Frame] {
        results.compactMap { try? $0.get() }
    }
}
