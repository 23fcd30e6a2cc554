import ControlProtocol
import Core
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import Profiles
@testable import RoostCourier

/// Tests a receiver that fails at one notice, or at everything.
@Suite struct NoticeFaultTests {
    private static func raised(_ number: Int64, _ channel: String) -> AlertEvent {
        var raised = AlertEvent.Raised(number, AlertEvent.Key("who-24h", "dust/\(channel)"))
        (raised.value, raised.unit, raised.limit, raised.over) = (16.1, "µg/m³", 15, 86_400)
        return .raised(raised)
    }

    private static func life(
        _ clock: SimulatedClock,
        _ options: String = ""
    ) throws -> (CourierLife, NtfyServer, Choker) {
        let phone = """
            {"id":"phone","type":"ntfy","url":"https://ntfy.example",
             "topic":{"secret":"t"}\(options)}
            """
        let life = try CourierLife(clock, targets: "", receivers: phone)
        life.secrets.set("t", "air")
        let server = NtfyServer()
        let choker = Choker(server) { $0.text.contains("PM2.5") }
        life.internet.add(choker, at: "ntfy.example")
        return (life, server, choker)
    }

    private static func texts(_ server: NtfyServer) -> [String] {
        server.published.map { message in
            guard case .string(let text)? = message["message"] else { return "" }
            return text
        }
    }

    /// One alert cannot be sent; others, at the same time and later, can.
    @Test func oneNoticeHoldsNoOthers() throws {
        try simulate { clock in
            clock.setWallTime(TargetFixture.time)
            let (life, server, choker) = try Self.life(clock)
            let node = life.node()
            try await life.run(node) {
                try await clock.sleep(for: .seconds(5))
                life.station.record(Self.raised(1, "pm25"))
                life.station.record(Self.raised(2, "pm10"))
                life.station.record(Self.raised(3, "pm1"))
                try await clock.sleep(for: .minutes(3))
                let texts = Self.texts(server).joined(separator: "\n")
                #expect(texts.contains("PM10") && texts.contains("PM1:"), "\(texts)")
                // Notices that went out are not repeated for the one that does not.
                #expect(Self.texts(server).count <= 2)
                try await clock.sleep(for: .minutes(30))
                #expect(Self.texts(server).count <= 2)
                life.station.record(Self.raised(4, "co2"))
                try await clock.sleep(for: .minutes(1))
                #expect(Self.texts(server).last?.contains("CO2") == true)
                let report = try #require(await node.report.receivers.first)
                #expect(report.notices?.waiting == 1)
                let why = "it refuses the notice of who-24h dust/pm25 (status 500: cannot)"
                #expect(report.why?.hasPrefix(why) == true, "\(report)")
                #expect(life.station.events.count { $0.hasPrefix("outbox refused") } == 1)
                #expect((5...20).contains(choker.failureCount), "\(choker.failureCount)")
            }
            let next = life.node()
            try await life.run(next) {
                try await clock.sleep(for: .minutes(60))
                #expect(!Self.texts(server).joined().contains("PM2.5"))
                choker.set { _ in false }
                try await clock.sleep(for: .minutes(20))
                let found = Self.texts(server).filter { $0.contains("PM2.5") }
                #expect(found.count == 1, "\(Self.texts(server))")
                #expect(await next.report.receivers.first?.notices?.waiting == 0)
                #expect(await next.report.receivers.first?.why == nil)
            }
            withExtendedLifetime(life.station.folder) {}
        }
    }

    @Test func aLaterAlertGoesAtOnceBesideOneThatCannot() throws {
        try simulate { clock in
            clock.setWallTime(TargetFixture.time)
            let (life, server, _) = try Self.life(clock)
            let node = life.node()
            try await life.run(node) {
                try await clock.sleep(for: .seconds(5))
                life.station.record(Self.raised(1, "pm25"))
                try await clock.sleep(for: .minutes(61))
                #expect(await node.report.receivers.first?.state == .later)
                life.station.record(Self.raised(2, "pm10"))
                try await clock.sleep(for: .seconds(30))
                #expect(Self.texts(server).count == 1)
                #expect(Self.texts(server).first?.contains("PM10") == true)
            }
            withExtendedLifetime(life.station.folder) {}
        }
    }

