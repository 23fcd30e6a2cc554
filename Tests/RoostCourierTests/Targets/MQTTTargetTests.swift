import Core
import SimulationKit
import Synchronization
import Testing

@testable import CourierSimulation
@testable import RoostCourier
@testable import Runtime

/// Facts of a station that a test sets.
final class ScriptedFacts: StationViewSource {
    private let state: Mutex<BrokerStationView?>

    init(_ view: BrokerStationView?) { state = Mutex(view) }

    func set(_ view: BrokerStationView?) { state.withLock { $0 = view } }
    func view() async throws -> BrokerStationView? { state.withLock { $0 } }
}

/// Tests the target and its `MQTTDiscovery` against a broker, by the virtual clock.
@Suite struct MQTTTargetTests {
    struct World {
        let clock: SimulatedClock
        let internet: SimulatedInternet
        let broker: SimulatedBroker
        let facts = ScriptedFacts(MQTTPayloadsTests.view)
        let target: MQTTTarget

        init(_ clock: SimulatedClock, proves: Bool = false, at known: SimulatedBroker? = nil) {
            self.clock = clock
            internet = SimulatedInternet(clock: clock)
            broker = known ?? SimulatedBroker(clock: clock)
            internet.add(broker, at: "broker")
            let topics = MQTTTopics(station: TargetFixture.station.id)
            var settings = MQTTSettings(
                broker: BrokerSettings(
                    host: "broker",
                    port: 1_883,
                    isEncrypted: false,
                    clientID: "roost-1"
                ),
                payloads: MQTTPayloads(topics: topics)
            )
            settings.proves = proves
            target = MQTTTarget(settings, clock: clock, seed: 1)
        }

        /// Runs the `MQTTDiscovery` while `body` runs.
        func attended(
            by task: OutboxTask? = nil,
            _ body: @escaping @Sendable () async throws -> Void
        ) async throws {
            let attendant = MQTTDiscovery(
                target,
                over: internet,
                asking: facts,
                clock: clock,
                heartbeat: Heartbeat(clock: clock, limit: .seconds(300)),
                connected: { await task?.wake() }
            )
            _ = try await clock.run(attendant.run, unless: body)
        }

        /// Makes a ring with a stream of dust, in a boot that has just begun.
        func ring(hasTime: Bool = true) -> SimulatedRing {
            let ring = SimulatedRing(clock: clock, room: 10_000)
            let boot = BootID(bytes: [UInt8](repeating: 1, count: 16))
            ring.add(StreamID(1), device: "dust", [.pm25])
            ring.start(boot)
            guard hasTime else { return ring }
            let wall = TargetFixture.time
            clock.setWallTime(wall)
            ring.anchor(boot, WallTime(nanoseconds: wall.nanoseconds - clock.now.nanoseconds))
            return ring
        }

        /// Makes a task that sends the samples of a ring, with its `MQTTDiscovery`.
        func task(_ ring: SimulatedRing) -> OutboxTask {
            OutboxTask(
                id: "ha",
                target,
                startsWithBacklog: true,
                seed: 1,
                in: .init(source: ring, cursors: ring, network: internet, clock: clock) { _, _ in },
                heartbeat: Heartbeat(clock: clock, limit: .seconds(300))
            )
        }

        /// Delivers a sample of a moment ago, or repeats a given one.
        func deliver(_ again: OutboxSample? = nil) async throws -> DeliveryOutcome {
            var sample = again ?? TargetFixture.dust(tick: Tick(clock.now))
            sample.isOfPresentBoot = again == nil
            return try await target.deliver(TargetFixture.batch(sample), over: internet)
        }
    }

    private static let root = "roost/7f3a21c9d0e4"
    private static let discovery = "homeassistant/device/roost_7f3a21c9d0e4/config"
    private static let hello = BrokerMessage(
        topic: "homeassistant/status",
        payload: Array("online".utf8)
    )

    @Test func saysThatItIsThereAndThatItLeaves() throws {
        try simulate { clock in
            let world = World(clock)
            try await world.attended {
                try await clock.sleep(for: .seconds(1))
                #expect(world.broker.retained("\(Self.root)/status") == "online")
                #expect(world.broker.retained("\(Self.root)/station") == "online")
                #expect(world.broker.retained(Self.discovery)?.contains("PM2.5") == true)
                world.facts.set(nil)
                try await clock.sleep(for: .seconds(40))
                #expect(world.broker.retained("\(Self.root)/station") == "offline")
            }
            #expect(world.broker.retained("\(Self.root)/status") == "offline")
        }
    }

    @Test func publishesAllAgainAfterABrokerWithoutItsFile() throws {
        try simulate { clock in
            let world = World(clock)
            try await world.attended {
                try await clock.sleep(for: .seconds(20))
                world.broker.restart()
                #expect(world.broker.retained(Self.discovery) == nil)
                try await clock.sleep(for: .seconds(10))
                #expect(world.broker.retained(Self.discovery) != nil)
                #expect(world.broker.retained("\(Self.root)/status") == "online")
            }
        }
    }

