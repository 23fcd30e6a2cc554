import ControlProtocol
import Core
import Glibc
import Store
import StoreQueries

/// Asks a year of forty channels for its days, as the page Proof does.
///
/// Ten devices of four channels, a value every five minutes, in three histories: `even` lacks none,
/// `gaps` lacks hours of one day in twenty, and `ragged` a value of each hundred, so that all
/// midnights need quarter hours. Written once into a folder. Prints one JSON object: milliseconds
/// with opening the history, the answer's bytes and, with `allocations.c` loaded, allocations. The
/// first round is not counted.
struct ProofBenchmark {
    private enum Kind: String, CaseIterable {
        case even, gaps, ragged
    }

    private static let boot = BootID(bytes: Array(repeating: 9, count: 16))
    private static let interval: Int64 = 3_000
    private static let dayTenths: Int64 = 864_000

    let folder: String
    let days: Int
    let rounds: Int
    let now: () -> Double
    let allocations: () -> UInt?

    func run() throws -> String {
        let fields = try Kind.allCases.map { kind in
            let path = "\(folder)/proof-\(kind.rawValue)-\(days).db"
            if access(path, F_OK) != 0 { try write(kind, to: path) }
            return "\"\(kind.rawValue)\": \(try measure(path))"
        }
        return "{\"days\": \(days), " + fields.joined(separator: ", ") + "}"
    }

    private func measure(_ path: String) throws -> String {
        let bytes = try answer(path)
        let before = allocations()
        let again = try answer(path)
        precondition(again == bytes, "the answer changed")
        let made = allocations().flatMap { after in before.map { "\(after - $0)" } } ?? "null"
        var times: [Double] = []
        for _ in 0..<rounds {
            let start = now()
            _ = try answer(path)
            times.append((now() - start) * 1_000)
        }
        times.sort()
        return """
            {"milliseconds": \(times[times.count / 2]), "best": \(times[0]), \
            "bytes": \(bytes), "allocations": \(made)}
            """
    }

    private func answer(_ path: String) throws -> Int {
        let reader = try HistoryReader(path: path)
        let times = try StoreTimes(reader)
        let end = try StoreExtent(reader, times).newest?.wall
        let report = try ProofDays(reader, times, in: ("UTC", .utc), now: end)
        precondition(report.rows.reduce(0) { $0 + $1.channels.count } == 40, "channels are missing")
        return try ControlCodec.line(report).utf8.count
    }

    private func write(_ kind: Kind, to path: String) throws {
        let draft = path + ".part"
        _ = unlink(draft)
        let (history, _) = try HistoryFile.open(path: draft, plan: StorePlan(.megabytes(64)))
        var sequence: UInt64 = 0
        func append(_ records: [JournalRecord]) throws {
            sequence += 1
            let payload = JournalRecordCodec.encode(records)
            try history.append([
                JournalBlock(sequence: sequence, boot: Self.boot, payload: payload)
            ])
        }
        // 2026-01-01T05:00:00Z: a bucket of six hours lies over each midnight.
        let start = WallTime(seconds: 1_767_243_600)
        let zero = Tick(tenths: 0)
        let anchor = ClockAnchor(boot: Self.boot, tick: zero, wall: start, isTrusted: true)
        try append([.started(at: zero, version: "1"), .anchor(anchor)])
        let streams = (1...10).map { number in
            StreamDescription(
                id: StreamID(UInt16(number)),
                device: "sensor-\(number)",
                quantities: [.pm25, .pm10, .temperature, .pm1]
            )
        }
        let duration = Duration.milliseconds(Self.interval * 100)
        for stream in streams {
            try append([.stream(stream), .schedule(stream.id, from: zero, interval: duration)])
        }
        var random = SplitMix64(seed: 59)
        for day in 0..<Int64(days) {
            try append(streams.map { samples(of: $0, day, kind, &random) })
        }
        try history.close()
        guard rename(draft, path) == 0 else { throw POSIXFailure(code: errno) }
    }

    private struct POSIXFailure: Error {
        let code: Int32
    }

    private func samples(
        of stream: StreamDescription,
        _ day: Int64,
        _ kind: Kind,
        _ random: inout SplitMix64
    ) -> JournalRecord {
        let begin = day * Self.dayTenths
        let decimals = stream.quantities.map(\.decimals)
        var encoder = SegmentEncoder(decimals: decimals, startingAt: Tick(tenths: begin))
        let isBad = kind == .gaps && Int.random(in: 0..<20, using: &random) == 0
        let lost: Range<Int64> = isBad ? 72..<156 : 0..<0
        for step in 0..<Self.dayTenths / Self.interval where !lost.contains(step) {
            if kind == .ragged, Int.random(in: 0..<100, using: &random) == 0 { continue }
            let value = 100 + (step * 7_919 + day) % 40
            let outcomes = decimals.map { Outcome.value(FixedPoint(value, decimals: $0)) }
            encoder.append(Tick(tenths: begin + step * Self.interval), outcomes)
        }
        return .samples(stream.id, segment: encoder.finished())
    }
}
