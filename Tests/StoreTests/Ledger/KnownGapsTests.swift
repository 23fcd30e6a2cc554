import Testing

@testable import Core
@testable import Store

@Suite struct KnownGapsTests {
    private static func stretch(_ range: Range<Int64>, _ cause: GapCause) -> KnownGaps.Stretch {
        KnownGaps.Stretch(range: range, cause: cause)
    }

    @Test func theFirstGivenIsOnTop() {
        let flat = KnownGaps.flat([
            Self.stretch(10..<20, .powerLost), Self.stretch(20..<30, .powerLost),
            Self.stretch(5..<15, .muted), Self.stretch(0..<100, .notScheduled),
        ])
        let expected = [
            Self.stretch(0..<5, .notScheduled), Self.stretch(5..<10, .muted),
            Self.stretch(10..<30, .powerLost), Self.stretch(30..<100, .notScheduled),
        ]
        #expect(flat == expected)
    }

    /// Held against a count tenth by tenth.
    @Test(arguments: 0..<20 as Range<UInt64>) func noTenthIsInTwo(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let causes: [GapCause] = [.powerLost, .muted, .damaged, .notScheduled]
        let all = (0..<12).map { _ in
            let from = Int64.random(in: 0..<90, using: &random)
            let to = from + Int64.random(in: 1...10, using: &random)
            return Self.stretch(from..<to, causes.randomElement(using: &random) ?? .muted)
        }
        let flat = KnownGaps.flat(all)
        for tenth in 0..<Int64(110) {
            let wanted = all.first { $0.range.contains(tenth) }?.cause
            let found = flat.filter { $0.range.contains(tenth) }.map(\.cause)
            #expect(found == (wanted.map { [$0] } ?? []))
        }
        for (one, next) in zip(flat, flat.dropFirst()) {
            #expect(one.range.upperBound <= next.range.lowerBound)
        }
    }
}