    /// A receiver that took a notice is asked again, although it then refuses another one.
    @Test func aRefusalAfterADeliveryWaitsForNoEarlierFailure() throws {
        try simulate { clock in
            clock.setWallTime(TargetFixture.time)
            let (life, server, choker) = try Self.life(clock, #","everySeconds":60"#)
            let picky = Choker(choker, status: 400) { $0.text.contains("PM1:") }
            life.internet.add(picky, at: "ntfy.example")
            let node = life.node()
            try await life.run(node) {
                func nextTry() async -> Double {
                    await node.report.receivers.first?.nextTrySeconds ?? 0
                }
                try await clock.sleep(for: .seconds(5))
                life.station.record(Self.raised(1, "pm25"))
                try await clock.sleep(for: .minutes(61))
                while await nextTry() < 300 { try await clock.sleep(for: .seconds(20)) }
                life.station.record(Self.raised(2, "pm10"))
                try await clock.sleep(for: .seconds(15))
                #expect(Self.texts(server).count == 1)
                try await clock.sleep(for: .seconds(60))
                life.station.record(Self.raised(3, "pm1"))
                try await clock.sleep(for: .seconds(15))
                #expect(picky.failureCount == 1)
                #expect(await node.report.receivers.first?.state == .held)
                guard case .raised(var critical) = Self.raised(4, "co2") else { return }
                critical.severity = .critical
                life.station.record(.raised(critical))
                try await clock.sleep(for: .seconds(15))
                #expect(Self.texts(server).last?.contains("CO2") == true, "\(Self.texts(server))")
            }
            withExtendedLifetime(life.station.folder) {}
        }
    }

    /// A log-in that is refused meanwhile is tried each hour, whatever is new.
    @Test func aHoldEndsTheSearch() throws {
        try simulate { clock in
            clock.setWallTime(TargetFixture.time)
            let (life, server, _) = try Self.life(clock)
            let node = life.node()
            try await life.run(node) {
                try await clock.sleep(for: .seconds(5))
                life.station.record(Self.raised(1, "pm25"))
                try await clock.sleep(for: .minutes(61))
                let count = life.internet.exchangeCount
                life.internet.set(.status(403, retryAfterSeconds: nil), at: "ntfy.example")
                life.station.record(Self.raised(2, "pm10"))
                try await clock.sleep(for: .minutes(25))
                #expect(await node.report.receivers.first?.state == .held)
                #expect(life.internet.exchangeCount == count + 1)
                life.internet.set(nil, at: "ntfy.example")
                try await clock.sleep(for: .minutes(120))
                #expect(Self.texts(server).joined().contains("PM10"))
            }
            withExtendedLifetime(life.station.folder) {}
        }
    }

    @Test func aReceiverThatIsDownIsNotAskedMore() throws {
        try simulate { clock in
            clock.setWallTime(TargetFixture.time)
            let (life, server, choker) = try Self.life(clock)
            choker.set { _ in true }
            let node = life.node()
            try await life.run(node) {
                try await clock.sleep(for: .seconds(5))
                let all = ["pm25", "pm10", "pm1", "co2", "temperature", "humidity"]
                for (index, channel) in all.enumerated() {
                    life.station.record(Self.raised(Int64(index) + 1, channel))
                }
                try await clock.sleep(for: .minutes(180))
                #expect((12...40).contains(choker.failureCount), "\(choker.failureCount)")
                #expect(await node.report.receivers.first?.notices?.waiting == 6)
                choker.set { _ in false }
                try await clock.sleep(for: .minutes(40))
                #expect(await node.report.receivers.first?.notices?.waiting == 0)
                #expect(Self.texts(server).count <= 6)
            }
            withExtendedLifetime(life.station.folder) {}
        }
    }

    /// What waits for the end of the quiet hours does not hold a critical alert of now.
    @Test func anUndeliveredNoticeHoldsNoCriticalOneThroughTheQuietHours() throws {
        let entry = """
            {"id":"phone","type":"ntfy","url":"https://ntfy.example","topic":{"secret":"t"},
             "quiet":{"from":"03:54","to":"07:00"}}
            """
        try simulate { clock in
            let life = try CourierLife(clock, targets: "", receivers: entry)
            life.secrets.set("t", "air")
            let server = NtfyServer()
            life.internet.add(server, at: "ntfy.example")
            // 10:52 in UTC is 03:52 seven hours to the west.
            clock.setWallTime(WallTime(nanoseconds: 1_795_344_720_000_000_000))
            life.station.said.set(zone: "-7")
            let node = life.node()
            try await life.run(node) {
                try await clock.sleep(for: .seconds(5))
                life.internet.setDown(true)
                life.station.record(Self.raised(1, "pm25"))
                try await clock.sleep(for: .minutes(20))
                life.internet.setDown(false)
                try await clock.sleep(for: .minutes(20))
                #expect(Self.texts(server).isEmpty, "its quiet hours last")
                guard case .raised(var critical) = Self.raised(2, "co2") else { return }
                critical.severity = .critical
                life.station.record(.raised(critical))
                try await clock.sleep(for: .minutes(1))
                #expect(Self.texts(server).joined().contains("CO2"), "\(Self.texts(server))")
            }
            withExtendedLifetime(life.station.folder) {}
        }
    }
}
