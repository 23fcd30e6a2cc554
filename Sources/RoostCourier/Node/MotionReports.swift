import Core
import Supervision
import Synchronization

/// Motions on their way to the brokers that are to hear of them: each is kept until it is out.
///
/// Bound: `limit` for each broker; the oldest give way and are counted.
actor MotionReports: Child {
    static let limit = 256
    /// Between two tries.
    private static let pause: Duration = .seconds(5)

    private struct Entry {
        let motion: MQTTPayloads.Motion
        let seenAt: MonotonicInstant
    }

    private let target: MQTTTarget
    private let network: any CourierNetwork
    private let clock: any NodeClock
    private let isThere = Signal()
    private var waiting: [Entry] = []
    private(set) var omittedCount = 0

    init(_ target: MQTTTarget, over network: any CourierNetwork, clock: any NodeClock) {
        (self.target, self.network, self.clock) = (target, network, clock)
    }

    /// Takes a motion; its age counts from now.
    func take(_ motion: MQTTPayloads.Motion) {
        if waiting.count >= Self.limit {
            waiting.removeFirst()
            omittedCount += 1
        }
        waiting.append(Entry(motion: motion, seenAt: clock.now))
        isThere.raise()
    }

    func run() async throws {
        while !Task.isCancelled {
            guard let first = waiting.first else {
                _ = try await clock.wait(for: isThere, until: nil, tolerance: .zero)
                continue
            }
            let age = first.motion.age + first.seenAt.duration(to: clock.now)
            let motion = MQTTPayloads.Motion(
                id: first.motion.id,
                device: first.motion.device,
                time: first.motion.time,
                age: age,
                seconds: first.motion.seconds
            )
            switch try await target.report(motion, over: network) {
            case .delivered, .refused, .partly:
                if waiting.first?.motion.id == motion.id { waiting.removeFirst() }
            case .later, .hold, .unknown, .foreign:
                try await clock.sleep(for: Self.pause, tolerance: .seconds(1))
            }
        }
    }
}
