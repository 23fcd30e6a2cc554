import Core
import Supervision
import Synchronization

/// Motions and alerts on their way to a broker: each is kept until it is out.
///
/// Bound: `limit`; the oldest give way and are counted.
actor BrokerEvents: Child {
    static let limit = 256
    /// Between two tries.
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
    private var count = 0
    private(set) var omittedCount = 0

    init(_ target: MQTTTarget, over network: any CourierNetwork, clock: any NodeClock) {
        (self.target, self.network, self.clock) = (target, network, clock)
    }

    /// Takes a motion or an alert; its age counts from now.
    func take(_ news: MQTTEvent) {
        if waiting.count >= Self.limit {
            waiting.removeFirst()
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
            let news = first.news.aged(by: first.seenAt.duration(to: clock.now))
            switch try await target.report(news, over: network) {
            case .delivered, .refused, .partly:
                if waiting.first?.number == first.number { waiting.removeFirst() }
            case .later, .hold, .unknown, .foreign:
                try await clock.sleep(for: Self.pause, tolerance: .seconds(1))
            }
        }
    }
}
