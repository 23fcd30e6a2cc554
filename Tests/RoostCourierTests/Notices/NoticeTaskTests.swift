import ControlProtocol
import Core
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import Profiles
@testable import RoostCourier

@Suite struct NoticeTaskTests {
    private static let key = AlertEvent.Key("who-24h", "dust/pm25")
    private static let phone = """
        {"id":"phone","type":"ntfy","url":"https://ntfy.example","topic":{"secret":"t"}}
        """

    private static func raised(_ number: Int64, _ key: AlertEvent.Key = key) -> AlertEvent {
        var raised = AlertEvent.Raised(number, key)
        (raised.value, raised.unit, raised.limit, raised.over) = (16.1, "µg/m³", 15, 86_400)
        return .raised(raised)
    }

    private static func resolved(_ number: Int64, of raise: Int64) -> AlertEvent {
        .resolved(
            AlertEvent.Resolved(
                number: number,
                raise: raise,
                key: key,
                why: .over,
                lasted: 7_200,
                worst: 18.4,
                severity: .warning
            )
        )
    }

    private static func texts(_ server: NtfyServer) -> [String] {
        server.published.map { message in
            ["title", "message"].map { key in
                guard case .string(let text)? = message[key] else { return "" }
                return text
            }.joined(separator: "\n")
        }
    }

    private static func life(_ clock: SimulatedClock) throws -> (CourierLife, NtfyServer) {
        let life = try CourierLife(clock, targets: "", receivers: phone)
        life.secrets.set("t", "air")
        let server = NtfyServer()
        life.internet.add(server, at: "ntfy.example")
        return (life, server)
    }

    @Test func tellsAnAlertOnceThroughRestartsOfBoth() throws {
        try simulate { clock in
            let (life, server) = try Self.life(clock)
            let node = life.node()
            try await life.run(node) {
                try await clock.sleep(for: .seconds(5))
                life.station.record(Self.raised(1))
                try await clock.sleep(for: .seconds(9))
                #expect(Self.texts(server).isEmpty, "the first waits for others of its moment")
                try await clock.sleep(for: .seconds(3))
                #expect(Self.texts(server).count == 1)
                let latest = await node.report.receivers.first?.notices?.latest
                #expect(latest?.map(\.key) == ["who-24h:dust/pm25"])
            }
            #expect(Self.texts(server).first?.contains("dust PM2.5: 16.1 µg/m³") == true)
            try life.station.reboot()
            for _ in 0..<4 {
                let node = life.node()
                try await life.run(node) { try await clock.sleep(for: .minutes(10)) }
            }
            #expect(Self.texts(server).count == 1)
            let last = life.node()
            try await life.run(last) {
                try await clock.sleep(for: .seconds(5))
                life.station.record(Self.resolved(2, of: 1))
                // Without a clock a new process takes it that a notice went out just now.
                try await clock.sleep(for: .minutes(21))
            }
            #expect(Self.texts(server).count == 2)
            #expect(Self.texts(server).last?.contains("Alert is over") == true)
            let report = await last.report
            #expect(report.receivers.first?.notices?.sent == 2)
            #expect(report.receivers.first?.notices?.latest == [], "the end is no first notice")
            let told = life.station.events.filter { $0.hasPrefix("notice sent") }
            #expect(told == ["notice sent phone who-24h:dust/pm25"], "once, when it was raised")
            withExtendedLifetime(life.station.folder) {}
        }
    }

    @Test func whatHappenedWhileItWasAwayIsToldAsItIsNow() throws {
        try simulate { clock in
            let (life, server) = try Self.life(clock)
            let first = life.node()
            try await life.run(first) { try await clock.sleep(for: .seconds(5)) }
            // The courier has been there; a cursor is kept once something was said.
            let node = life.node()
            try await life.run(node) {
                try await clock.sleep(for: .seconds(5))
                life.station.record(Self.raised(1))
                try await clock.sleep(for: .minutes(1))
            }
            life.station.record(Self.resolved(2, of: 1))
            life.station.record(Self.raised(3))
            life.station.record(Self.resolved(4, of: 3))
            life.station.record(Self.raised(5))
            try await clock.sleep(for: .minutes(60))
            let back = life.node()
            try await life.run(back) { try await clock.sleep(for: .minutes(21)) }
            #expect(Self.texts(server).count == 2)
            #expect(Self.texts(server).last?.contains("16.1") == true)
            withExtendedLifetime(life.station.folder) {}
        }
    }

