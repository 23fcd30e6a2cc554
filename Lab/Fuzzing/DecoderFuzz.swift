import Core
import Devices
import HardwareIO

/// Feeds a dialect good bytes that are cut, flipped, doubled and mixed.
///
/// Every stream must give the same whole and in pieces, at most one utterance a byte, no value that
/// is in no good frame, and leave a dialect that understands good bytes again.
package final class DecoderFuzz: FuzzWorkload {
    package static let drivers = DeviceCatalog.kinds.map(\.driver)

    package let name: String
    package private(set) var takenCount = 0
    private let dialect: any SensorDialect
    private let oracle: FrameOracle
    /// Good bytes; each stream is made of some of them.
    private let samples: [[UInt8]]

    /// - Throws: `FuzzError` where the part sends nothing, or the oracle and the dialect read its
    ///   bytes differently.
    package init(driver: String) throws {
        guard let kind = DeviceCatalog.kind(driver) else {
            throw FuzzError(description: "there is no driver \(driver)")
        }
        name = driver
        let profile = BenchProfile.make(of: kind)
        let dialect = try kind.dialect(profile)
        self.dialect = dialect
        oracle = FrameOracle(driver: driver)
        var part = try kind.simulator(profile, 1)
        var said: [[UInt8]] = []
        // Bytes that the part sends unasked, and its answers to every command.
        let commands = (SensorAct.allCases + [.wake, .measure]).flatMap(dialect.commands)
        for (index, command) in (dialect.questions + commands).enumerated() {
            let now = MonotonicInstant.boot.advanced(by: .seconds(index * 10))
            said.append(part.advance(to: now))
            said.append(part.receive(command.bytes, at: now))
        }
        said.append(part.advance(to: .boot.advanced(by: .minutes(10))).suffix(400))
        samples = said.filter { !$0.isEmpty }.map { Array($0.prefix(400)) }
        guard !samples.isEmpty else {
            throw FuzzError(description: "\(driver): a part that says nothing at all")
        }
        guard samples.contains(where: isReadAlike) else {
            throw FuzzError(description: "\(driver): oracle and dialect read different values")
        }
    }

    private func isReadAlike(_ sample: [UInt8]) -> Bool {
        var fresh = dialect
        let measured = fresh.decode(sample).count { $0.hasValue }
        return measured > 0 && measured == oracle.good(in: sample).count
    }

    package func fault(seed: UInt64) -> String? {
        var generator = SplitMix64(seed: seed)
        let stream = stream(&generator)
        return fault(in: stream, &generator).map { "\($0): \(stream)" }
    }

    private func fault(in stream: [UInt8], _ generator: inout SplitMix64) -> String? {
        var whole = dialect
        let expected = whole.decode(stream)
        if expected.contains(where: \.hasValue) { takenCount += 1 }
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

extension SensorUtterance {
    fileprivate var hasValue: Bool {
        guard case .measurement(let outcomes, _) = self else { return false }
        return outcomes.contains { $0.value != nil }
    }
}
