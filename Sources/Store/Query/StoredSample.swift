import Core

/// The channels of one device that are sampled together, 1…16 of them.
package struct StreamDescription: Hashable, Sendable {
    /// Channels of one stream.
    package static let channelLimit = 16

    package let id: StreamID
    package let device: String
    package let quantities: [Quantity]

    package init(id: StreamID, device: String, quantities: [Quantity]) {
        precondition(
            (1...Self.channelLimit).contains(quantities.count),
            "a stream has 1 to 16 channels"
        )
        self.id = id
        self.device = device
        self.quantities = quantities
    }

    package var channels: [Channel] {
        quantities.map { Channel(device: device, quantity: $0) }
    }

    /// The same stream of a device that has another name now.
    package func renamed(_ device: String) -> StreamDescription {
        StreamDescription(id: id, device: device, quantities: quantities)
    }

    /// Whether a later description may correct this one: names and units, and no channels.
    func canBecome(_ later: StreamDescription) -> Bool {
        id == later.id && quantities.map(\.decimals) == later.quantities.map(\.decimals)
    }
}

/// One sample of a stream: an outcome for each of its channels, in the stream's order.
package struct StoredSample: Hashable, Sendable {
    package let stream: StreamID
    package let tick: Tick
    package let outcomes: [Outcome]

    package init(stream: StreamID, tick: Tick, outcomes: [Outcome]) {
        self.stream = stream
        self.tick = tick
        self.outcomes = outcomes
    }
}

/// An anchor of a boot's clock in wall time: `wall` was `tick`, with this trust.
package struct ClockAnchor: Hashable, Sendable {
    package let boot: BootID
    package let tick: Tick
    package let wall: WallTime
    package let trust: ClockTrust
    /// Whether times that it gives are called sure.
    package var isTrusted: Bool { trust.isSure }

    package init(boot: BootID, tick: Tick, wall: WallTime, trust: ClockTrust) {
        self.boot = boot
        self.tick = tick
        self.wall = wall
        self.trust = trust
    }

    /// Creates an anchor set by a time server, or by an unknown source.
    package init(boot: BootID, tick: Tick, wall: WallTime, isTrusted: Bool) {
        self.init(boot: boot, tick: tick, wall: wall, trust: isTrusted ? .synchronised : .unknown)
    }
}

/// The records of the journal, in the order of writing.
package enum JournalRecord: Hashable, Sendable {
    /// The node started in this boot; `previousEnd` is the last known end.
    case started(at: Tick, version: String)
    /// The node stopped in order.
    case stopped(at: Tick)
    case stream(StreamDescription)
    /// Time between expected samples of the stream from now on; nil when none is expected.
    case schedule(StreamID, from: Tick, interval: Duration?)
    /// Samples of one stream, oldest first, encoded by `SegmentEncoder`.
    case samples(StreamID, segment: [UInt8])
    case event(Event)
    case anchor(ClockAnchor)
    /// A cursor that a follower of the store left; the newest of a name counts.
    case cursor(StoreCursor)

    /// When it was, or began; nil for a record without a time or an unreadable one.
    package var tick: Tick? {
        switch self {
        case .started(let tick, _), .stopped(let tick), .schedule(_, let tick, _): tick
        case .samples(_, let segment):
            (try? SegmentHeader(segment)).map { Tick(tenths: $0.start) }
        case .event(let event): Tick(event.instant)
        case .anchor(let anchor): anchor.tick
        case .stream, .cursor: nil
        }
    }
}

extension ClockTrust {
    /// The stored value; a step of a later version counts as unknown.
    init(stored number: UInt64) { self = Int(exactly: number).flatMap(Self.init) ?? .unknown }
}
