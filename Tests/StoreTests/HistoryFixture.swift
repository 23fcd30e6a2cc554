import Core
import FoundationEssentials
import Glibc
import TestSupport

@testable import Store

/// A folder for a history, removed with the test.
final class HistoryFolder {
    private let folder: TestFolder
    var path: String { folder.path }
    var database: String { path + "/history.db" }

    init() {
        do { folder = try TestFolder(isInMemory: true) } catch { fatalError("\(error)") }
    }

    /// Removes a database and what SQLite keeps beside it.
    static func remove(_ database: String) {
        for end in ["", "-wal", "-shm"] { unlink(database + end) }
    }

    var databaseByteCount: Int { byteCount("history.db") }
    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    func byteCount(_ name: String) -> Int {
        var status = stat()
        return stat(path + "/" + name, &status) == 0 ? Int(status.st_size) : 0
    }
}

/// A node in miniature: dust at an interval, in blocks as the journal would hand them over.
struct DustSeries {
    static let stream = StreamDescription(
        id: StreamID(1),
        device: "balcony",
        quantities: [.pm25, .pm10]
    )

    let interval: Int64
    var boot = BootID(bytes: Array(repeating: 7, count: 16))
    var sequence: UInt64 = 0
    var tick: Int64
    private let noise: Int64
    private var generator: SplitMix64
    private var level: Int64 = 120

    /// - Parameters:
    ///   - interval: Tenths between two samples.
    ///   - noise: Added either way; much of it fills the rings with few samples.
    init(every interval: Int64, seed: UInt64 = 1, noise: Int64 = 3) {
        self.interval = interval
        self.noise = noise
        tick = interval
        generator = SplitMix64(seed: seed)
    }

    var decimals: [Int] { Self.stream.quantities.map(\.decimals) }

    /// The next samples; one in a thousand has no value.
    mutating func samples(_ count: Int) -> [StoredSample] {
        (0..<count).map { _ in
            let step = Int64.random(in: -noise...noise, using: &generator)
            level = min(max(level + step, 5), noise * 1_000)
            let pm10 = level + Int64.random(in: 20...20 + 7 * noise, using: &generator)
            let isMissing = UInt64.random(in: 0..<1_000, using: &generator) == 0
            let outcomes: [Outcome] =
                isMissing
                ? [.noData(.replyTimeout), .noData(.replyTimeout)]
                : [
                    .value(FixedPoint(level, decimals: 1)),
                    .value(FixedPoint(pm10, decimals: 1)),
                ]
            defer { tick += interval }
            return StoredSample(
                stream: Self.stream.id,
                tick: Tick(tenths: tick),
                outcomes: outcomes
            )
        }
    }

    /// A block that carries these samples, and before them whatever else is given.
    mutating func block(
        _ samples: [StoredSample],
        _ others: [JournalRecord] = []
    ) -> JournalBlock {
        var records = others
        if let first = samples.first {
            var encoder = SegmentEncoder(decimals: decimals, startingAt: first.tick)
            for sample in samples { encoder.append(sample.tick, sample.outcomes) }
            records.append(.samples(Self.stream.id, segment: encoder.finished()))
        }
        sequence += 1
        return JournalBlock(
            sequence: sequence,
            boot: boot,
            payload: JournalRecordCodec.encode(records)
        )
    }

    /// The block that a node writes when it starts.
    mutating func start() -> JournalBlock {
        block(
            [],
            [
                .started(at: Tick(tenths: tick), version: "1.0"),
                .stream(Self.stream),
                .schedule(
                    Self.stream.id,
                    from: Tick(tenths: tick),
                    interval: .milliseconds(interval * 100)
                ),
            ]
        )
    }
}

extension HistoryReader {
    /// Everything of the stream of `DustSeries`.
    func all() throws(StoreError) -> [StoredSample] {
        let stream = DustSeries.stream.id
        let samples = try RawSamples(self, stream, StreamExtents(self).spans(of: stream))
        var all: [StoredSample] = []
        while let sample = try samples.next() {
            all.append(StoredSample(stream: stream, tick: sample.tick, outcomes: sample.outcomes))
        }
        return all
    }
}