    @Test func deletesWhatWasRemovedWhileNoProcessRan() throws {
        try simulate { clock in
            let world = World(clock)
            try await world.attended { try await clock.sleep(for: .seconds(1)) }
            let later = World(clock, at: world.broker)
            let bare = "\"pir_door_motion\":{\"p\":\"binary_sensor\"}"
            try await later.attended {
                var fewer = MQTTPayloadsTests.view
                fewer.devices.removeLast()
                fewer.isSettled = false
                later.facts.set(fewer)
                try await clock.sleep(for: .seconds(90))
                #expect(!world.broker.texts(Self.discovery).contains { $0.contains(bare) })
                fewer.isSettled = true
                later.facts.set(fewer)
                try await clock.sleep(for: .seconds(40))
                #expect(world.broker.retained(Self.discovery)?.contains(bare) == true)
                let count = world.broker.texts(Self.discovery).count
                try await clock.sleep(for: .seconds(300))
                #expect(world.broker.texts(Self.discovery).count == count)
            }
        }
    }

    @Test func aStationThatStartsAnewKeepsItsEntities() throws {
        try simulate { clock in
            let world = World(clock)
            try await world.attended {
                try await clock.sleep(for: .seconds(1))
                var early = MQTTPayloadsTests.view
                (early.devices, early.quiet, early.isSettled) = ([], ["dust", "door"], false)
                world.facts.set(early)
                try await clock.sleep(for: .seconds(40))
                world.facts.set(MQTTPayloadsTests.view)
                try await clock.sleep(for: .seconds(40))
                let texts = world.broker.texts(Self.discovery)
                #expect(texts.allSatisfy { $0.contains("dust PM2.5") && !$0.contains("or\"}") })
            }
        }
    }

    @Test func answersAHomeAssistantThatRestarts() throws {
        try simulate { clock in
            let world = World(clock)
            try await world.attended {
                try await clock.sleep(for: .seconds(40))
                let outcome = try await world.deliver()
                #expect(outcome == .delivered)
                try await clock.sleep(for: .seconds(100))
                world.broker.publish(Self.hello)
                try await clock.sleep(for: .seconds(12))
                #expect(world.broker.texts(Self.discovery).count == 2)
                #expect(world.broker.texts("\(Self.root)/dust/state").count == 2)
                let last = world.broker.arrivals.last { $0.message.topic.hasSuffix("/state") }
                #expect((780...800).contains(last?.message.expirySeconds ?? 0))
                try await clock.sleep(for: .seconds(900))
                world.broker.publish(Self.hello)
                try await clock.sleep(for: .seconds(12))
                #expect(world.broker.texts(Self.discovery).count == 3)
                // The value is older than its expiry.
                #expect(world.broker.texts("\(Self.root)/dust/state").count == 2)
            }
        }
    }

    private static let present = ["health", "lamp", "dust/state", "door/motion"].map {
        "\(root)/\($0)"
    }

    private static func changedView(
        _ change: (inout BrokerStationView) -> Void = { _ in }
    ) -> BrokerStationView {
        var view = MQTTPayloadsTests.view
        (view.lamp, view.devices[1].isStill) = ("good", true)
        change(&view)
        return view
    }

