import ControlProtocol
import Core
import HardwareIO
import Logging
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import RoostCourier
@testable import Runtime
@testable import StoreQueries

/// Stops each child of a courier at many moments, with faults of the station and the network.
@Suite struct CourierConformanceTests {
    static let children: [any Child.Type] = [
        StationSource.self, StationEvents.self, HeartbeatTask.self, CourierControl.self,
        ConnectorChild.self, RouteChild.self, NoticeTask.self, BrokerEvents.self, PushTask.self,
        FeedTask.self, LatenessReporter.self, NeighbourTimes.self,
    ]

    enum Weather: CaseIterable, Sendable {
        case well, stationDown, stationHangs, networkSilent
    }

    /// A station that takes a question and never answers.
    private struct HangingStation: QuestionClient {
        let clock: any NodeClock

        func exchange(_ line: String, within limit: Duration?) async throws -> String {
            _ = try await clock.wait(for: Signal(), until: nil, tolerance: .zero)
            throw StationDown("it hung")
        }
    }

    /// Routes that never change after the first.
    private actor StillRoutes: RouteWatch {
        private let clock: any NodeClock
        private var isFirst = true

        init(_ clock: any NodeClock) { self.clock = clock }

        func next() async throws -> RouteState {
            defer { isFirst = false }
            if isFirst { return RouteState(gateways: ["eth0 0101A8C0"]) }
            _ = try await clock.wait(for: Signal(), until: nil, tolerance: .zero)
            return RouteState()
        }
    }

    @Test(arguments: children.indices, Weather.allCases)
    func endsAtOnceWhenItIsStopped(child: Int, weather: Weather) throws {
        for milliseconds in [0, 1, 999, 1_001, 5_000, 61_000, 310_000] {
            try simulate { clock in
                let life = try CourierLife(clock)
                life.station.set(down: weather == .stationDown)
                if weather == .networkSilent { life.internet.set(.silent, at: CourierLife.host) }
                let link: any QuestionClient =
                    weather == .stationHangs ? HangingStation(clock: clock) : life.station
                let tested = try await Self.make(child, life, link)
                let stop = clock.now.advanced(by: .milliseconds(milliseconds))
                _ = try await clock.run(tested.run) {
                    for _ in 0..<3 {
                        life.station.record()
                        guard clock.now < stop else { return }
                        try await clock.sleep(until: min(stop, clock.now.advanced(by: .seconds(1))))
                    }
                    try await clock.sleep(until: stop)
                }
                #expect(stop.duration(to: clock.now) < .seconds(1))
                withExtendedLifetime(life.station.folder) {}
            }
        }
    }

    private static func make(
        _ child: Int,
        _ life: CourierLife,
        _ link: any QuestionClient
    ) async throws -> any Child {
        let clock = life.clock
        let heartbeat = Heartbeat(clock: clock, limit: .seconds(900))
        let logger = Logger(label: "courier") { _ in SwiftLogNoOpLogHandler() }
        let history = HistoryDisk(on: life.station)
        let world = StationSource.World(link: link, history: history, clock: clock, logger: logger)
        switch child {
        case 0: return StationSource(in: world, heartbeat: heartbeat)
        case 1:
            let news = StationEvents(link, clock: clock, logger: logger)
            news.report("courier started", [:])
            return news
        case 2:
            life.internet.set(.silent, at: "hc.example")
            return HeartbeatTask(
                HeartbeatTarget(url: "http://hc.example/u"),
                asking: link,
                over: life.internet,
                clock: clock,
                heartbeat: heartbeat,
                id: "alive"
            )
        case 3: return CourierControl(life.node()) { SimulatedListener(clock: clock) }
        case 4: return try await outlet(life, link, heartbeat)
        case 5: return RouteChild(watch: StillRoutes(clock)) { _, _ in }
        case 6: return try await notices(life, heartbeat)
        case 7: return await motions(life)
        case 8: return try await pushes(life, heartbeat)
        case 10:
            let news = StationEvents(link, clock: clock, logger: logger)
            return LatenessReporter(news, clock: clock) {
                [OutboxReport(id: "a", type: "b", state: .held)]
            }
        case 11:
            let world = CourierDependencies(
                link: link,
                history: history,
                secrets: life.secrets,
                clock: clock,
                logger: logger
            ) { _ in life.internet }
            return NeighbourTimes(world: world) {
                try await clock.sleep(for: .seconds(20))
                return []
            }
        default: return try feed(life, link, heartbeat)
        }
    }

