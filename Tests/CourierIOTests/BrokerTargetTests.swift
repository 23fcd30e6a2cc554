import Core
import Glibc
import Synchronization
import Testing

@testable import CourierIO
@testable import LinuxIO
@testable import RoostCourier
@testable import Runtime

/// A clock that a test can set forward; its waits are those of the loop.
private final class SettableClock: NodeClock {
    private let base: any NodeClock
    private let ahead = Mutex(Duration.zero)

    init(_ base: any NodeClock) { self.base = base }

    func skip(_ time: Duration) { ahead.withLock { $0 += time } }

    var now: MonotonicInstant { base.now.advanced(by: ahead.withLock { $0 }) }
    var wallTime: WallTime? { base.wallTime }

    func wait(
        for signal: Signal,
        until deadline: MonotonicInstant?,
        tolerance: Duration
    ) async throws -> Bool {
        let time = ahead.withLock { $0 }
        let own = deadline.map { $0.advanced(by: .zero - time) }
        return try await base.wait(for: signal, until: own, tolerance: tolerance)
    }
}

/// A station with one sensor.
private struct OneDevice: StationViewSource {
    func view() async throws -> BrokerStationView? {
        let dust = BrokerStationView.Device(
            identity: "nova-sds011_A160",
            name: "dust",
            quantities: [.pm25],
            interval: .seconds(300)
        )
        return BrokerStationView(name: "balcony", model: "Pi", version: "0.1.0", devices: [dust])
    }
}

/// Tests the target against a real mosquitto.
@Suite struct BrokerTargetTests {
    private static let topics = MQTTTopics(station: "7f3a21c9d0e4")

    private static func motion(_ number: Int) -> MQTTEvent {
        .motion(.init(id: "\(number)", device: "door", time: nil, age: .zero, seconds: nil))
    }

    private static func id(_ message: BrokerMessage?) -> Int? {
        let parts = message.map { String(decoding: $0.payload, as: UTF8.self) }?.split(
            separator: "\""
        )
        return parts.flatMap { $0.count > 3 ? Int($0[3]) : nil }
    }

    private static func number(_ name: String) -> Int? {
        getenv(name).flatMap { Int(String(cString: $0)) }
    }

    /// Number of motions; `scripts/check mqtt` runs more of them and of the broker's deaths.
    private static let motionCount = number("ROOST_MQTT_MOTIONS") ?? 100
    private static let deathCount = number("ROOST_MQTT_DEATHS") ?? 10

    /// Each motion once or more and in order, though the broker dies again and again.
    @Test(
        .enabled(if: MosquittoServer.isThere, "mosquitto is not installed: apt install mosquitto")
    )
    func losesNoMotionOverRestartsOfTheBroker() throws {
        let server = try MosquittoServer()
        let (own, other) = (server.settings("roost-1"), server.settings("watch"))
        let loop = try EventLoop()
        var settings = CurlSettings()
        settings.allowsLocal = true
        let network = try CurlNetwork(on: loop, settings: settings)
        let clock = SettableClock(loop.clock)
        let payloads = MQTTPayloads(topics: Self.topics)
        let target = MQTTTarget(.init(broker: own, payloads: payloads), clock: clock, seed: 1)
        nonisolated(unsafe) let broken = server
        let (count, span) = (Self.motionCount, Self.motionCount / Self.deathCount)
        let (seen, failures) = try loop.run {
            var watcher = try await network.connect(other)
            try await watcher.subscribe(Self.topics.event("door"))
            var (seen, failures): ([Int], Int) = ([], 0)
            for number in 0..<count {
                if number % span == span / 2 {
                    clock.skip(.seconds(11))
                    broken.kill()
                }
                while try await target.report(Self.motion(number), over: network) != .delivered {
                    failures += 1
                    try broken.start()
                    watcher = try await network.connect(other)
                    try await watcher.subscribe(Self.topics.event("door"))
                }
                repeat {
                    let found = Self.id(try await watcher.nextMessage())
                    seen.append(try #require(found))
                } while seen.last != number
            }
            return (seen, failures)
        }
        #expect(failures == Self.deathCount)
        #expect(Set(seen) == Set(0..<count))
        #expect(seen == seen.sorted())
    }

    /// A real broker passes on the messages of `MQTTDiscovery`, from its start to its end.
    @Test(
        .enabled(if: MosquittoServer.isThere, "mosquitto is not installed: apt install mosquitto")
    )
    func saysThatItIsThereAndThatItLeaves() throws {
        let server = try MosquittoServer()
        let (own, other) = (server.settings("roost-1"), server.settings("watch"))
        let loop = try EventLoop()
        var settings = CurlSettings()
        settings.allowsLocal = true
        let network = try CurlNetwork(on: loop, settings: settings)
        let clock = loop.clock
        let payloads = MQTTPayloads(topics: Self.topics)
        let target = MQTTTarget(.init(broker: own, payloads: payloads), clock: clock, seed: 1)
        let heard = try loop.run {
            let watcher = try await network.connect(other)
            for topic in [Self.topics.status, Self.topics.station, Self.topics.discovery] {
                try await watcher.subscribe(topic)
            }
            let attendant = MQTTDiscovery(
                target,
                over: network,
                asking: OneDevice(),
                clock: clock,
                heartbeat: Heartbeat(clock: clock, limit: .seconds(300))
            )
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await attendant.run() }
                var heard: [BrokerMessage] = []
                while heard.count < 3, let message = try await watcher.nextMessage() {
                    heard.append(message)
                }
                group.cancelAll()
                if let last = try await watcher.nextMessage() { heard.append(last) }
                return heard
            }
        }
        let texts = heard.map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(heard.map(\.topic).prefix(2) == [Self.topics.status, Self.topics.station])
        #expect(texts.prefix(2) == ["online", "online"])
        #expect(texts.count == 4 && texts[2].contains("\"dust PM2.5\""))
        #expect(heard.last?.topic == Self.topics.status && texts.last == "offline")
    }

    @Test(
        .enabled(if: MosquittoServer.isThere, "mosquitto is not installed: apt install mosquitto")
    )
    func holdsWhatTheBrokerForbids() throws {
        let server = try MosquittoServer(
            access: "topic readwrite homeassistant/#\ntopic write roost/+/status\n"
                + "topic write roost/+/station\n"
        )
        let own = server.settings("roost-1")
        let outcome = try onLoop { network in
            let payloads = MQTTPayloads(topics: Self.topics)
            let clock = try EventLoop().clock
            let target = MQTTTarget(.init(broker: own, payloads: payloads), clock: clock, seed: 1)
            return try await target.report(Self.motion(1), over: network)
        }
        guard case .hold(let reason) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(reason.words.contains("forbids roost/7f3a21c9d0e4/door/motion"))
    }
}
