import Core
import Runtime
import Synchronization

/// Sends motions and alerts to a broker, and keeps each until it is sent.
///
/// Clients act at once on changes of an alert. So an alert that began and ended while the broker
/// was away goes to the topic of late events.
///
/// Bound: `limit`; the oldest are dropped and counted.
actor BrokerEvents: Child {
    static let limit = 256
    /// Time between two attempts.
    private static let pause: Duration = .seconds(5)

    private struct Entry {
        let news: MQTTEvent
        let number: Int
        let seenAt: MonotonicInstant
    }

    private let target: MQTTTarget
    private let network: any CourierNetwork
    private let clock: any NodeClock
    private let isThere = Signal()
    private var waiting: [Entry] = []
    /// Numbers of the alerts whose raise was sent as late, and whose end waits.
    private var over: Set<Int64> = []
    private var count = 0
    private(set) var omittedCount = 0

    init(_ target: MQTTTarget, over network: any CourierNetwork, clock: any NodeClock) {
        (self.target, self.network, self.clock) = (target, network, clock)
    }

    /// Adds a motion or an alert; its age counts from now.
    func append(_ news: MQTTEvent) {
        if waiting.count >= Self.limit {
            forget(waiting.removeFirst())
            omittedCount += 1
        }
        count += 1
        waiting.append(Entry(news: news, number: count, seenAt: clock.now))
        isThere.raise()
    }

    func run() async throws {
        while !Task.isCancelled {
            guard let first = waiting.first else {
                _ = try await clock.wait(for: isThere, until: nil, tolerance: .zero)
                continue
            }
            let news = dated(first)
            switch try await target.report(news, over: network) {
            case .delivered, .refused, .partly:
                if waiting.first?.number == first.number { forget(waiting.removeFirst()) }
            case .later, .hold, .unknown, .foreign:
                try await clock.sleep(for: Self.pause, tolerance: .seconds(1))
            }
        }
    }

    /// Returns the event with its age; it is late if its alert ended before the broker heard of it.
    private func dated(_ entry: Entry) -> MQTTEvent {
        let news = entry.news.aged(by: entry.seenAt.duration(to: clock.now))
        guard case .alert(var alert) = news, let raise = alert.raise else { return news }
        let isOver = alert.isRaise && waiting.contains { Self.isEnd($0, of: raise) }
        if isOver { over.insert(raise) }
        alert.isLate = over.contains(raise)
        return .alert(alert)
    }

    private static func isEnd(_ entry: Entry, of raise: Int64) -> Bool {
        guard case .alert(let alert) = entry.news else { return false }
        return alert.isEnd && alert.raise == raise
    }

    private func forget(_ entry: Entry) {
        guard case .alert(let alert) = entry.news, alert.isEnd, let raise = alert.raise else {
            return
        }
        over.remove(raise)
    }
}
