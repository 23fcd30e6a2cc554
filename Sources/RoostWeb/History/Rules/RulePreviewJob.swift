import Alerts
import Core
import Store
import StoreQueries
import Synchronization

/// A replay of one rule over the newest days, made piece by piece.
///
/// It has a history of its own, so that pages are served between two pieces.
final class RulePreviewJob: Sendable {
    /// Days that it looks back: the most whose samples are `sampleMax` at most.
    private static let spans = [30, 7, 1]
    private static let sampleMax = 1_000_000
    private static let pieceSamples = 10_000

    private struct Run {
        let days: Int
        /// Local days with a value, from 1970 on.
        var dataDays: Set<Int> = []
        var replay: AlertReplay
        var samples: StoreSamples
        let offset: @Sendable (Int) -> Int

        mutating func step() throws -> RulePreview? {
            for _ in 0..<RulePreviewJob.pieceSamples {
                guard let sample = try samples.next() else {
                    return replay.rows.first.map {
                        RulePreview($0, days: days, dataDays: dataDays.count)
                    }
                }
                guard let second = sample.second else { continue }
                if sample.outcomes.contains(where: { $0.value != nil }) {
                    let local = second + offset(second)
                    dataDays.insert(local.flooredDivision(by: 86_400).quotient)
                }
                replay.append(sample.readings, at: second)
            }
            return nil
        }
    }

    private let run: Mutex<Run>
    private let seat: ExportLimiter.Seat

    /// A replay at its beginning.
    ///
    /// - Parameters:
    ///   - rule: Of values: what a past has no samples of cannot be tried.
    ///   - seat: Given back with the job.
    /// - Throws: What the store throws.
    init(
        _ history: sending OpenHistory,
        _ rule: AlertRule,
        _ zone: Zone,
        _ seat: ExportLimiter.Seat
    ) throws {
        self.seat = seat
        let streams = try history.reader.streams().filter { stream in
            !stream.id.isImported && stream.channels.contains { rule.condition(for: $0) != nil }
        }
        let days = try Self.spans.first { days in
            try Self.count(streams, history, days) <= Self.sampleMax
        }
        let window = Self.window(history, days ?? 1)
        let wanted = Set(streams.map(\.id))
        run = Mutex(
            Run(
                days: days ?? 1,
                replay: AlertReplay([rule], AlertHours(zone: zone.offset)),
                samples: try StoreSamples(history.reader, window) { wanted.contains($0.id) },
                offset: zone.offset
            )
        )
    }

    /// Goes on; the result at the end, else nil.
    ///
    /// - Throws: What the store throws.
    func step() throws -> RulePreview? { try run.withLock { try $0.step() } }

    private static func window(_ history: OpenHistory, _ days: Int) -> StoreWindow {
        StoreWindow(times: history.times, last: .days(days), now: history.times.end)
    }

    private static func count(
        _ streams: [StreamDescription],
        _ history: OpenHistory,
        _ days: Int
    ) throws -> Int {
        let window = window(history, days)
        return try streams.reduce(0) { count, stream in
            let spans = window.clip(try StreamExtents(history.reader).spans(of: stream.id))
            guard let first = spans.first else { return count }
            let place = SamplePosition(stream: stream.id, boot: first.boot, tick: first.from)
            let found = try HistoryPlaces(history.reader).count(of: stream.id, after: place)
            return count + (found ?? 0)
        }
    }
}
