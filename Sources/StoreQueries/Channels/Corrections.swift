import Core
import Store

/// Corrections of an imported channel, which lie in streams of their own beside it.
///
/// Bound: `countMax` values of one question; where there are more, all stay as they came first.
struct Corrections {
    static let countMax = 50_000

    private let channel: StoreChannel
    /// Mantissas by tick: the last correction of each time.
    private var values: [Int64: Int64] = [:]

    /// Reads those of a time; nil without any.
    ///
    /// - Parameters:
    ///   - range: From when to when.
    init?(
        of channel: StoreChannel,
        _ reader: HistoryReader,
        _ times: StoreTimes,
        _ range: TimeRange
    ) throws(StoreError) {
        guard channel.stream.id.isImported else { return nil }
        self.channel = channel
        let streams = try reader.streams().filter(\.id.isImported)
        for level in 1...LateDevice.countMax {
            let name = LateDevice.name(channel.stream.device, level: level)
            for stream in streams where stream.device == name {
                guard let index = stream.quantities.firstIndex(of: channel.quantity) else {
                    continue
                }
                let late = StoreChannel(stream: stream, index: index)
                let samples = try RawSamples(reader, stream.id, late.spans(reader, times, range))
                while let sample = try samples.next() {
                    guard let value = sample.outcomes[index].counted else { continue }
                    values[sample.tick.tenths] = value.mantissa
                    guard values.count <= Self.countMax else { return nil }
                }
            }
        }
        guard !values.isEmpty else { return nil }
    }

    /// Steps with what they hold since it was corrected.
    ///
    /// A value that only came late counts too, within the time that the channel has values in.
    ///
    /// - Parameters:
    ///   - points: Of the channel as it came first, all of one width.
    ///   - spans: Of the axis of these steps.
    /// - Returns: As many steps.
    func applied(
        to points: [HistoryPoint],
        _ spans: [HistorySpan],
        _ reader: HistoryReader
    ) throws(StoreError) -> [HistoryPoint] {
        guard let first = points.first, first.width > 0 else { return points }
        func step(_ tick: Int64, _ span: HistorySpan) -> Int? {
            guard span.from.tenths <= tick, tick < span.to.tenths else { return nil }
            let index = Int((span.offset + tick - span.from.tenths - first.offset) / first.width)
            return points.indices.contains(index) ? index : nil
        }
        var late: [Int: [Int64: Int64]] = [:]
        for (tick, value) in values {
            guard let index = spans.lazy.compactMap({ step(tick, $0) }).first else { continue }
            late[index, default: [:]][tick] = value
        }
        var points = points
        for run in Self.runs(late.keys.sorted()) {
            var known: [Int: [Int64: Int64]] = [:]
            let axis = points[run.lowerBound].offset..<points[run.upperBound].offset + first.width
            for span in spans {
                let part = Self.part(of: span, axis)
                guard part.from < part.to else { continue }
                let samples = try RawSamples(reader, channel.stream.id, [part])
                while let sample = try samples.next() {
                    guard let value = sample.outcomes[channel.index].counted,
                        let index = step(sample.tick.tenths, span)
                    else { continue }
                    known[index, default: [:]][sample.tick.tenths] = value.mantissa
                }
            }
            for index in run {
                Self.correct(&points[index].bucket, known[index] ?? [:], late[index] ?? [:])
            }
        }
        return points
    }

    private static func correct(
        _ bucket: inout RollupBucket,
        _ known: [Int64: Int64],
        _ late: [Int64: Int64]
    ) {
        var corrected = RollupBucket()
        (corrected.covered, corrected.omitted) = (bucket.covered, bucket.omitted)
        for (tick, value) in known.merging(late, uniquingKeysWith: { $1 }) {
            // Nothing is known of its interval, as of all that others measured.
            let isNew = known[tick] == nil
            corrected.merge(
                RollupBucket(value: value, covering: isNew ? RollupMachine.unscheduledTenths : 0)
            )
        }
        bucket = corrected
    }

    /// Steps that follow one another.
    private static func runs(_ indices: [Int]) -> [ClosedRange<Int>] {
        var runs: [ClosedRange<Int>] = []
        for index in indices {
            if let last = runs.last, last.upperBound + 1 == index {
                runs[runs.count - 1] = last.lowerBound...index
            } else {
                runs.append(index...index)
            }
        }
        return runs
    }

    /// Returns the part of a span that lies in a range of the axis.
    private static func part(of span: HistorySpan, _ axis: Range<Int64>) -> HistorySpan {
        let moved = span.from.tenths - span.offset
        let from = max(span.from.tenths, axis.lowerBound + moved)
        let to = min(span.to.tenths, axis.upperBound + moved)
        return HistorySpan(
            boot: span.boot,
            from: Tick(tenths: from),
            to: Tick(tenths: to),
            offset: span.offset + from - span.from.tenths
        )
    }
}