    /// A cursor that cannot be read is said once, and is no fault while nothing is to be said.
    @Test func aLostCursorIsNoFaultOfAQuietReceiver() throws {
        try simulate { clock in
            let (life, server) = try Self.life(clock)
            _ = try await life.station.ask(KeepCursor("phone", [9, 9, 9]))
            for lost in ["\(CursorError.otherVersion(9))", nil] {
                let node = life.node()
                try await life.run(node) {
                    try await clock.sleep(for: .minutes(40))
                    let report = try #require(await node.report.receivers.first)
                    #expect(report.code == nil && report.state == .idle && report.why == nil)
                    #expect(report.cursorLost == lost)
                }
            }
            let said = life.station.events.filter { $0.hasPrefix("outbox") }
            #expect(said == ["outbox resumed phone"], "\(said)")
            let kept = try await life.station.ask(KeepCursor())
            #expect(kept.cursors.first { $0.name == "phone.lost" }?.bytes == [9, 9, 9])
            let last = life.node()
            try await life.run(last) {
                try await clock.sleep(for: .seconds(5))
                life.station.record(Self.raised(1))
                // Without a clock a new process takes it that a notice went out just now.
                try await clock.sleep(for: .minutes(21))
            }
            #expect(Self.texts(server).count == 1)
            withExtendedLifetime(life.station.folder) {}
        }
    }

    /// Ends come once an interval, whatever restarts meanwhile.
    @Test func aRestartFreesNoEnds() throws {
        try simulate { clock in
            clock.setWallTime(TargetFixture.time)
            let (life, server) = try Self.life(clock)
            let other = AlertEvent.Key("who-24h", "dust/pm10")
            let node = life.node()
            try await life.run(node) {
                try await clock.sleep(for: .seconds(5))
                life.station.record(Self.raised(1))
                life.station.record(Self.raised(2, other))
                try await clock.sleep(for: .minutes(21))
                life.station.record(Self.resolved(3, of: 1))
                try await clock.sleep(for: .minutes(1))
                #expect(Self.texts(server).count == 2)
            }
            let next = life.node()
            try await life.run(next) {
                try await clock.sleep(for: .seconds(5))
                life.station.record(Self.resolved(4, of: 2))
                try await clock.sleep(for: .minutes(10))
                #expect(Self.texts(server).count == 2, "an end ten minutes after the last one")
                let report = try #require(await next.report.receivers.first)
                #expect(report.why == "it had a notice less than everySeconds ago")
                try await clock.sleep(for: .minutes(10))
                #expect(Self.texts(server).count == 3)
            }
            withExtendedLifetime(life.station.folder) {}
        }
    }

    @Test func aNoticeWaitsForTheNetworkAndIsNotLost() throws {
        try simulate { clock in
            let (life, server) = try Self.life(clock)
            life.internet.set(.unreachable, at: "ntfy.example")
            let node = life.node()
            try await life.run(node) {
                try await clock.sleep(for: .seconds(5))
                life.station.record(Self.raised(1))
                try await clock.sleep(for: .minutes(30))
                #expect(await node.report.receivers.first?.state == .later)
            }
            #expect(Self.texts(server).isEmpty)
            life.internet.set(nil, at: "ntfy.example")
            let next = life.node()
            try await life.run(next) { try await clock.sleep(for: .minutes(1)) }
            #expect(Self.texts(server).count == 1)
            withExtendedLifetime(life.station.folder) {}
        }
    }

    @Test func anAnswerThatIsLostMeansOneRepetitionAtMost() throws {
        try simulate { clock in
            let (life, server) = try Self.life(clock)
            life.internet.set(.answerLost, at: "ntfy.example")
            let node = life.node()
            try await life.run(node) {
                try await clock.sleep(for: .seconds(5))
                life.station.record(Self.raised(1))
                try await clock.sleep(for: .minutes(60))
            }
            #expect(Self.texts(server).count == 2)
            withExtendedLifetime(life.station.folder) {}
        }
    }

    /// Answers each request with what a bot's service says of a chat that it does not know.
    private struct Telegram: SimulatedServer {
        func answer(_ request: OutboundRequest) async -> OutboundAnswer {
            let text = #"{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}"#
            return OutboundAnswer(400, ["content-type": "application/json"], text: text)
        }
    }

