import ControlProtocol
import Core
import SimulationKit
import Testing

@testable import Alerts
@testable import CourierSimulation
@testable import Profiles
@testable import RoostCourier

@Suite struct PushTaskTests {
    @Test func tellsEachBrowserOnceInItsLanguageThroughRestarts() throws {
        try simulate { clock in
            let life = try PushLife(clock)
            let node = life.courier.node()
            try await life.courier.run(node) {
                try await clock.sleep(for: .seconds(5))
                try await life.addBrowser(node, "/1")
                try await life.addBrowser(node, "/2", language: "de")
                life.courier.station.record(PushLife.raised(1))
                try await clock.sleep(for: .seconds(5))
                #expect(Set(life.browsers.messages.map(\.path)) == ["/1", "/2"])
                try await clock.sleep(for: .minutes(30))
            }
            #expect(life.browsers.messages.count == 2)
            let titles = life.browsers.messages.map { $0.json["title"] }
            let title = "balcony: Air Quality Alert"
            #expect(titles[0] == .string(title) && titles[0] != titles[1])
            for _ in 0..<3 {
                let node = life.courier.node()
                try await life.courier.run(node) { try await clock.sleep(for: .minutes(10)) }
            }
            #expect(life.browsers.messages.count == 2)
            let last = life.courier.node()
            try await life.courier.run(last) {
                try await clock.sleep(for: .seconds(5))
                life.courier.station.record(PushLife.resolved(2, of: 1))
                try await clock.sleep(for: .minutes(1))
            }
            #expect(life.browsers.messages.count == 4)
            let report = try #require(await last.report.receivers.first)
            #expect(report.notices?.sent == 4)
            let told = life.courier.station.events.filter { $0.hasPrefix("notice sent") }
            #expect(told.count == 1 && told.first?.hasSuffix("who-24h:dust/pm25") == true)
            withExtendedLifetime(life.courier.station.folder) {}
        }
    }

    /// A notice that waits says why and until when, and a restart sends no ends early.
    @Test func saysWhyANoticeWaits() throws {
        try simulate { clock in
            let life = try PushLife(clock)
            let node = life.courier.node()
            try await life.courier.run(node) {
                try await clock.sleep(for: .seconds(5))
                try await life.addBrowser(node, "/1", every: 1_200)
                try await clock.sleep(for: .seconds(5))
                life.courier.station.record(PushLife.raised(1))
                try await clock.sleep(for: .seconds(5))
                #expect(life.browsers.messages.count == 1)
                #expect(await node.report.receivers.first?.why == nil)
                let other = AlertEvent.Key("who-24h", "dust/pm10")
                life.courier.station.record(PushLife.raised(2, other))
                try await clock.sleep(for: .minutes(1))
                let report = try #require(await node.report.receivers.first)
                #expect(report.why == "it had a notice less than everySeconds ago")
                #expect(report.state == .waiting && report.code == "spaced")
                #expect((1_100...1_140).contains(report.nextTrySeconds ?? 0), "\(report)")
                try await clock.sleep(for: .minutes(20))
                #expect(life.browsers.messages.count == 2)
                #expect(await node.report.receivers.first?.why == nil)
                life.courier.station.record(PushLife.resolved(3, of: 1))
                try await clock.sleep(for: .minutes(21))
                #expect(life.browsers.messages.count == 3)
                let last = AlertEvent.Key("who-24h", "dust/pm1")
                life.courier.station.record(PushLife.raised(4, last))
                try await clock.sleep(for: .minutes(21))
                life.courier.station.record(PushLife.resolved(5, of: 4))
                try await clock.sleep(for: .minutes(1))
                #expect(life.browsers.messages.count == 5)
            }
            life.courier.station.record(PushLife.resolved(6, of: 2))
            let next = life.courier.node()
            try await life.courier.run(next) {
                try await clock.sleep(for: .minutes(10))
                #expect(life.browsers.messages.count == 5, "an end ten minutes after the last one")
                try await clock.sleep(for: .minutes(11))
                #expect(life.browsers.messages.count == 6)
            }
            withExtendedLifetime(life.courier.station.folder) {}
        }
    }

