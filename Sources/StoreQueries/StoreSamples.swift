import Core
import Store

/// All samples of some streams in the order of their times, one slot of each in memory.
///
/// Samples of the station are sorted by boot and tick. Imported ones are sorted by time, each
/// boot of an import by itself, before a sample of the station that is later or has no date.
package struct StoreSamples: SampleSource {
    private struct Line {
        let stream: StreamDescription
        let samples: RawSamples
        let isImported: Bool
        var head: BootSample?
    }

    private let clock: ClockAnchors
    private let ordinals: [BootID: UInt32]
    private var lines: [Line] = []
    /// Samples at most, as the spans' lengths and nothing else say: a measure for progress.
    package let tenths: Int64
    /// Values with one of these flags are left out.
    package var without: Quality = []
    /// The wanted quantities of a stream; all of one that is not here.
    package var places: [StreamID: [Int]] = [:]

    package init(
        _ reader: HistoryReader,
        _ times: StoreTimes,
        _ range: TimeRange = TimeRange()
    ) throws {
        try self.init(reader, StoreWindow(times: times, range: range)) { _ in true }
    }

    /// - Parameters:
    ///   - window: From when to when.
    /// - Throws: `StoreError.database`.
    package init(
        _ reader: HistoryReader,
        _ window: StoreWindow,
        _ isWanted: (StreamDescription) -> Bool
    ) throws {
        try self.init(reader, window.times.clock, isWanted) { window.clip($0) }
    }

    /// - Parameters:
    ///   - clip: The parts of a stream's spans that are wanted.
    /// - Throws: `StoreError.database`.
    package init(
        _ reader: HistoryReader,
        _ clock: ClockAnchors,
        _ isWanted: (StreamDescription) -> Bool,
        clip: ([HistorySpan]) -> [HistorySpan]
    ) throws {
        self.clock = clock
        ordinals = Dictionary(try reader.boots().map { ($0.id, $0.ordinal) }) { first, _ in first }
        var tenths: Int64 = 0
        for stream in try reader.streams() where isWanted(stream) {
            let spans = clip(try StreamExtents(reader).spans(of: stream.id))
            tenths = max(tenths, spans.reduce(0) { $0 + $1.to.tenths - $1.from.tenths })
            let isImported = stream.id.isImported
            for spans in isImported ? spans.map({ [$0] }) : [spans] {
                let samples = try RawSamples(reader, stream.id, spans)
                let head = try samples.next()
                let line = Line(
                    stream: stream,
                    samples: samples,
                    isImported: isImported,
                    head: head
                )
                lines.append(line)
            }
        }
        self.tenths = tenths
    }

    package var damagedSegments: Int { lines.reduce(0) { $0 + $1.samples.damagedSegments } }

    package mutating func next() throws -> DatedSample? {
        while let sample = try read() {
            let wanted = places[sample.stream.id]
            if let kept = sample.keeping(wanted, without: without) { return kept }
        }
        return nil
    }

    private mutating func read() throws -> DatedSample? {
        let measured = first { !$0.isImported }
        let imported = first(\.isImported)
        var best = imported ?? measured
        if let imported, let measured, let wall = wall(measured),
            wall < self.wall(imported) ?? wall
        {
            best = measured
        }
        guard let best, let sample = lines[best].head else { return nil }
        lines[best].head = try lines[best].samples.next()
        return DatedSample(
            stream: lines[best].stream,
            boot: sample.boot,
            tick: sample.tick,
            time: clock.time(sample.boot, sample.tick),
            outcomes: sample.outcomes
        )
    }

    private func first(_ isWanted: (Line) -> Bool) -> Int? {
        var best: Int?
        for index in lines.indices where lines[index].head != nil && isWanted(lines[index]) {
            if best.map({ key(index) < key($0) }) ?? true { best = index }
        }
        return best
    }

    private func wall(_ index: Int) -> WallTime? {
        lines[index].head.flatMap { clock.time($0.boot, $0.tick)?.wall }
    }

    /// Imported boots share one clock, so their order does not matter.
    private func key(_ index: Int) -> (UInt32, Int64) {
        guard let head = lines[index].head else { return (.max, .max) }
        let ordinal = lines[index].isImported ? 0 : ordinals[head.boot] ?? .max
        return (ordinal, head.tick.tenths)
    }
}
