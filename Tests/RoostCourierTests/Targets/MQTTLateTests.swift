import Core
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import RoostCourier
@testable import Runtime

/// After an outage of the broker present samples come first, and late ones are marked so.
@Suite struct MQTTLateTests {
    private typealias World = MQTTTargetTests.World

    /// A message that the broker got: when, on which topic, and the second of its measurement.
    private struct Got {
        let at: MonotonicInstant
        let isState: Bool
        let measured: Int
        let text: String
    }

    private static func got(_ world: World) -> [Got] {
        world.broker.arrivals.compactMap { arrival in
            let topic = arrival.message.topic
            guard topic.hasSuffix("/dust/state") || topic.hasSuffix("/dust/late"),
                let id = arrival.text.split(separator: "\"").dropFirst(3).first,
                let tenths = id.split(separator: "-").last.flatMap({ Int($0) })
            else { return nil }
            return Got(
                at: arrival.at,
                isState: topic.hasSuffix("/state"),
                measured: tenths / 10,
                text: arrival.text
            )
        }
    }

    private static func view(_ interval: Duration) -> BrokerStationView {
        var view = MQTTPayloadsTests.view
        let dust = view.devices[0]
        view.devices[0] = BrokerStationView.Device(
            identity: dust.identity,
            name: dust.name,
            quantities: dust.quantities,
            interval: interval
        )
        return view
    }

    /// Records a sample a second for ten minutes; the broker refuses from 100 s on for `outage`.
    private static func live(
        _ clock: SimulatedClock,
        outage: Int,
        hasTime: Bool
    ) async throws -> (World, OutboxStanding) {
        let world = World(clock)
        world.facts.set(view(.seconds(1)))
        let ring = world.ring(hasTime: hasTime)
        let task = world.task(ring)
        try await world.attended(by: task) {
            _ = try await clock.run(task.run) {
                for number in 0..<600 {
                    if number == 100 {
                        world.internet.set(.near, at: "broker")
                        world.broker.restart()
                    }
                    if number == 100 + outage { world.internet.set(nil, at: "broker") }
                    ring.record(StreamID(1), Tick(clock.now), [.value(12.3)])
                    try await clock.sleep(for: .seconds(1))
                }
            }
        }
        try await task.see()
        return (world, await task.standing)
    }

    @Test(arguments: [20, 60, 300], [true, false])
    func noOldValueIsAState(outage: Int, hasTime: Bool) throws {
        try simulate { clock in
            let (world, standing) = try await Self.live(clock, outage: outage, hasTime: hasTime)
            let start = clock.now.advanced(by: .seconds(-600))
            let got = Self.got(world)
            let states = got.filter(\.isState)
            for one in states {
                let measured = MonotonicInstant.boot.advanced(by: .seconds(one.measured))
                #expect(measured.duration(to: one.at) <= .seconds(4))
            }
            let order = states.map(\.measured)
            #expect(order == order.sorted())
            let back = start.advanced(by: .seconds(100 + outage))
            let first = try #require(states.first { $0.at >= back })
            #expect(back.duration(to: first.at) <= .seconds(10))
            let arrived = Set(got.map(\.measured)).count
            #expect(arrived + standing.waiting == 600, "each sample arrived, or waits")
            #expect(standing.waiting <= 1 && standing.totals.leftOutCount == 0)
            let late = got.filter { !$0.isState }
            #expect(late.count >= outage - 10)
            #expect(late.allSatisfy { $0.text.contains(hasTime ? "\"t\":" : "\"age\":") })
        }
    }

    /// Two outages during a backlog: samples between two ranges delivered ahead are sent.
    @Test func nothingBetweenTwoRangesThatWentAheadIsForgotten() throws {
        try simulate { clock in
            let life = OutboxLife(clock)
            let server = OutboxLife.Counter()
            life.internet.add(server, at: OutboxLife.host)
            var target = OutboxLife.OnceTarget(.harmless)
            target.traits.pace = .seconds(30)
            let task = life.task(target)
            try await life.record(2_000, each: .seconds(1))
            try await life.run(task) {
                for _ in 0..<3 {
                    try await life.record(200, each: .seconds(1))
                    life.internet.set(.near, at: OutboxLife.host)
                    try await life.record(300, each: .seconds(1))
                    life.internet.set(nil, at: OutboxLife.host)
                }
                try await clock.sleep(for: .seconds(7_200))
            }
            try await life.demandSum(task)
            #expect(server.count == 3_500 && server.most == 1)
        }
    }

    /// A value of a boot before has no age but its date, which may be wrong.
    @Test func whatIsOfABootBeforeIsLate() throws {
        try simulate { clock in
            let world = World(clock)
            let sample = TargetFixture.dust(tick: Tick(clock.now))
            let outcome = try await world.target.deliver(
                TargetFixture.batch(sample),
                over: world.internet
            )
            #expect(outcome == .delivered)
            #expect(Self.got(world).map(\.isState) == [false])
        }
    }

    /// A target that was away for a day goes on with the newest samples, before the backlog.
    @Test func theLiveLaneBeginsWithThePresent() throws {
        try simulate { clock in
            var traits = SampleTargetTraits()
            traits.itemLimit = 20
            var machine = OutboxMachine(traits, seed: 1)
            let boot = BootID(bytes: [UInt8](repeating: 1, count: 16))
            for second in 1...86_400 {
                let tick = Tick(tenths: Int64(second) * 10)
                let place = OutboxPosition(boot: boot, bootNumber: 1, tick: tick)
                machine.see(1, upTo: place, of: StreamID(1))
            }
            guard case .send(.live, _) = machine.decide(at: clock.now) else {
                Issue.record("the newest samples go first")
                return
            }
            let start = try #require(machine.start(.live, of: StreamID(1)))
            #expect(start.tick.tenths >= (86_400 - 20) * 10)
        }
    }
}