    /// Home Assistant subscribes to an entity's topics after it has read the announcement.
    @Test(arguments: [Duration.milliseconds(500), .seconds(12)])
    func repeatsTheStateForAClientThatSubscribesLater(lag: Duration) throws {
        try simulate { clock in
            let world = World(clock)
            world.facts.set(Self.changedView())
            try await world.attended {
                try await clock.sleep(for: .milliseconds(1))
                #expect(try await world.deliver() == .delivered)
                #expect(world.broker.retained(Self.discovery) != nil)
                try await clock.sleep(for: lag)
                let subscribedAt = clock.now
                try await clock.sleep(for: .seconds(35))
                let heard = world.broker.arrivals.filter { $0.at > subscribedAt }
                #expect(Set(Self.present).isSubset(of: heard.map(\.message.topic)))
                #expect(
                    heard.filter { $0.message.topic.hasSuffix("motion") }.map(\.text).last == "OFF"
                )
                // No broker of MQTT 3.1.1 can give an old value to a later client.
                #expect(Self.present.allSatisfy { world.broker.retained($0) == nil })
                let count = world.broker.arrivals.count
                try await clock.sleep(for: .seconds(240))
                #expect(world.broker.arrivals.count == count)
            }
        }
    }

    @Test func repeatsTheStateForADeviceThatIsNew() throws {
        try simulate { clock in
            let world = World(clock)
            world.facts.set(Self.changedView { $0.devices.removeFirst() })
            try await world.attended {
                try await clock.sleep(for: .seconds(100))
                // The first sample comes before the station's list of devices is asked again.
                #expect(try await world.deliver() == .delivered)
                world.facts.set(Self.changedView())
                try await clock.sleep(for: .seconds(70))
                #expect(world.broker.texts("\(Self.root)/dust/state").count == 3)
            }
        }
    }

    @Test func saysNoConditionOfAStationThatDoesNotAnswer() throws {
        try simulate { clock in
            let world = World(clock)
            world.facts.set(Self.changedView())
            try await world.attended {
                try await clock.sleep(for: .seconds(60))
                world.facts.set(nil)
                let count = world.broker.texts("\(Self.root)/lamp").count
                world.broker.publish(Self.hello)
                try await clock.sleep(for: .seconds(900))
                #expect(count > 0 && world.broker.texts("\(Self.root)/lamp").count == count)
            }
        }
    }

    /// The station's list can be older than a motion.
    @Test func saysNoStillnessRightAfterAMotion() throws {
        try simulate { clock in
            let world = World(clock)
            world.facts.set(Self.changedView())
            let topic = "\(Self.root)/door/motion"
            try await world.attended {
                try await clock.sleep(for: .seconds(1))
                let motion = MQTTPayloads.Motion(
                    id: "7",
                    device: "door",
                    time: nil,
                    age: .zero,
                    seconds: nil
                )
                let outcome = try await world.target.report(.motion(motion), over: world.internet)
                #expect(outcome == .delivered)
                try await clock.sleep(for: .seconds(59))
                #expect(world.broker.texts(topic) == ["OFF", "ON"])
                try await clock.sleep(for: .seconds(300))
                #expect(world.broker.texts(topic) == ["OFF", "ON", "OFF"])
            }
        }
    }

    /// What is due meanwhile must not become attempts without a pause.
    @Test func waitsForABrokerThatWentWhileAnAnswerWasDue() throws {
        try simulate { clock in
            let world = World(clock)
            let view = Self.changedView()
            _ = try await world.target.show(view, over: world.internet)
            _ = try await clock.run({
                while !Task.isCancelled { try await world.target.listen() }
            }) {
                world.broker.publish(Self.hello)
                try await clock.sleep(for: .seconds(60))
                world.internet.setDown(true)
                world.broker.cut()
                try await clock.sleep(for: .seconds(1))
                _ = try await world.target.show(view, over: world.internet)
                #expect(await world.target.nextTending() > clock.now)
            }
        }
    }

    @Test(arguments: [
        (0x87, "hold"), (0x90, "refused"), (0x95, "refused"), (0x99, "refused"), (0x97, "later"),
        (0x10, "delivered"),
    ])
    func judgesCodes(code: Int, outcome: String) throws {
        try simulate { clock in
            let world = World(clock)
            world.broker.answer("\(Self.root)/dust/state", by: code)
            let found = try await world.deliver()
            #expect(found.name == outcome)
        }
    }

    @Test func refusesWhatEndsTheConnectionThreeTimes() throws {
        try simulate { clock in
            let world = World(clock)
            world.broker.close(after: "\(Self.root)/dust/late")
            var names: [String] = []
            let sample = TargetFixture.dust()
            for _ in 0..<3 {
                names.append(try await world.deliver(sample).name)
                try await clock.sleep(for: .seconds(20))
            }
            #expect(names == ["unknown", "unknown", "refused"])
        }
    }

    @Test func namesAClonedCardAndTriesOnceAMinute() throws {
        try simulate { clock in
            let world = World(clock)
            world.broker.setClosing(true)
            var words = ""
            for _ in 0..<600 {
                if case .later(let reason, _) = try await world.deliver() { words = reason.words }
                try await clock.sleep(for: .seconds(1))
            }
            #expect(words.contains("a cloned card?"))
            #expect(world.broker.connectCount <= 3 + 10)
        }
    }

    @Test(arguments: [true, false])
    func provesByAnEcho(isHeard: Bool) throws {
        try simulate { clock in
            let world = World(clock, proves: true)
            world.broker.setVersion(4)
            // With 3.1.1 a message that is not allowed vanishes without a word.
            if !isHeard { world.broker.answer("\(Self.root)/proof", by: 0x87) }
            try await world.attended {
                try await clock.sleep(for: .seconds(1))
                let outcome = try await world.deliver()
                #expect(outcome.name == (isHeard ? "delivered" : "hold"))
            }
        }
    }

    /// Two days with the outbox, in which the broker is away for hours and loses its file.
    @Test func accountsForEachSample() throws {
        try simulate { clock in
            let world = World(clock)
            let ring = world.ring()
            let task = world.task(ring)
            try await world.attended(by: task) {
                _ = try await clock.run(task.run) {
                    for number in 0..<576 {
                        ring.record(StreamID(1), Tick(clock.now), [.value(12.3)])
                        if number % 100 == 40 { world.broker.restart() }
                        world.internet.setDown((200..<260).contains(number))
                        try await clock.sleep(for: .seconds(300))
                    }
                }
            }
            try await task.see()
            let standing = await task.standing
            let totals = standing.totals
            #expect(totals.delivered + standing.waiting == 576 && totals.leftOutCount == 0)
            #expect(standing.waiting <= 1)
            let states = world.broker.arrivals.filter { $0.message.topic.hasSuffix("/state") }
            let late = world.broker.arrivals.filter { $0.message.topic.hasSuffix("dust/late") }
            #expect((54...60).contains(late.count), "\(late.count) of the 60 of the outage")
            #expect(Set((states + late).map(\.text)).count == totals.delivered)
        }
    }
}