    @Test func theOwnersSentenceStandsFirst() throws {
        try simulate { clock in
            let life = try PushLife(clock)
            let node = life.courier.node()
            try await life.courier.run(node) {
                try await clock.sleep(for: .seconds(5))
                try await life.addBrowser(node, "/1")
                try await life.addBrowser(node, "/2", language: "it")
                try await clock.sleep(for: .seconds(5))
                let key = AlertEvent.Key(OwnRule.id, "dust/co2")
                life.courier.station.record(PushLife.raised(1, key))
                try await clock.sleep(for: .minutes(1))
            }
            let bodies = life.browsers.messages.compactMap { message -> String? in
                guard case .string(let text)? = message.json["body"] else { return nil }
                return text
            }
            #expect(bodies.contains { $0.hasPrefix("Open a window: 16.1 µg/m³\ndust CO2: 16.1") })
            #expect(bodies.contains { $0.hasPrefix("Apri la finestra: 16,1 µg/m³\n") })
            withExtendedLifetime(life.courier.station.folder) {}
        }
    }

    /// An hour of bad air: a phone is notified again after its interval.
    @Test func phonesAreRemindedAfterTheirOwnInterval() throws {
        try simulate { clock in
            let life = try PushLife(clock)
            let node = life.courier.node()
            try await life.courier.run(node) {
                try await clock.sleep(for: .seconds(5))
                #expect(try await life.addPhone(node, 1, every: 300) == "added")
                try await life.addPhone(node, 2, every: 3_600)
                try await life.addPhone(node, 3)
                try await clock.sleep(for: .seconds(5))
                life.courier.station.record(PushLife.raised(1))
                try await clock.sleep(for: .seconds(3_590))
            }
            let counts = Dictionary(grouping: life.phones.messages, by: \.device)
                .mapValues(\.count)
            #expect(counts[PushLife.token(1)] == 12)
            #expect(counts[PushLife.token(2)] == 1)
            #expect(counts[PushLife.token(3)] == 3)
            #expect(Set(life.phones.messages.map(\.collapse)).count == 1)
            withExtendedLifetime(life.courier.station.folder) {}
        }
    }

    /// Eight hours of alerts that come and go, with a restart each hour.
    @Test func flappingAlertsAndRestartsStayBelowTheInterval() throws {
        try simulate { clock in
            let life = try PushLife(clock)
            let begun = clock.now
            var number: Int64 = 0
            for hour in 0..<8 {
                let node = life.courier.node()
                let first = number
                number += 60
                try await life.courier.run(node) {
                    try await clock.sleep(for: .seconds(5))
                    if hour == 0 { try await life.addPhone(node, 1) }
                    for step in 1...60 {
                        let next = first + Int64(step)
                        let isRaise = next % 2 == 1
                        life.courier.station.record(
                            isRaise ? PushLife.raised(next) : PushLife.resolved(next, of: next - 1)
                        )
                        try await clock.sleep(for: .seconds(59))
                    }
                }
            }
            let count = life.phones.messages.count
            let hours = begun.duration(to: clock.now).inSeconds / 3_600
            // One of what begins or lasts, and one of what is over.
            #expect(Double(count) <= 2 * (hours * 3 + 1), "\(count) in \(hours) h")
            #expect(count >= 20, "\(count): an interval that passes brings what happened in it")
            withExtendedLifetime(life.courier.station.folder) {}
        }
    }

    @Test func aBrowserThatIsGoneIsRemoved() throws {
        try simulate { clock in
            let life = try PushLife(clock)
            let node = life.courier.node()
            try await life.courier.run(node) {
                try await clock.sleep(for: .seconds(5))
                try await life.addBrowser(node, "/1")
                try await life.addBrowser(node, "/2")
                life.browsers.end("/1")
                life.courier.station.record(PushLife.raised(1))
                try await clock.sleep(for: .minutes(1))
                let list = try await PushLife.ask(node, GetSubscribers())
                #expect(list.count == 1 && list.subscribers.map(\.host) == ["push.example.org"])
            }
            #expect(life.browsers.messages.map(\.path) == ["/2"])
            withExtendedLifetime(life.courier.station.folder) {}
        }
    }

