/// Readers and formats that can be fuzzed.
package enum FuzzKind: String, CaseIterable, Sendable {
    case decoders
    case profiles
    case schema

    package var about: String {
        switch self {
        case .decoders: "bytes of every sensor, cut, flipped, doubled and mixed"
        case .profiles: "hardware profiles with changed, doubled and lost parts"
        case .schema: "the same: the schema and the reader refuse the same ones"
        }
    }

    /// Where to begin unless a seed is named.
    package var firstSeed: UInt64 {
        switch self {
        case .decoders: 20_261_121
        case .profiles, .schema: 4
        }
    }

    /// Inputs for each reader: some seconds with -O, on one core.
    package var usualCount: UInt64 {
        switch self {
        case .decoders: 20_000
        case .profiles, .schema: 20_000
        }
    }

    package func seeds(_ count: Int) -> Range<UInt64> { firstSeed..<firstSeed + UInt64(count) }

    package func workloads() throws -> [any FuzzWorkload] {
        switch self {
        case .decoders: try DecoderFuzz.drivers.map { try DecoderFuzz(driver: $0) }
        case .profiles: [ProfileFuzz()]
        case .schema: [try SchemaFuzz()]
        }
    }
}
