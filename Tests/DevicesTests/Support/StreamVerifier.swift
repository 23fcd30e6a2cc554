import HardwareIO
import TestSupport
import Testing

@testable import Core
@testable import Devices

/// Checks a dialect with a stream of good frames, split anywhere and with anything between them.
struct StreamVerifier {
    let make: () throws -> any SensorDialect
    /// Bytes of good utterances, one after the other.
    let stream: [UInt8]
    /// Bytes that hold nothing good and begin nothing that swallows what follows.
    let garbage: [[UInt8]]

    func verify(sourceLocation location: SourceLocation = #_sourceLocation) throws {
        let expected = try good([stream])
        #expect(!expected.isEmpty, "there is something to find", sourceLocation: location)
        #expect(
            try good(stream.map { [$0] }) == expected,
            "byte by byte",
            sourceLocation: location
        )
        for cut in Exhaustive.some(Exhaustive.cutsOfBytes, of: Array(0...stream.count)) {
            let pieces = [Array(stream[..<cut]), Array(stream[cut...])]
            #expect(try good(pieces) == expected, "cut at \(cut)", sourceLocation: location)
        }
        for rubbish in garbage {
            let whole = rubbish + stream + rubbish + stream
            #expect(
                try good([whole]) == expected + expected,
                "around \(rubbish)",
                sourceLocation: location
            )
            #expect(
                try good(whole.map { [$0] }) == expected + expected,
                "around \(rubbish), byte by byte",
                sourceLocation: location
            )
        }
    }

    /// Flips, cuts and doubles bytes; what is found must have been in the stream.
    func fuzz(
        seed: UInt64,
        rounds: Int,
        sourceLocation location: SourceLocation = #_sourceLocation
    ) throws {
        var generator = SplitMix64(seed: seed)
        let known = Set(try good([stream]).map(Self.withoutID))
        for round in 0..<rounds {
            var bytes = stream
            // One wrong bit: every check that a frame has must see it.
            let index = Int.random(in: bytes.indices, using: &generator)
            bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            var pieces: [[UInt8]] = []
            while !bytes.isEmpty {
                let count = min(bytes.count, Int.random(in: 1...40, using: &generator))
                pieces.append(Array(bytes.prefix(count)))
                bytes.removeFirst(count)
            }
            let unknown = try good(pieces).map(Self.withoutID).filter { !known.contains($0) }
            #expect(
                unknown.isEmpty,
                "seed \(seed), round \(round): \(unknown)",
                sourceLocation: location
            )
        }
        for _ in 0..<rounds {
            var dialect = try make()
            for _ in 0..<8 {
                let count = Int.random(in: 0...300, using: &generator)
                let bytes = (0..<count).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                }
                _ = dialect.decode(bytes)
                #expect(dialect.missingByteCount >= 1, sourceLocation: location)
            }
        }
    }

    /// A part's id may have been in an earlier frame, the one that was damaged.
    private static func withoutID(_ utterance: SensorUtterance) -> SensorUtterance {
        switch utterance {
        case .measurement(let outcomes, _): .measurement(outcomes, id: nil)
        case .reply(let name, _, let facts): .reply(name, id: nil, facts: facts)
        case .rejected, .time: utterance
        }
    }

    private func good(_ pieces: [[UInt8]]) throws -> [SensorUtterance] {
        var dialect = try make()
        return pieces.flatMap { dialect.decode($0) }.filter { utterance in
            if case .rejected = utterance { false } else { true }
        }
    }
}

extension Fixture {
    /// The bytes of a file as `hexdump -C` prints them.
    static func hexdump(_ name: String) throws -> [UInt8] {
        try text(name).split(separator: "\n").flatMap { line in
            line.split(separator: " ").dropFirst().prefix { !$0.hasPrefix("|") }
                .compactMap { UInt8($0, radix: 16) }
        }
    }

    /// Rows of a file with one header line, fields without spaces.
    static func rows(_ name: String) throws -> [[String]] {
        try text(name).split(whereSeparator: \.isNewline).dropFirst().map { row in
            row.split(separator: ",").map { String($0.filter { $0 != " " }) }
        }
    }
}
