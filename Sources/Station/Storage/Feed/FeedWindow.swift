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
    private(set) var base: [StreamID: SamplePosition]
    /// The last event before them.
    private(set) var baseEvent: EventPosition?
    /// Oldest first.
    private(set) var blocks: Deque<FeedBlock> = []
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
        blocks.append(FeedBlock(payload, of: boot, &numbers))
        byteCount += payload.count
        while byteCount > Self.byteLimit, let oldest = blocks.popFirst() {
            byteCount -= oldest.payload.count
            for (stream, last) in oldest.tops {
                base[stream] = SamplePosition(stream: stream, boot: boot, tick: last)
            }
            baseEvent = oldest.events.last ?? baseEvent
        }
    }

    /// The blocks, with payloads that are not durable yet behind them.
    func blocks(and unwritten: [[UInt8]]) -> [FeedBlock] {
        var numbers = numbers
        return blocks + unwritten.map { FeedBlock($0, of: boot, &numbers) }
    }
}

/// A payload with what a follower must know to pass it by without decoding it.
///
/// Followers ask at each sample: what they have already costs them nothing.
struct FeedBlock {
    let payload: [UInt8]
    /// The last sample of each stream in it.
    let tops: [StreamID: Tick]
    /// Its events, in their order.
    let events: [EventPosition]
    /// The last one in it.
    let anchor: JournalRecord?

    /// - Parameters:
    ///   - boot: In which it was written.
    ///   - numbers: Of the events before it; afterwards also of its own.
    init(_ payload: [UInt8], of boot: BootID, _ numbers: inout EventNumbers) {
        var (tops, events) = ([StreamID: Tick](), [EventPosition]())
        var anchor: JournalRecord?
        for record in JournalRecordCodec.contents(payload).records {
            switch record {
            case .samples(let stream, let segment):
                tops[stream] = SegmentDecoder.lastTick(of: segment) ?? tops[stream]
            case .event(let event):
                events.append(numbers.place(of: BootEvent(boot: boot, event: event)))
            case .anchor: anchor = record
            default: continue
            }
        }
        (self.payload, self.tops, self.events, self.anchor) = (payload, tops, events, anchor)
    }
}
