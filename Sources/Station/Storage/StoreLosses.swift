import Core
import Store

/// Samples that were dropped because memory was full, until a mark for them can be written.
///
/// Bound: one stretch for each stream, from the first sample lost to the last. The oldest goes
/// first, so nothing that was kept lies within.
struct StoreLosses {
    private struct Stretch {
        var first: Tick
        var last: Tick
        var count = 0
    }

    private var stretches: [StreamID: Stretch] = [:]
    /// Samples and events lost so far.
    private(set) var count = 0

    /// Counts the lost content of a payload; `streams` describes the segments of each stream.
    mutating func count(_ records: [JournalRecord], _ streams: (StreamID) -> StreamDescription?) {
        for record in records {
            switch record {
            case .samples(let id, let segment):
                guard let stream = streams(id) else { continue }
                count(segment, of: stream)
            case .event: count += 1
            default: continue
            }
        }
    }

    private mutating func count(_ segment: [UInt8], of stream: StreamDescription) {
        let decimals = stream.quantities.map(\.decimals)
        guard var decoder = try? SegmentDecoder(segment, decimals: decimals) else { return }
        while let (tick, _) = try? decoder.next() {
            var stretch = stretches[stream.id] ?? Stretch(first: tick, last: tick)
            stretch.first = min(stretch.first, tick)
            stretch.last = max(stretch.last, tick)
            stretch.count += 1
            stretches[stream.id] = stretch
            count += 1
        }
    }

    /// The marks for samples lost since the last call.
    ///
    /// A sample speaks for the interval before it, and half an interval is jitter: marks reach as
    /// far, and samples that were kept override that.
    ///
    /// - Parameters:
    ///   - boot: The boot of the ticks.
    ///   - interval: Between two samples of a stream; nil when none is expected.
    /// - Returns: At most one for each stream.
    mutating func drain(in boot: BootID, interval: (StreamID) -> Duration?) -> [GapMark] {
        defer { stretches = [:] }
        return stretches.sorted { $0.key < $1.key }.map { id, stretch in
            let tenths = (interval(id) ?? .zero).wholeNanoseconds / 100_000_000
            let from = Tick(tenths: max(0, stretch.first.tenths - tenths * 3 / 2))
            let to = Tick(tenths: stretch.last.tenths + max(1, tenths / 2))
            return GapMark(
                .cardDropped,
                of: id,
                from: GapMark.Place(boot, from),
                to: GapMark.Place(boot, to),
                lost: stretch.count
            )
        }
    }
}

extension [JournalRecord] {
    /// Returns the records without which later blocks are unreadable, and starts and stops.
    ///
    /// Only the last of schedules and anchors counts; at the bound of a block the oldest go.
    func carried(capacity: Int) -> [JournalRecord] {
        var kept: [JournalRecord] = []
        for record in self {
            switch record {
            case .samples, .event: continue
            case .schedule(let stream, _, _):
                kept.removeAll {
                    if case .schedule(stream, _, _) = $0 { true } else { false }
                }
            case .anchor(let anchor):
                kept.removeAll {
                    if case .anchor(let other) = $0 {
                        other.trust == anchor.trust
                    } else {
                        false
                    }
                }
            case .cursor(let cursor):
                kept.removeAll {
                    if case .cursor(let other) = $0 { other.name == cursor.name } else { false }
                }
            case .stream, .started, .stopped: break
            }
            kept.append(record)
        }
        while JournalRecordCodec.encode(kept).count > capacity { kept.removeFirst() }
        return kept
    }
}