    @Test(arguments: ["phone", "chat"])
    func aReceiverThatIsDeadIsSaidWithinAMinuteOfItsFirstRefusal(id: String) throws {
        let bot = """
            {"id":"chat","type":"telegram","url":"https://bot.example","chat":"7",
             "token":{"secret":"t"}}
            """
        try simulate { clock in
            let entry = id == "chat" ? bot : Self.phone
            let life = try CourierLife(clock, targets: "", receivers: entry)
            life.secrets.set("t", "air")
            life.internet.add(NtfyServer(), at: "ntfy.example")
            life.internet.add(Telegram(), at: "bot.example")
            life.internet.set(.status(403, retryAfterSeconds: nil), at: "ntfy.example")
            let node = life.node()
            try await life.run(node) {
                try await clock.sleep(for: .seconds(5))
                #expect(!life.station.events.contains { $0.hasPrefix("outbox late") })
                life.station.record(Self.raised(1))
                try await clock.sleep(for: .minutes(1))
                #expect(await node.report.receivers.first?.state == .held)
                #expect(await node.report.receivers.first?.notices?.waiting == 1)
                #expect(life.station.events.contains("outbox late \(id)"))
                // It is another receiver that is to hear of it.
                life.station.record(Self.raised(2, AlertEvent.Key("outbox", id)))
                try await clock.sleep(for: .minutes(1))
                #expect(await node.report.receivers.first?.notices?.waiting == 1)
            }
            withExtendedLifetime(life.station.folder) {}
        }
    }

    @Test func aNoticeSaysOfWhichStationItIsAndWhereToLook() throws {
        try simulate { clock in
            let (life, server) = try Self.life(clock)
            let configuration = """
                {"network":{"address":"https://air.example.org/"},"receivers":[\(Self.phone)]}
                """
            let node = life.node()
            try await life.run(node) {
                try await clock.sleep(for: .seconds(5))
                let bytes = Array(configuration.utf8)
                try await node.reload(try CourierConfiguration(bytes, file: "courier.json"))
                try await clock.sleep(for: .seconds(5))
                life.station.record(Self.raised(1))
                try await clock.sleep(for: .minutes(1))
            }
            let message = try #require(server.published.first)
            guard case .string(let title)? = message["title"] else {
                Issue.record("\(message)")
                return
            }
            #expect(title.contains(": Air Quality Alert"), "\(title)")
            #expect(message["click"] == .string("https://air.example.org/alerts"))
            withExtendedLifetime(life.station.folder) {}
        }
    }

    private static func present(_ value: Double, worst: Double) -> AlertsReport.Alert {
        var alert = AlertsReport.Alert(
            n: 1,
            key: "\(key)",
            state: "raised",
            level: 1,
            severity: "warning",
            sinceSeconds: 1
        )
        (alert.value, alert.worst) = (value, worst)
        return alert
    }

    /// A reminder has the present value, and its age counts from the raise even after a restart.
    @Test func aReminderSaysHowItIsNow() throws {
        let entry = """
            {"id":"phone","type":"ntfy","url":"https://ntfy.example","topic":{"secret":"t"},
             "remindSeconds":300,"everySeconds":60}
            """
        try simulate { clock in
            let life = try CourierLife(clock, targets: "", receivers: entry)
            life.secrets.set("t", "air")
            let server = NtfyServer()
            life.internet.add(server, at: "ntfy.example")
            let first = life.node()
            try await life.run(first) {
                try await clock.sleep(for: .seconds(5))
                life.station.record(Self.raised(1))
                try await clock.sleep(for: .minutes(1))
            }
            #expect(Self.texts(server).count == 1)
            life.station.said.set(alerts: [Self.present(120, worst: 140.26)])
            try await clock.sleep(for: .minutes(29))
            let second = life.node()
            try await life.run(second) { try await clock.sleep(for: .minutes(6)) }
            #expect(Self.texts(server).count == 2)
            let text = try #require(Self.texts(server).last)
            #expect(text.contains("120.0 µg/m³") && !text.contains("16.1"), "\(text)")
            #expect(text.contains("worst value: 140.3 µg/m³"), "\(text)")
            #expect(text.contains("for 35 min"), "\(text)")
            withExtendedLifetime(life.station.folder) {}
        }
    }

    /// Quiet hours go by the zone that the owner set, and follow it when it changes.
    @Test func quietHoursAreThoseOfTheStationsZone() throws {
        let entry = """
            {"id":"phone","type":"ntfy","url":"https://ntfy.example","topic":{"secret":"t"},
             "quiet":{"from":"02:00","to":"05:00"}}
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
                life.station.record(Self.raised(1))
                try await clock.sleep(for: .minutes(2))
                #expect(Self.texts(server).isEmpty)
                let report = await node.report.receivers.first
                #expect(report?.why == "its quiet hours last")
                life.station.said.set(zone: "1")
                life.station.record("settings changed", ["by": "ann"])
                // `tail` brings it with the next sample.
                life.station.record()
                try await clock.sleep(for: .seconds(30))
                #expect(Self.texts(server).count == 1)
            }
            withExtendedLifetime(life.station.folder) {}
        }
    }
}