    @Test func oneServiceThatFailsLeavesTheOthersAlone() throws {
        try simulate { clock in
            let life = try PushLife(clock)
            let other = WebPushServer(origin: "https://other.example.com", clock: clock)
            life.courier.internet.add(other, at: "other.example.com")
            let node = life.courier.node()
            try await life.courier.run(node) {
                try await clock.sleep(for: .seconds(5))
                try await life.addBrowser(node, "/1")
                let browser = try WebPushServer.Browser(path: "/far")
                other.add(browser)
                var push = SubscribePush(
                    kind: "webpush",
                    address: "https://other.example.com/far"
                )
                push.p256dh = Base64.url(browser.key.point)
                push.auth = Base64.url(browser.secret)
                _ = try await PushLife.ask(node, push)
                life.courier.internet.set(.refused, at: "push.example.org")
                life.courier.station.record(PushLife.raised(1))
                try await clock.sleep(for: .minutes(30))
                #expect(other.messages.count == 1 && life.browsers.messages.isEmpty)
                #expect(await node.report.receivers.first?.state == .later)
                life.courier.station.record(PushLife.resolved(2, of: 1))
                try await clock.sleep(for: .minutes(5))
                #expect(other.messages.count == 2, "a service that fails holds up its own alone")
                life.courier.internet.set(nil, at: "push.example.org")
                try await clock.sleep(for: .minutes(40))
            }
            #expect(other.messages.count == 2)
            let kinds = life.browsers.messages.map { $0.json["kind"] }
            #expect(kinds == [.string("resolved")], "what is over is not told as if it lasted")
            withExtendedLifetime(life.courier.station.folder) {}
        }
    }

    @Test func aKeyThatIsRefusedHoldsTheReceiverAndLosesNobody() throws {
        try simulate { clock in
            let life = try PushLife(clock)
            let node = life.courier.node()
            try await life.courier.run(node) {
                try await clock.sleep(for: .seconds(5))
                try await life.addPhone(node, 1)
                try await clock.sleep(for: .seconds(1))
                for _ in 0..<2 {
                    let text = #"{"reason":"InvalidProviderToken"}"#
                    life.phones.next(OutboundAnswer(403, text: text))
                }
                life.courier.station.record(PushLife.raised(1))
                try await clock.sleep(for: .minutes(10))
                let report = await node.report.receivers.last
                #expect(report?.state == .held)
                #expect(report?.why?.contains("team") == true)
                try await clock.sleep(for: .hours(3))
                #expect(await node.report.receivers.last?.state == .idle)
                let list = try await PushLife.ask(node, GetSubscribers())
                #expect(list.count == 1)
            }
            // A reminder each 20 min, and one of those that the key held up.
            #expect((4...7).contains(life.phones.messages.count), "\(life.phones.messages.count)")
            withExtendedLifetime(life.courier.station.folder) {}
        }
    }

    @Test func tenASecondAndNoMore() throws {
        try simulate { clock in
            let life = try PushLife(clock)
            let node = life.courier.node()
            try await life.courier.run(node) {
                try await clock.sleep(for: .seconds(5))
                for number in 0..<300 { try await life.addPhone(node, number) }
                life.courier.station.record(PushLife.raised(1))
                // A second, with a tolerance of one, in which alerts of one sample come.
                try await clock.sleep(for: .seconds(12))
                #expect((95...105).contains(life.phones.messages.count))
                try await clock.sleep(for: .seconds(25))
                #expect(life.phones.messages.count == 300)
            }
            withExtendedLifetime(life.courier.station.folder) {}
        }
    }

    @Test func aCursorReadsBackAndStaysSmall() throws {
        var cursor = PushCursor()
        (cursor.sentCount, cursor.time) = (7, TargetFixture.time)
        cursor.groups = [60, 1_200].map { interval in
            .init(interval: interval, lastNumber: 9, sentAge: .seconds(61), told: [3, 8])
        }
        #expect(try PushCursor(cursor.encode()) == cursor)
        cursor.groups = (1...200).map { number in
            .init(interval: 60 * number, lastNumber: 9, sentAge: .zero, told: Array(1...64))
        }
        #expect((500...1_024).contains(cursor.encode().count))
        for count in 0..<cursor.encode().count {
            #expect(throws: CursorError.self) {
                try PushCursor(Array(cursor.encode().prefix(count)))
            }
        }
    }
}
