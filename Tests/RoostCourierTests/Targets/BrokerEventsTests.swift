import Core
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import RoostCourier

/// Tests the events of alerts that a broker gets after it was away.
@Suite struct BrokerEventsTests {
    private static let key = AlertEvent.Key("who-24h", "dust/pm25")

    private static func news(_ event: AlertEvent) throws -> MQTTEvent {
        .alert(try #require(MQTTEvent.Alert(event, time: TargetFixture.time, age: .zero)))
    }

    private static func raised(_ number: Int64) throws -> MQTTEvent {
        try news(.raised(AlertEvent.Raised(number, key)))
    }

    private static func resolved(_ number: Int64, of raise: Int64) throws -> MQTTEvent {
        try news(
            .resolved(
                AlertEvent.Resolved(
                    number: number,
                    raise: raise,
                    key: key,
                    why: .over,
                    lasted: 60,
                    worst: 18.4,
                    severity: .warning
                )
            )
        )
    }

    /// An automation that acts on `alert` must not see an alert that is already over.
    @Test func anAlertThatCameAndWentMeanwhileIsLate() throws {
        try simulate { clock in
            let world = MQTTTargetTests.World(clock)
            let news = BrokerEvents(world.target, over: world.internet, clock: clock)
            try await world.attended {
                _ = try await clock.run(news.run) {
                    try await clock.sleep(for: .seconds(5))
                    await news.append(try Self.raised(1))
                    try await clock.sleep(for: .seconds(5))
                    world.internet.set(.near, at: "broker")
                    world.broker.restart()
                    await news.append(try Self.raised(2))
                    await news.append(try Self.resolved(3, of: 2))
                    await news.append(try Self.resolved(4, of: 1))
                    await news.append(try Self.raised(5))
                    try await clock.sleep(for: .seconds(60))
                    world.internet.set(nil, at: "broker")
                    try await clock.sleep(for: .seconds(60))
                    // Alerts that begin and end while the broker is there are told as they happen.
                    await news.append(try Self.resolved(6, of: 5))
                    await news.append(try Self.raised(7))
                    try await clock.sleep(for: .seconds(10))
                    await news.append(try Self.resolved(8, of: 7))
                    try await clock.sleep(for: .seconds(10))
                }
            }
            func ids(_ topic: String) -> [String] {
                world.broker.arrivals.filter { $0.message.topic.hasSuffix(topic) }.compactMap {
                    $0.text.split(separator: "\"").dropFirst(3).first.map(String.init)
                }
            }
            #expect(ids("/alert") == ["1", "4", "5", "6", "7", "8"])
            #expect(ids("/alert/late") == ["2", "3"])
        }
    }
}
