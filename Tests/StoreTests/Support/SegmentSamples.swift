import Core
import FoundationEssentials

@testable import Store

/// One row of a segment.
struct SegmentRow: Equatable {
    let tick: Tick
    let outcomes: [Outcome]

    init(_ tick: Tick, _ outcomes: [Outcome]) {
        self.tick = tick
        self.outcomes = outcomes
    }

    /// The same digits, not only the same number: 2.0 is not 2.00 here.
    static func == (left: SegmentRow, right: SegmentRow) -> Bool {
        guard left.tick == right.tick, left.outcomes.count == right.outcomes.count else {
            return false
        }
        return left.outcomes.indices.allSatisfy {
            ChannelStatus(left.outcomes[$0]) == ChannelStatus(right.outcomes[$0])
                && left.outcomes[$0].value?.mantissa == right.outcomes[$0].value?.mantissa
        }
    }
}

/// A stream made up from a seed: its channels and its rows.
struct SegmentSamples {
    let decimals: [Int]
    let start: Tick
    let rows: [SegmentRow]

    /// How the made-up ticks go.
    enum Rhythm: CaseIterable { case regular, jittering, drifting, missing, wild, still }

    /// Kinds of made-up outcomes.
    enum Air: CaseIterable { case calm, lively, extreme, gappy, otherDecimals, flagged, silent }

    init(seed: UInt64, count: Int, channels: Int, _ rhythm: Rhythm, _ air: Air) {
        var random = SplitMix64(seed: seed)
        decimals = (0..<channels).map { _ in Int.random(in: 0...9, using: &random) }
        let beginning = Int64.random(in: 0...1_000_000, using: &random)
        start = Tick(tenths: beginning)
        var tick = beginning + Int64.random(in: 0...9, using: &random)
        var values = (0..<channels).map { _ in Int64.random(in: -500...500, using: &random) }
        var reasons = [NoData?](repeating: air == .silent ? .unplugged : nil, count: channels)
        var rows: [SegmentRow] = []
        for index in 0..<count {
            if index > 0 { tick += Self.interval(rhythm, index, &random) }
            var outcomes: [Outcome] = []
            for channel in 0..<channels {
                values[channel] &+= Self.step(air, &random)
                if air == .gappy, Int.random(in: 0..<20, using: &random) == 0 {
                    let isPresent = reasons[channel] == nil
                    reasons[channel] =
                        isPresent ? NoData.allCases.randomElement(using: &random) : nil
                }
                let hasOddities = Int.random(in: 0..<9, using: &random) == 0
                let digits =
                    hasOddities && air == .otherDecimals
                    ? Int.random(in: 0...9, using: &random) : decimals[channel]
                let flags: UInt16 =
                    hasOddities && air == .flagged ? .random(in: 0...(.max), using: &random) : 0
                let value = FixedPoint(values[channel], decimals: digits)
                outcomes.append(
                    reasons[channel].map(Outcome.noData)
                        ?? .value(value, Quality(rawValue: flags))
                )
            }
            rows.append(SegmentRow(Tick(tenths: tick), outcomes))
        }
        self.rows = rows
    }

    var encoder: SegmentEncoder {
        var encoder = SegmentEncoder(decimals: decimals, startingAt: start)
        for row in rows { encoder.append(row.tick, row.outcomes) }
        return encoder
    }

    private static func interval(
        _ rhythm: Rhythm,
        _ index: Int,
        _ random: inout SplitMix64
    ) -> Int64 {
        switch rhythm {
        case .regular: 10
        case .jittering: .random(in: 8...12, using: &random)
        case .drifting: 1_470 + Int64(index / 50) + .random(in: 0...1, using: &random)
        case .missing: Int.random(in: 0..<40, using: &random) == 0 ? 10 * (2 + Int64(index)) : 10
        case .wild: 1 << Int64.random(in: 0...28, using: &random)
        case .still: 0
        }
    }

    private static func step(_ air: Air, _ random: inout SplitMix64) -> Int64 {
        switch air {
        case .calm, .gappy, .otherDecimals, .flagged, .silent: .random(in: -2...2, using: &random)
        case .lively:
            .random(in: -1...1, using: &random) << Int64.random(in: 0...14, using: &random)
        case .extreme:
            Int64.random(in: .min...(.max), using: &random)
                >> Int64.random(in: 0...63, using: &random)
        }
    }
}

/// Reads all rows of a segment by `next()`.
func rows(of segment: [UInt8], decimals: [Int]) throws(CodecError) -> [SegmentRow] {
    var decoder = try SegmentDecoder(segment, decimals: decimals)
    var rows: [SegmentRow] = []
    while let (tick, outcomes) = try decoder.next() { rows.append(SegmentRow(tick, outcomes)) }
    return rows
}

/// Reads all rows of a segment by `nextRows(into:)`.
func rowsInPieces(of segment: [UInt8], decimals: [Int]) throws(CodecError) -> [SegmentRow] {
    var decoder = try SegmentDecoder(segment, decimals: decimals)
    var (rows, piece) = ([SegmentRow](), SegmentRows())
    while try decoder.nextRows(into: &piece) {
        rows += (0..<piece.count).map { SegmentRow(piece.tick($0), piece.outcomes($0)) }
    }
    return rows
}

/// Real rows to measure with; their origin is in `Fixtures/ORIGIN.md`.
enum SegmentFixture {
    /// The real 1 Hz day, as version 1 wrote it.
    static func hertzDay() throws -> [UInt8] { [UInt8](try data("day-1hz.segment")) }

    /// A day file of Sensor.Community: ticks since midnight, and the columns exactly as they say.
    static func sensorCommunity(_ file: String, _ columns: [String]) throws -> [SegmentRow] {
        let lines = String(decoding: try data(file), as: UTF8.self).split(
            whereSeparator: \.isNewline
        )
        let names = lines[0].split(separator: ";", omittingEmptySubsequences: false).map(
            String.init
        )
        return lines.dropFirst().map { line in
            let cells = line.split(separator: ";", omittingEmptySubsequences: false).map(
                String.init
            )
            let cell = Dictionary(uniqueKeysWithValues: zip(names, cells))
            let clock = (cell["timestamp"] ?? "").suffix(8).split(separator: ":").compactMap {
                Int64($0)
            }
            let seconds = clock.reduce(0) { $0 * 60 + $1 }
            let outcomes = columns.map { Outcome.value(exact(cell[$0] ?? "")) }
            return SegmentRow(Tick(tenths: seconds * 10), outcomes)
        }
    }

    private static func exact(_ text: String) -> FixedPoint {
        let parts = text.split(separator: ".")
        let decimals = parts.count > 1 ? parts[1].count : 0
        return FixedPoint(Int64(parts.joined()) ?? 0, decimals: decimals)
    }

    private static func data(_ name: String) throws -> Data {
        let folder = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
        return try Data(contentsOf: URL(filePath: "/\(folder)/Fixtures/\(name)"))
    }
}
