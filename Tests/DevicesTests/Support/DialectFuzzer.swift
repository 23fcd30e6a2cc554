import Core
import Devices
import FoundationEssentials
import Testing

/// Feeds a dialect streams that nobody has thought of: good bytes cut, flipped, doubled and mixed.
///
/// `ROOST_FUZZ_STREAMS` sets how many, `ROOST_FUZZ_SEED` where to begin; a failure prints both.
struct DialectFuzzer {
    let dialect: any SensorDialect
    let oracle: FrameOracle
    /// Good bytes; each stream is made of some of them.
    let samples: [[UInt8]]

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
    }

    /// Streams for each dialect in an ordinary run; a million take some 25 minutes in release.
    static let streamCount = Int(number("ROOST_FUZZ_STREAMS") ?? 2_000)
    static let firstSeed = number("ROOST_FUZZ_SEED") ?? 20_261_121

    /// Every stream must give the same whole and in pieces, at most one utterance a byte, no value
    /// that is in no good frame, and leave a dialect that understands good bytes again.
    func run(sourceLocation: SourceLocation = #_sourceLocation) {
        for index in 0..<UInt64(Self.streamCount) {
            let seed = Self.firstSeed &+ index
            var generator = SplitMix64(seed: seed)
            let stream = stream(&generator)
            guard let words = fault(in: stream, &generator) else { continue }
            Issue.record(
                "\(words): ROOST_FUZZ_SEED=\(seed) ROOST_FUZZ_STREAMS=1, \(stream)",
                sourceLocation: sourceLocation
            )
            return
        }
    }

    private func fault(in stream: [UInt8], _ generator: inout SplitMix64) -> String? {
        var whole = dialect
        let expected = whole.decode(stream)
        guard expected.count <= stream.count else { return "more utterances than bytes" }
        if let complaint = oracle.complaint(about: expected, in: stream) { return complaint }
        guard whole.missingByteCount >= 1 else { return "nothing is missing" }
        var (pieces, found, start) = (dialect, [SensorUtterance](), 0)
        while start < stream.count {
            let end = min(stream.count, start + Int.random(in: 1...40, using: &generator))
            found += pieces.decode(Array(stream[start..<end]))
            start = end
        }
        if found != expected { return "depends on how it is cut" }
        // After enough silence of its own kind it must understand a good frame again.
        guard let sample = samples.first else { return nil }
        let after = whole.decode(sample + sample + sample + sample + sample + sample)
        let isHeard = after.contains { if case .rejected = $0 { false } else { true } }
        return isHeard ? nil : "good frames are not understood after it"
    }

    private func stream(_ generator: inout SplitMix64) -> [UInt8] {
        var stream: [UInt8] = []
        for _ in 0..<Int.random(in: 1...5, using: &generator) {
            var piece = samples.randomElement(using: &generator) ?? []
            for _ in 0..<Int.random(in: 0...3, using: &generator) where !piece.isEmpty {
                let index = Int.random(in: 0..<piece.count, using: &generator)
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: piece[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                case 1: piece.remove(at: index)
                case 2: piece.insert(.random(in: 0...255, using: &generator), at: index)
                case 3: piece = Array(piece[..<index])
                default: piece.insert(contentsOf: piece.prefix(index), at: index)
                }
            }
            stream += piece
        }
        return stream
    }
}
