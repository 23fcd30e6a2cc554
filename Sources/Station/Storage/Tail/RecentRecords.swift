import ControlProtocol
import Core
import DequeModule
import Store

/// The newest samples and events of this process, numbered in the order in which they came.
///
/// A follower has all up to a number and asks for what came after it, without the card. Bound:
/// `limit`; a follower that lags farther reads the history with its tail.
struct RecentRecords {
    /// Half an hour of one stream at 1 Hz; opening a history must not take longer.
    static let limit = GetTail.recordMax
    /// Bytes of a page: its line, in base64, stays below 64 KiB.
    private static let byteLimit = 20_480

    private enum Entry {
        case sample(StoredSample)
        case other(JournalRecord)
    }

    /// Records after a number.
    struct Page {
        /// Streams, anchors and events, then the samples of each stream.
        fileprivate(set) var records: [JournalRecord] = []
        /// Number of the last of them.
        fileprivate(set) var end: Int
        fileprivate(set) var sampleCount = 0
        /// When the first of the samples was.
        fileprivate(set) var oldest: Tick?
        /// Whether it does not wait for samples: an event is urgent, or the bound left some out.
        fileprivate(set) var isUrgent = false
    }

    /// Oldest first.
    private var entries: Deque<Entry> = []
    /// Number of the newest.
    private(set) var end = 0

    mutating func append(_ sample: StoredSample) { append(.sample(sample)) }

    /// Adds a stream, an anchor or an event; followers need no other records.
    mutating func append(_ record: JournalRecord) {
        switch record {
        case .stream, .anchor, .event: append(.other(record))
        case .started, .stopped, .schedule, .samples, .cursor: break
        }
    }

    private mutating func append(_ entry: Entry) {
        if entries.count == Self.limit { entries.removeFirst() }
        entries.append(entry)
        end += 1
    }

    /// The records after a number; nil when memory does not have all of them.
    ///
    /// - Parameters:
    ///   - limit: Records at most.
    ///   - stream: Describes a stream; samples of one that was forgotten are left out.
    func page(
        after number: Int,
        limit: Int,
        _ stream: (StreamID) -> StreamDescription?
    ) -> Page? {
        guard (end - entries.count...end).contains(number) else { return nil }
        var page = Page(end: number)
        var segments: [StreamID: SegmentEncoder] = [:]
        var byteCount = 0
        for entry in entries.suffix(end - number) {
            guard page.end - number < limit, byteCount < Self.byteLimit else {
                page.isUrgent = true
                break
            }
            page.end += 1
            switch entry {
            case .sample(let sample):
                guard let decimals = stream(sample.stream)?.quantities.map(\.decimals),
                    decimals.count == sample.outcomes.count
                else { continue }
                let new = SegmentEncoder(decimals: decimals, startingAt: sample.tick)
                byteCount -= segments[sample.stream]?.byteCountBound ?? 0
                segments[sample.stream, default: new].append(sample.tick, sample.outcomes)
                byteCount += segments[sample.stream]?.byteCountBound ?? 0
                page.sampleCount += 1
                page.oldest = page.oldest ?? sample.tick
            case .other(let record):
                byteCount += JournalRecordCodec.encode([record]).count
                page.records.append(record)
                if case .event(let event) = record, event.isUrgent { page.isUrgent = true }
            }
        }
        let samples = segments.sorted { $0.key < $1.key }
        page.records += samples.map { .samples($0.key, segment: $0.value.finished()) }
        return page
    }
}

extension Event {
    /// Records of which a power cut may cost two seconds, not ten minutes.
    ///
    /// Among them what has a number: one that is given must not be given again.
    var isUrgent: Bool {
        switch kind {
        case .motion, .motionEnded: true
        case .alert(.standing): false
        case .alert: true
        default: severity >= .warning
        }
    }
}
