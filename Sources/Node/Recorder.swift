import DequeModule
import Logging
import Readings
import Supervision
import Synchronization

/// Where readings and events go: the memory ring, the lamp, whoever listens, and the log.
///
/// Accepting is synchronous and never waits: a frame comes in and the light goes on in one job of
/// the loop. Bounds: a day per channel, `eventLimit` events, `feedLimit` listeners; the oldest
/// goes.
package final class Recorder: ReadingSink {
    /// Events kept; at five a minute six hours of a busy node, weeks of a quiet one.
    static let eventLimit = 2_000
    /// Channels kept; a station has at most 32 devices.
    static let channelLimit = 128
    /// Listeners at once; the control server admits no more connections than that.
    static let feedLimit = 16

    /// Decides what a sample means for the lamp.
    package typealias Watcher = @Sendable ([Reading]) -> Void

    private struct State {
        var rings: [ReadingRing] = []
        var events: Deque<Event> = []
        var eventCount = 0
        var feeds: [LiveFeed] = []
        var watchers: [Watcher] = []
        var budget = LogBudget()
    }

    private let clock: any NodeClock
    private let logger: Logger
    private let state = Mutex(State())

    package init(clock: any NodeClock, logger: Logger) {
        self.clock = clock
        self.logger = logger
    }

    /// Adds somebody who is shown every sample at once, such as the lamp.
    package func watch(_ watcher: @escaping Watcher) {
        state.withLock { $0.watchers.append(watcher) }
    }

    package func accept(_ readings: [Reading]) async {
        // The light first: what is kept and told can wait for it.
        for watcher in state.withLock({ $0.watchers }) { watcher(readings) }
        let feeds = state.withLock { state in
            for reading in readings { Self.append(reading, to: &state.rings) }
            return state.feeds
        }
        for feed in feeds {
            for reading in readings { feed.mailbox.offer(.reading(reading)) }
        }
    }

    package func record(_ event: Event) async { note(event) }

    /// Records an event from code that cannot wait.
    package func note(_ event: Event) {
        let (feeds, verdict) = state.withLock { state in
            if state.events.count == Self.eventLimit { state.events.removeFirst() }
            state.events.append(event)
            state.eventCount += 1
            let isLogged = event.severity.level >= logger.logLevel
            return (state.feeds, isLogged ? state.budget.admit(at: event.instant) : .omit)
        }
        for feed in feeds { feed.mailbox.offer(.event(event)) }
        if case .write(let omitted) = verdict { log(event, omittedBefore: omitted) }
    }

    private static func append(_ reading: Reading, to rings: inout [ReadingRing]) {
        if let index = rings.indices.first(where: { rings[$0].channel == reading.channel }) {
            rings[index].append(reading)
        } else if rings.count < channelLimit {
            var ring = ReadingRing(reading.channel)
            ring.append(reading)
            rings.append(ring)
        }
    }

    private func log(_ event: Event, omittedBefore omitted: Int) {
        if omitted > 0 {
            logger.warning("log lines left out", metadata: ["count": "\(omitted)"])
        }
        var metadata: Logger.Metadata = ["source": "\(event.source)"]
        for detail in event.details { metadata[detail.key] = "\(detail.value)" }
        logger.log(level: event.severity.level, "\(event.kind)", metadata: metadata)
    }
}

extension Event.Severity {
    fileprivate var level: Logger.Level {
        switch self {
        case .debug: .debug
        case .info: .info
        case .notice: .notice
        case .warning: .warning
        case .error: .error
        }
    }
}

/// What reports are made of.
extension Recorder {
    /// The latest of one channel.
    package struct ChannelState: Sendable {
        package let channel: Channel
        package let latest: Reading?
        package let lastValue: Reading?
    }

    package var channels: [ChannelState] {
        state.withLock { state in
            state.rings.map {
                ChannelState(channel: $0.channel, latest: $0.latest, lastValue: $0.lastValue)
            }
        }
    }

    /// Readings accepted and events recorded since the start.
    package var counts: (readings: Int, events: Int) {
        state.withLock { state in
            (state.rings.reduce(0) { $0 + $1.acceptedCount }, state.eventCount)
        }
    }

    /// Readings since an instant in order of time, the newest `limit` of them.
    package func readings(
        since start: MonotonicInstant,
        limit: Int
    ) -> (readings: [Reading], omittedCount: Int) {
        let all = state.withLock { state in
            state.rings.flatMap { $0.readings(since: start) }
        }
        let ordered = all.enumerated().sorted {
            ($0.element.instant, $0.offset) < ($1.element.instant, $1.offset)
        }
        return (ordered.suffix(limit).map(\.element), max(0, all.count - limit))
    }

    /// Events since an instant, oldest first, the newest `limit` of them.
    package func events(
        since start: MonotonicInstant,
        limit: Int
    ) -> (events: [Event], omittedCount: Int) {
        let all = state.withLock { $0.events.filter { $0.instant >= start } }
        return (Array(all.suffix(limit)), max(0, all.count - limit))
    }

    /// A new listener, or nil at the bound.
    package func subscribe() -> LiveFeed? {
        state.withLock { state in
            guard state.feeds.count < Self.feedLimit else { return nil }
            let feed = LiveFeed()
            state.feeds.append(feed)
            return feed
        }
    }

    package func unsubscribe(_ feed: LiveFeed) {
        state.withLock { state in state.feeds.removeAll { $0 === feed } }
    }
}