    private static func feed(
        _ life: CourierLife,
        _ link: any QuestionClient,
        _ heartbeat: Heartbeat
    ) throws -> any Child {
        let text = #"{"feeds":[{"id":"sg","type":"data.gov.sg","url":"http://192.168.1.5:8086"}]}"#
        let entry = try #require(
            try CourierConfiguration(Array(text.utf8), file: "courier.json").feeds.first
        )
        let world = FeedTask.World(
            link: link,
            network: life.internet,
            secrets: life.secrets,
            clock: life.clock,
            seed: 1
        )
        return FeedTask(entry, in: world, heartbeat: heartbeat)
    }

    private static func notices(
        _ life: CourierLife,
        _ heartbeat: Heartbeat
    ) async throws -> any Child {
        let phone = #"{"id":"p","type":"webhook","url":{"secret":"u"}}"#
        life.secrets.set("u", "http://192.168.1.5:8086/n")
        let entry = try #require(try CourierLife.read("", phone).receivers.first)
        let hub = AlertHub(life.clock)
        let raised = AlertEvent.Raised(1, .init("who-24h", "dust/pm25"))
        await hub.begin([])
        let materials = TargetDependencies(
            secrets: life.secrets,
            station: TargetFixture.station,
            clock: life.clock,
            zone: .utc
        )
        let world = NoticeTask.World(
            hub: hub,
            cursors: SimulatedRing(clock: life.clock, room: 10),
            network: life.internet,
            clock: life.clock,
            zone: .utc
        ) { _, _ in }
        let task = NoticeTask(
            id: "p",
            try entry.make(materials),
            entry.common,
            seed: 1,
            in: world,
            heartbeat: heartbeat
        )
        await hub.apply(.raised(raised), nil, at: .boot)
        return task
    }

    private static func pushes(
        _ life: CourierLife,
        _ heartbeat: Heartbeat
    ) async throws -> any Child {
        life.clock.setWallTime(TargetFixture.time)
        let subscribers = SubscriberStore(life.files, clock: life.clock)
        var phone = try Subscriber(token: PushLife.token(1))
        phone.interval = 60
        _ = try await subscribers.put(phone)
        var settings = APNsSender.Settings(team: "A", keyID: "B", topic: "org.example.air")
        settings.url = "http://192.168.1.5:8086"
        let sender = APNsSender(settings, key: try CurveKey(), clock: life.clock)
        let hub = AlertHub(life.clock)
        await hub.begin([])
        var options = ReceiverOptions()
        (options.wait, options.remindsAtInterval) = (.zero, true)
        let world = NoticeTask.World(
            hub: hub,
            cursors: SimulatedRing(clock: life.clock, room: 10),
            network: life.internet,
            clock: life.clock,
            zone: .utc
        ) { _, _ in }
        let task = PushTask(
            id: "phones",
            PushReceiver(sender, to: subscribers),
            options,
            seed: 1,
            in: world,
            heartbeat: heartbeat
        )
        await hub.apply(PushLife.raised(1), nil, at: .boot)
        return task
    }

    private static func motions(_ life: CourierLife) async -> any Child {
        var broker = BrokerSettings(
            host: "192.168.1.5",
            port: 8_086,
            isEncrypted: false,
            clientID: "roost"
        )
        broker.keepAliveSeconds = 60
        let topics = MQTTTopics(prefix: "roost", station: "7f3a21c9d0e4")
        let settings = MQTTSettings(broker: broker, payloads: MQTTPayloads(topics: topics))
        let target = MQTTTarget(settings, clock: life.clock, seed: 1)
        let reports = BrokerEvents(target, over: life.internet, clock: life.clock)
        await reports.append(
            .motion(.init(id: "1", device: "door", time: nil, age: .zero, seconds: nil))
        )
        return reports
    }

    private static func outlet(
        _ life: CourierLife,
        _ link: any QuestionClient,
        _ heartbeat: Heartbeat
    ) async throws -> any Child {
        let entry = try #require(try CourierLife.read(CourierLife.influx).targets.first)
        let network = TargetNetwork(life.internet)
        let pauses = PauseFile(
            life.files,
            names: ["influx"],
            boot: nil,
            clock: life.clock,
            logger: Logger(label: "courier") { _ in SwiftLogNoOpLogHandler() }
        )
        let outlet = Connector(.target(entry), over: network, clock: life.clock, pauses: pauses)
        let task = HeartbeatTask(
            HeartbeatTarget(url: "http://192.168.1.5:8086/u"),
            asking: link,
            over: network,
            clock: life.clock,
            heartbeat: heartbeat,
            id: "alive"
        )
        await outlet.begin(task)
        try await outlet.pause(for: .seconds(5))
        return ConnectorChild(outlet: outlet, tasks: [task])
    }
}
