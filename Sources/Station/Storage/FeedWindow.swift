import Core
import DequeModule
import Store

/// The newest blocks of this process in memory, so that a follower needs no card, and what was
/// durable before them.
///
/// Bound: `byteLimit`; what leaves it is in the journal, and a follower that still needs it reads
/// the history with its tail.
struct FeedWindow {
    /// Sixteen full blocks.
    static let byteLimit = 65_536

    /// The last sample of each stream before the blocks that are here.
    private(set) var base: [StreamID: SamplePlace]
    /// The last event before them.
    private(set) var baseEvent: EventPlace?
    /// Oldest first.
    private(set) var payloads: Deque<[UInt8]> = []
    private var byteCount = 0
    private var numbers: EventNumbers
    private let boot: BootID

    init(_ tops: StoreTops, boot: BootID) {
        base = Dictionary(tops.samples.map { ($0.stream, $0) }) { $1 }
        baseEvent = tops.event
        numbers = EventNumbers(after: tops.event)
        self.boot = boot
    }

    /// Adds a block that is durable now.
    mutating func append(_ payload: [UInt8]) {
        payloads.append(payload)
        byteCount += payload.count
        while byteCount > Self.byteLimit, let oldest = payloads.popFirst() {
            byteCount -= oldest.count
            note(oldest)
        }
    }

    private mutating func note(_ payload: [UInt8]) {
        for record in JournalRecordCodec.contents(payload).records {
            switch record {
            case .samples(let stream, let segment):
                guard let last = SegmentDecoder.lastTick(of: segment) else { continue }
                base[stream] = SamplePlace(stream: stream, boot: boot, tick: last)
            case .event(let event):
                baseEvent = numbers.place(of: BootEvent(boot: boot, event: event))
            default: continue
            }
        }
    }
}
