import Core
import DequeModule
import Logging
import Runtime
import Synchronization

/// Passes readings and events on to the memory ring, the lamp, live clients, and the log.
///
/// Accepting is synchronous and never waits: a frame comes in and the light goes on in one job of
/// the loop. Bounds: a day per channel, `eventLimit` events, `subscriptionLimit` listeners; the
/// oldest goes.
package final class Recorder: ReadingSink {
    /// Events kept; at five a minute six hours of a busy node, weeks of a quiet one.
    static let eventLimit = 2_000
    /// Listeners at once; four connections of the control server are left for other questions.
    static let subscriptionLimit = 12
    /// Names of devices that were forgotten; the oldest is removed at the bound.
    static let forgottenLimit = 64

    /// Decides what the lamp shows for a sample.
    package typealias Watcher = @Sendable ([Reading]) -> Void

    private struct State {
        var rings: [ReadingRing] = []
        /// Rings ever made.
        var ringCount = 0
        /// Whether it was reported that a channel found no room.
        var isFull = false
        var events: Deque<Event> = []
        var eventCount = 0
        var subscriptions: [LiveSubscription] = []
        var watchers: [Watcher] = []
        /// New names of devices whose drivers may still use the old; `forgottenLimit` at most.
        var renamed: [String: String] = [:]
        /// Devices that were removed, oldest first; their drivers' last readings make no channel.
        var forgotten: [String] = []
        var eventWatchers: [@Sendable (Event) -> Void] = []
        var budget = LogBudget()
        /// Motion sensors whose motion was left out and has not ended.
        var leftOut: Set<String> = []
    }

    let clock: any NodeClock
    private let logger: Logger
    private let mutes: MuteList?
    private let state = Mutex(State())

    package init(clock: any NodeClock, logger: Logger, mutes: MuteList? = nil) {
        self.clock = clock
        self.logger = logger
        self.mutes = mutes
    }

    /// Adds an observer that gets every sample at once, such as the lamp.
    package func watch(_ watcher: @escaping Watcher) {
        state.withLock { $0.watchers.append(watcher) }
    }

    /// Adds an observer that gets every event at once, such as the store.
    package func watchEvents(_ watcher: @escaping @Sendable (Event) -> Void) {
        state.withLock { $0.eventWatchers.append(watcher) }
    }

    package func accept(_ measured: [Reading]) {
        let (watchers, name) = state.withLock { state in
            let device = state.renamed.isEmpty ? nil : measured.first?.channel.device
            return (state.watchers, device.flatMap { state.renamed[$0] })
        }
        let named = name.map { name in measured.map { $0.renamed(name) } } ?? measured
        let readings = mutes?.applied(to: named) ?? named
        // The light first: storing and publishing can wait.
        for watcher in watchers { watcher(readings) }
        let (subscriptions, isKept) = state.withLock { state in
            if let device = readings.first?.channel.device, state.forgotten.contains(device) {
                return (state.subscriptions, true)
            }
            let isKept = readings.reduce(true) { Self.append($1, to: &state) && $0 }
            return (state.subscriptions, isKept)
        }
        if !isKept { reportFull(readings) }
        for subscription in subscriptions {
            for reading in readings { subscription.mailbox.offer(.reading(reading)) }
        }
    }

    package func record(_ event: Event) { recordSoon(event) }

    /// Records an event from code that cannot wait.
    func recordSoon(_ event: Event) {
        guard isWanted(event) else { return }
        let (subscriptions, watchers, verdict) = state.withLock { state in
            if state.events.count == Self.eventLimit { state.events.removeFirst() }
            state.events.append(event)
            state.eventCount += 1
            let isLogged = event.severity.level >= logger.logLevel
            let verdict = isLogged ? state.budget.admit(at: event.instant) : .omit
            return (state.subscriptions, state.eventWatchers, verdict)
        }
        for watcher in watchers { watcher(event) }
        for subscription in subscriptions { subscription.mailbox.offer(.event(event)) }
        if case .write(let omitted) = verdict { log(event, omittedBefore: omitted) }
    }

    /// Whether an event is passed on: motion of a muted sensor is not, from its start to its end.
    private func isWanted(_ event: Event) -> Bool {
        switch event.kind {
        case .motion where mutes?.covers(device: event.source) == true:
            state.withLock { _ = $0.leftOut.insert(event.source) }
            return false
        case .motionEnded: return state.withLock { $0.leftOut.remove(event.source) } == nil
        default: return true
        }
    }

    /// Keeps a reading.
    ///
    /// - Returns: false for the first of a channel beyond the bound, whose readings are not kept.
    private static func append(_ reading: Reading, to state: inout State) -> Bool {
        if let index = state.rings.indices.first(where: {
            state.rings[$0].channel == reading.channel
        }) {
            state.rings[index].append(reading)
        } else if state.rings.count < ReadingRing.countMax {
            state.ringCount += 1
            var ring = ReadingRing(reading.channel, serial: state.ringCount)
            ring.append(reading)
            state.rings.append(ring)
        } else if !state.isFull {
            state.isFull = true
            return false
        }
        return true
    }

    private func reportFull(_ readings: [Reading]) {
        recordSoon(
            Event(
                at: clock.now,
                source: readings.first?.channel.device ?? "",
                kind: .plain(.tooManyChannels),
                severity: .warning,
                ["limit": "\(ReadingRing.countMax)"]
            )
        )
    }

    private func log(_ event: Event, omittedBefore omitted: Int) {
        if omitted > 0 {
            logger.warning("log lines left out", metadata: ["count": "\(omitted)"])
        }
        var metadata: Logger.Metadata = ["source": "\(event.source)"]
        for detail in event.details { metadata[detail.key] = "\(detail.value)" }
        logger.log(level: event.severity.level, "\(event.kind.name)", metadata: metadata)
    }
}

