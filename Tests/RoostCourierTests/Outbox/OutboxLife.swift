import Core
import SimulationKit
import Synchronization
import Testing

@testable import CourierSimulation
@testable import RoostCourier
@testable import Runtime

/// A store in memory with one stream and one target, by the virtual clock.
struct OutboxLife: Sendable {
    static let host = "192.168.1.5:8086"
    /// The wall time at the clock's beginning.
    static let start = WallTime(nanoseconds: 1_795_321_800_000_000_000)

    let clock: SimulatedClock
    let ring: SimulatedRing
    let internet: SimulatedInternet
    let notices = Notices()

    /// Records the notices that people would get.
    final class Notices: Sendable {
        private let kept = Mutex<[DeliveryNotice]>([])

        var all: [DeliveryNotice] { kept.withLock { $0 } }

        /// How often a cursor was lost.
        var lossCount: Int { all.count { if case .cursorLost = $0 { true } else { false } } }

        func add(_ notice: DeliveryNotice) { kept.withLock { $0.append(notice) } }

        /// Makes the dependencies of a task that reports here.
        func world<Source>(
            _ source: Source,
            _ cursors: SimulatedRing,
            _ network: any CourierNetwork,
            _ clock: any NodeClock
        ) -> DeliveryDependencies<Source> {
            DeliveryDependencies(source: source, cursors: cursors, network: network, clock: clock) {
                self.add($1)
            }
        }
    }

    /// Counts each sample that reaches it.
    final class Counter: SimulatedServer {
        private let counts = Mutex<[String: Int]>([:])

        var most: Int { counts.withLock { $0.values.max() ?? 0 } }
        var count: Int { counts.withLock { $0.count } }

        func answer(_ request: OutboundRequest) async -> OutboundAnswer {
            for item in request.text.split(separator: "\n") {
                counts.withLock { $0[String(item), default: 0] += 1 }
            }
            return OutboundAnswer(200, text: "thanks")
        }
    }

    struct OnceTarget: SampleTarget {
        var traits: SampleTargetTraits

        init(
            _ repetition: SampleTargetTraits.Repetition = .atMostOnce,
            liveInterval: Duration = .zero
        ) {
            traits = SampleTargetTraits()
            traits.liveInterval = liveInterval
            (traits.repetition, traits.itemLimit) = (repetition, 100)
        }

        func leavesOut(_ sample: OutboxSample) -> LeftOut? { nil }

        func deliver(
            _ batch: SampleBatch,
            over network: any CourierNetwork
        ) async throws -> DeliveryOutcome {
            let lines = batch.samples.map { "\($0.boot)/\($0.tick.tenths)" }
            let url = MaskedText("http://\(OutboxLife.host)/")
            let body = Array(lines.joined(separator: "\n").utf8)
            return try await network.outcome(of: OutboundRequest(.post, url, body: body)) {
                answer in
                answer.isSuccess ? .delivered : DeliveryClassifier.classify(answer)
            }
        }
    }

    init(_ clock: SimulatedClock, room: Int = 100_000) {
        self.clock = clock
        ring = SimulatedRing(clock: clock, room: room)
        internet = SimulatedInternet(clock: clock)
        ring.add(StreamID(1), device: "dust", [.pm25])
        boot(1)
    }

    func boot(_ number: UInt8) {
        let boot = BootID(bytes: [UInt8](repeating: number, count: 16))
        ring.start(boot)
        ring.anchor(boot, Self.start)
    }

    var now: WallTime {
        WallTime(nanoseconds: Self.start.nanoseconds + clock.now.nanoseconds)
    }

    /// Makes an InfluxDB target with batches of so many samples.
    static func influx(_ itemLimit: Int = 200) -> InfluxTarget {
        var target = InfluxTarget(
            url: MaskedText("http://\(host)"),
            .one(database: "air", user: nil, password: nil),
            LineProtocol(tags: [:])
        )
        target.traits.itemLimit = itemLimit
        return target
    }

    func task(
        _ target: any SampleTarget,
        from source: (any OutboxSampleSource)? = nil,
        hasBacklog: Bool = true
    ) -> OutboxTask {
        OutboxTask(
            id: "target",
            target,
            startsWithBacklog: hasBacklog,
            seed: 1,
            in: notices.world(source ?? ring, ring, internet, clock),
            heartbeat: Heartbeat(clock: clock, limit: .seconds(300))
        )
    }

    /// Records one sample now.
    func record(_ value: Int64 = 123) {
        ring.record(StreamID(1), Tick(clock.now), [.value(FixedPoint(value, decimals: 1))])
    }

    /// Records so many samples, one at each interval.
    func record(_ count: Int, each interval: Duration) async throws {
        for _ in 0..<count {
            record()
            try await clock.sleep(for: interval)
        }
    }

    func run(
        _ task: OutboxTask,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        _ = try await clock.run(task.run, unless: body)
    }

    /// Checks that delivered + left out + waiting = recorded.
    func demandSum(_ task: OutboxTask) async throws {
        try await task.see()
        let standing = await task.standing
        let sum = standing.totals.delivered + standing.totals.leftOutCount + standing.waiting
        #expect(sum == ring.recorded, "\(standing)")
    }
}
