import ControlProtocol
import Core
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import RoostCourier

/// Tests a push service that fails for one subscriber, or for all.
@Suite struct PushFaultTests {
    @Test(arguments: [500, 403])
    func oneSubscriberHoldsNoOthers(status: Int) throws {
        try simulate { clock in
            let life = try PushLife(clock)
            let choker = Choker(life.browsers, status: status) { $0.path == "/1" }
            life.courier.internet.add(choker, at: "push.example.org")
            @Sendable func paths() -> [String] { life.browsers.messages.map(\.path).sorted() }
            let node = life.courier.node()
            try await life.courier.run(node) {
                try await clock.sleep(for: .seconds(5))
                for path in ["/1", "/2", "/3"] { try await life.addBrowser(node, path) }
                try await clock.sleep(for: .seconds(5))
                life.courier.station.record(PushLife.raised(1))
                try await clock.sleep(for: .minutes(1))
                #expect(paths() == ["/2", "/3"])
                try await clock.sleep(for: .minutes(60))
                let other = AlertEvent.Key("who-24h", "dust/pm10")
                life.courier.station.record(PushLife.raised(2, other))
                try await clock.sleep(for: .seconds(10))
                #expect(paths() == ["/2", "/2", "/3", "/3"], "whatever waits for the first")
                let report = try #require(await node.report.receivers.first)
                #expect(report.why?.hasPrefix("it refuses the messages of subscriber ") == true)
                #expect(report.state != .held && report.state != .later, "\(report)")
                #expect((4...20).contains(choker.failureCount), "\(choker.failureCount)")
                choker.set { _ in false }
                try await clock.sleep(for: .minutes(16))
                #expect(paths().contains("/1"))
                #expect(await node.report.receivers.first?.why == nil)
            }
            withExtendedLifetime(life.courier.station.folder) {}
        }
    }

    @Test func aServiceThatIsDownIsAskedForOneOther() throws {
        try simulate { clock in
            let life = try PushLife(clock)
            let choker = Choker(life.browsers) { _ in true }
            life.courier.internet.add(choker, at: "push.example.org")
            let node = life.courier.node()
            try await life.courier.run(node) {
                try await clock.sleep(for: .seconds(5))
                for number in 1...20 { try await life.addBrowser(node, "/\(number)") }
                try await clock.sleep(for: .seconds(5))
                life.courier.station.record(PushLife.raised(1))
                try await clock.sleep(for: .minutes(60))
                #expect((6...16).contains(choker.failureCount), "\(choker.failureCount)")
                choker.set { _ in false }
                try await clock.sleep(for: .minutes(30))
            }
            #expect(Set(life.browsers.messages.map(\.path)).count == 20)
            #expect(life.browsers.messages.count == 20)
            withExtendedLifetime(life.courier.station.folder) {}
        }
    }
}