extension Reading {
    fileprivate func renamed(_ device: String) -> Reading {
        Reading(Channel(device: device, quantity: channel.quantity), at: instant, outcome)
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

/// Readings and counts for reports.
extension Recorder {
    /// The latest of one channel.
    package struct ChannelState: Sendable {
        package let channel: Channel
        package let latest: Reading?
        let lastValue: Reading?
        /// Readings of the last day with a value that no part can give.
        package let omittedCount: Int
    }

    package var channels: [ChannelState] {
        state.withLock { state in
            state.rings.map {
                ChannelState(
                    channel: $0.channel,
                    latest: $0.latest,
                    lastValue: $0.lastValue,
                    omittedCount: $0.omittedCount
                )
            }
        }
    }

    /// The last values of the channels that `isWanted` picks.
    func lastValues(where isWanted: (Channel) -> Bool) -> [Reading] {
        state.withLock { state in
            // By index: a copy of each ring would be counted, on the way to the light.
            state.rings.indices.compactMap { index in
                isWanted(state.rings[index].channel) ? state.rings[index].lastValue : nil
            }
        }
    }

    /// Readings accepted and events recorded since the start.
    package var counts: (readings: Int, events: Int) {
        state.withLock { state in
            (state.rings.reduce(0) { $0 + $1.acceptedCount }, state.eventCount)
        }
    }

    /// A page of readings in order of time.
    ///
    /// - Parameters:
    ///   - cursor: Where the page begins; nil begins with the newest `limit` since `start`.
    ///   - start: Oldest instant of the first page.
    ///   - limit: Readings of all pages together.
    /// - Returns: The page; `next` is nil when it is the last.
    func readingPage(
        from cursor: ReadingCursor?,
        since start: MonotonicInstant,
        limit: Int,
        count: Int
    ) -> (readings: [Reading], next: ReadingCursor?, omittedCount: Int) {
        state.withLock { state in
            var (cursor, omitted) =
                cursor.map { ($0, 0) }
                ?? ReadingCursor.start(of: state.rings, since: start, limit: limit)
            let (readings, isOver) = cursor.next(count, from: state.rings)
            return (readings, isOver ? nil : cursor, omitted)
        }
    }

    /// A page of events, oldest first; numbers count from the first event that ever came.
    ///
    /// - Parameters:
    ///   - number: Where the page begins; nil begins with the newest `limit` since `start`.
    ///   - start: Oldest instant of the first page.
    ///   - limit: Events of all pages together.
    /// - Returns: The page; `next` is nil when it is the last.
    func eventPage(
        from number: Int?,
        since start: MonotonicInstant,
        limit: Int,
        count: Int
    ) -> (events: [Event], next: Int?, omittedCount: Int) {
        state.withLock { state in
            let oldest = state.eventCount - state.events.count
            var omitted = 0
            var first = number.map { max($0 - oldest, 0) }
            if first == nil {
                let since = state.events.firstIndex { $0.instant >= start } ?? state.events.count
                first = max(since, state.events.count - limit)
                omitted = (first ?? since) - since
            }
            let begin = min(first ?? 0, state.events.count)
            let end = min(begin + count, state.events.count)
            let next = end < state.events.count ? oldest + end : nil
            return (Array(state.events[begin..<end]), next, omitted)
        }
    }

    /// All readings since an instant, for tests and small work.
    package func readings(since start: MonotonicInstant) -> [Reading] {
        readingPage(from: nil, since: start, limit: .max, count: .max / 2).readings
    }

    /// All events since an instant, for tests and small work.
    package func events(since start: MonotonicInstant) -> [Event] {
        eventPage(from: nil, since: start, limit: Self.eventLimit, count: Self.eventLimit).events
    }

    /// Forgets the channels of a device that is no longer configured, or not by this name.
    ///
    /// Its driver may still report why it ends: that goes to live clients, and makes no channel.
    package func forget(_ device: String) {
        state.withLock { state in
            state.rings.removeAll { $0.channel.device == device }
            state.forgotten.removeAll { $0 == device }
            if state.forgotten.count == Self.forgottenLimit { state.forgotten.removeFirst() }
            state.forgotten.append(device)
        }
    }

    /// Accepts readings of a device by this name from now on, also after it was removed.
    func expect(_ device: String) {
        state.withLock { state in
            state.forgotten.removeAll { $0 == device }
            state.renamed[device] = nil
        }
    }

    /// Renames a device in the past as well: its measured values and its driver's last readings.
    package func rename(_ device: String, to name: String) {
        state.withLock { state in
            state.renamed[name] = nil
            if state.renamed.count >= Self.forgottenLimit { state.renamed = [:] }
            state.renamed[device] = name
            for index in state.rings.indices where state.rings[index].channel.device == device {
                let quantity = state.rings[index].channel.quantity
                let channel = Channel(device: name, quantity: quantity)
                guard !state.rings.contains(where: { $0.channel == channel }) else { continue }
                state.rings[index].channel = channel
            }
            // Where the new name had the channel already.
            state.rings.removeAll { $0.channel.device == device }
        }
    }

    /// A new listener, or nil at the bound.
    package func subscribe() -> LiveSubscription? {
        state.withLock { state in
            guard state.subscriptions.count < Self.subscriptionLimit else { return nil }
            let subscription = LiveSubscription()
            state.subscriptions.append(subscription)
            return subscription
        }
    }

    package func unsubscribe(_ subscription: LiveSubscription) {
        state.withLock { state in state.subscriptions.removeAll { $0 === subscription } }
    }
}
