import ControlProtocol
import Core
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import Profiles
@testable import RoostCourier

@Suite struct PushSubscriptionsTests {
    private static func notify(
        _ node: CourierNode,
        _ pollutant: String = "PM2.5",
        _ value: String = "12.3",
        _ time: String = "07:49 AM"
    ) async throws -> PushNotifyReport {
        let notice = NotifySubscribers(time: time, pollutant: pollutant, value: value)
        return try await PushLife.ask(node, notice)
    }

    private static func subtitle(_ json: JSONValue) -> JSONValue? {
        json["aps"]?["alert"]?["subtitle"]
    }

    /// Follows the seed's server: a push each 20 minutes, PM10 together with PM2.5.
    @Test func aNoticeOfAnotherProgramReachesPhonesOnceInTheirInterval() throws {
        try simulate { clock in
            let life = try PushLife(clock)
            let node = life.courier.node()
            try await life.courier.run(node) {
                try await clock.sleep(for: .minutes(21))
                try await life.addPhone(node, 1)
                try await clock.sleep(for: .seconds(1))
                #expect(try await Self.notify(node).isTaken)
                try await clock.sleep(for: .seconds(20))
                #expect(try await Self.notify(node, "PM10", "20.5").isTaken, "it joins")
                let refused = try await Self.notify(node, "PM10", "20.5")
                #expect(!refused.isTaken && refused.retryAfterSeconds == 1_180)
                try await clock.sleep(for: .seconds(1_180))
                #expect(try await Self.notify(node).isTaken)
                try await clock.sleep(for: .seconds(31))
                #expect(try await !Self.notify(node, "PM10").isTaken, "too late to join")
            }
            let messages = life.phones.messages
            #expect(messages.count == 3)
            #expect(
                Self.subtitle(messages[0].json) == .string("PM2.5 of 12.3 measured 07:49 AM")
            )
            #expect(
                messages[1].json["aps"]?["alert"]?["body"]
                    == .string("PM10 of 20.5 measured 07:49 AM")
            )
            #expect(Set(messages.map(\.collapse)).count == 1)
            withExtendedLifetime(life.courier.station.folder) {}
        }
    }

    /// A page says at each visit which browser it is; a new card has no subscriber.
    @Test func aBrowserThatComesAgainIsToldWhatItChose() throws {
        try simulate { clock in
            let life = try PushLife(clock)
            let node = life.courier.node()
            let browser = try WebPushServer.Browser(path: "/wpush/1")
            let endpoint = try browser.endpoint(at: PushLife.origin)
            @Sendable func come(every: Int?) async throws -> PushChangeReport {
                var push = SubscribePush(kind: "webpush", address: endpoint.url)
                push.p256dh = Base64.url(endpoint.key)
                push.auth = Base64.url(endpoint.secret)
                push.every = every
                return try await PushLife.ask(node, push)
            }
            try await life.courier.run(node) {
                try await clock.sleep(for: .seconds(1))
                #expect(
                    try await come(every: nil) == PushChangeReport(change: "added", every: 1_200)
                )
                #expect(
                    try await come(every: 3_600)
                        == PushChangeReport(change: "changed", every: 3_600)
                )
                #expect(
                    try await come(every: nil) == PushChangeReport(change: "same", every: 3_600)
                )
            }
            withExtendedLifetime(life.courier.station.folder) {}
        }
    }

    /// A subscription that no receiver would notify does not count.
    @Test func aPhoneIsRefusedWithoutItsReceiver() throws {
        try simulate { clock in
            let browsers = """
                {"id":"browsers","type":"webpush","contact":"mailto:me@example.org"}
                """
            let life = try PushLife(clock, receivers: browsers)
            let node = life.courier.node()
            try await life.courier.run(node) {
                try await clock.sleep(for: .seconds(1))
                let failure = await #expect(throws: ControlFailure.self) {
                    try await life.addPhone(node, 1)
                }
                #expect(failure?.code == .notOffered)
            }
            withExtendedLifetime(life.courier.station.folder) {}
        }
    }

    @Test func aProgramThatNeverStopsReachesEachPhoneInItsInterval() throws {
        try simulate { clock in
            let life = try PushLife(clock)
            try await clock.sleep(for: .hours(2))
            var taken = 0
            for part in 0..<6 {
                let node = life.courier.node()
                let count = Counter()
                try await life.courier.run(node) {
                    try await clock.sleep(for: .seconds(10))
                    if part == 0 {
                        try await life.addPhone(node, 1, every: 300)
                        try await life.addPhone(node, 2, every: 3_600)
                        try await clock.sleep(for: .seconds(1))
                    }
                    for _ in 0..<58 {
                        if try await Self.notify(node).isTaken { await count.add() }
                        try await clock.sleep(for: .seconds(10))
                    }
                }
                taken += await count.value
            }
            // An hour, in which the process began anew six times.
            let counts = Dictionary(grouping: life.phones.messages, by: \.device)
                .mapValues(\.count)
            #expect((11...12).contains(counts[PushLife.token(1)] ?? 0), "\(counts)")
            #expect(counts[PushLife.token(2)] == 1)
            #expect((11...12).contains(taken))
            withExtendedLifetime(life.courier.station.folder) {}
        }
    }

    private actor Counter {
        private(set) var value = 0
        func add() { value += 1 }
    }

    @Test func afterAStartOfTheMachineTheTokenCountsAsUsed() throws {
        var buckets = PushBuckets()
        let minute = MonotonicInstant(nanoseconds: 60_000_000_000)
        #expect(buckets.use([1_200], at: minute).isEmpty)
        #expect(buckets.wait([1_200, 3_600], at: minute) == 1_140)
        let later = minute.advanced(by: .hours(2))
        #expect(buckets.use([1_200, 60], at: later) == [60, 1_200])
        let soon = later.advanced(by: .seconds(61))
        var read = PushBuckets(buckets.bytes, at: soon)
        #expect(read == buckets)
        #expect(read.use([1_200, 60], at: soon) == [60])
        #expect(
            PushBuckets(Array("x 1\n60\n60 -5\n1 1\n60 99999999999999\n".utf8), at: soon) == .init()
        )
    }

    @Test(arguments: [
        ("PM2.5", "", "07:49 AM"), ("PM2.5", "-1", "07:49 AM"), ("PM2.5", "12.3", ""),
        ("PM2.5", "many", "07:49 AM"), ("CO2", "12.3", "07:49 AM"), ("", "12.3", "07:49 AM"),
        ("PM2.5", "12.3", "now\u{7}1"), ("PM2.5", "12.3", "at noon"),
        ("PM2.5", "12345678901234567890", "07:49"),
    ])
    func whatIsWrongTakesNoToken(pollutant: String, value: String, time: String) throws {
        try simulate { clock in
            let life = try PushLife(clock)
            let node = life.courier.node()
            try await life.courier.run(node) {
                try await clock.sleep(for: .minutes(21))
                try await life.addPhone(node, 1)
                await #expect(throws: ControlFailure.self) {
                    try await Self.notify(node, pollutant, value, time)
                }
                #expect(life.courier.runtime.writeCount == 0)
                #expect(try await Self.notify(node).isTaken)
            }
            withExtendedLifetime(life.courier.station.folder) {}
        }
    }

    @Test func subscribersAreListedWithoutTheirAddresses() throws {
        try simulate { clock in
            let life = try PushLife(clock)
            let node = life.courier.node()
            try await life.courier.run(node) {
                try await clock.sleep(for: .seconds(5))
                #expect(try await life.addPhone(node, 1) == "added")
                #expect(try await life.addPhone(node, 1) == "same")
                #expect(try await life.addPhone(node, 1, every: 60) == "changed")
                try await life.addBrowser(node, "/secret-path", every: 86_400)
                let list = try await PushLife.ask(node, GetSubscribers())
                #expect(list.count == 2 && list.subscribers.map(\.every) == [60, 86_400])
                let text = try ControlCodec.line(list)
                #expect(!text.contains("secret-path") && !text.contains(PushLife.token(1)))
                let key = try await PushLife.ask(node, GetPushKey())
                #expect(Base64.bytes(key.key)?.count == 65 && key.isOffered)
                for wrong in [59, 86_401] {
                    await #expect(throws: ControlFailure.self) {
                        try await life.addPhone(node, 2, every: wrong)
                    }
                }
                let removal = UnsubscribePush(address: PushLife.token(1))
                let change = try await PushLife.ask(node, removal)
                #expect(change.change == "removed")
            }
            withExtendedLifetime(life.courier.station.folder) {}
        }
    }
}
