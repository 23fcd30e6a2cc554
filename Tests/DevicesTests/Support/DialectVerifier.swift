import Testing

@testable import Core
@testable import Devices

/// Checks a dialect with good messages, split anywhere and with anything between them.
struct DialectVerifier {
    /// Valid message of a part: its bytes and their meaning.
    struct Sample {
        let bytes: [UInt8]
        let utterance: SensorUtterance

        init(_ bytes: [UInt8], _ utterance: SensorUtterance) {
            (self.bytes, self.utterance) = (bytes, utterance)
        }
    }

    let dialect: any SensorDialect
    let samples: [Sample]
    /// Bytes that say nothing and begin nothing that swallows a sample.
    let garbage: [[UInt8]]

    func verify(sourceLocation: SourceLocation = #_sourceLocation) {
        let stream = samples.flatMap(\.bytes)
        expect(from: [stream], "all at once", sourceLocation)
        expect(from: stream.map { [$0] }, "byte by byte", sourceLocation)
        for cut in 0...stream.count {
            let pieces = [Array(stream[..<cut]), Array(stream[cut...])]
            expect(from: pieces, "cut at \(cut)", sourceLocation)
        }
        for rubbish in garbage { verify(around: rubbish, sourceLocation) }
        for sample in samples { verifyTruncation(of: sample, sourceLocation) }
    }

    private func verify(around rubbish: [UInt8], _ location: SourceLocation) {
        var stream = rubbish
        for sample in samples { stream += sample.bytes + rubbish }
        expect(from: [stream], "between \(rubbish)", location)
        for cut in 0...stream.count {
            let pieces = [Array(stream[..<cut]), Array(stream[cut...])]
            expect(from: pieces, "between \(rubbish), cut at \(cut)", location)
        }
        var (whole, pieces) = (dialect, dialect)
        #expect(
            whole.decode(stream) == stream.flatMap { pieces.decode([$0]) },
            "rejections depend on how the stream is cut",
            sourceLocation: location
        )
    }

    private func verifyTruncation(of sample: Sample, _ location: SourceLocation) {
        for count in 0..<sample.bytes.count {
            var dialect = dialect
            let start = dialect.decode(Array(sample.bytes[..<count]))
            #expect(start.isEmpty, "after \(count) bytes", sourceLocation: location)
            let missing = sample.bytes.count - count
            #expect((1...missing).contains(dialect.missingByteCount), sourceLocation: location)
            let rest = dialect.decode(Array(sample.bytes[count...]))
            #expect(rest == [sample.utterance], sourceLocation: location)
        }
    }

    private func expect(
        from pieces: [[UInt8]],
        _ how: String,
        _ location: SourceLocation
    ) {
        var dialect = dialect
        let found = pieces.flatMap { dialect.decode($0) }.filter { utterance in
            if case .rejected = utterance { false } else { true }
        }
        #expect(found == samples.map(\.utterance), "\(how)", sourceLocation: location)
        #expect(dialect.missingByteCount >= 1, sourceLocation: location)
    }
}
