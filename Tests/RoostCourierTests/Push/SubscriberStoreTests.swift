import Core
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import RoostCourier

@Suite struct SubscriberStoreTests {
    private static let token = "a1b2c3d4e5f60718293a4b5c6d7e8f900112233445566778899aabbccddeeff0"
    private static let key = (0..<32).map { UInt8($0) }
    /// Made by the seed's server with `key` and the nonce 00…0b.
    private static let line =
        "000102030405060708090a0b2633b429a6d6a62fe874f1bd81de4955b1efb455c4196a1f0e03d2e0250f3982"
        + "31219fce9df221ac40914adbbeb01f00d66059ec3bb4c1b95cf34e7c7d8593de8c341d816ca8ba0d99d9691f"
        + "76e8ac23"

    private static func browser(_ number: Int = 1) throws -> Subscriber {
        let browser = try WebPushServer.Browser(path: "/wpush/\(number)")
        var subscriber = Subscriber(
            .webPush(try browser.endpoint(at: "https://push.example.org"))
        )
        (subscriber.interval, subscriber.language) = (300, "it")
        return subscriber
    }

    @Test func writesAndReadsTheSeedsLines() throws {
        let subscriber = try Subscriber(token: Self.token)
        let nonce = (0..<12).map { UInt8($0) }
        #expect(try SubscriberFile.line(of: subscriber, key: Self.key, nonce: nonce) == Self.line)
        let (found, faults) = SubscriberFile.read(Array((Self.line + "\n").utf8), key: Self.key)
        #expect(found.map(\.subscriber) == [subscriber] && faults.isEmpty)
    }

    @Test func everyKindComesBackAsItWas() throws {
        var phone = try Subscriber(token: String(repeating: "AB", count: 80))
        (phone.interval, phone.since) = (60, TargetFixture.time)
        for subscriber in [phone, try Self.browser(), try Subscriber(token: Self.token)] {
            #expect(try Subscriber(plain: subscriber.plain) == subscriber)
        }
        #expect(phone.address == String(repeating: "ab", count: 80))
    }

    @Test func skipsLinesThatAreShortOrChanged() throws {
        var changed = Array(Self.line)
        changed[60] = changed[60] == "0" ? "1" : "0"
        let text = ["00ff", String(changed), "no hex", "", Self.line].joined(separator: "\n")
        let (found, faults) = SubscriberFile.read(Array(text.utf8), key: Self.key)
        #expect(found.count == 1)
        #expect(faults.map(\.line) == [1, 2, 3])
        #expect(faults.allSatisfy { !$0.description.contains(Self.token) })
    }

    @Test func noBytesTrapTheReader() throws {
        var random = SplitMix64(seed: 7)
        let good = Array((Self.line + "\n").utf8)
        for _ in 0..<5_000 {
            var bytes = good + good
            for _ in 0..<Int(random.next() % 8) {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(
                    truncatingIfNeeded: random.next()
                )
            }
            bytes = Array(bytes.prefix(Int(random.next() % UInt64(bytes.count + 1))))
            let (found, faults) = SubscriberFile.read(bytes, key: Self.key)
            #expect(found.count <= 1 && faults.count <= 4)
            #expect(found.allSatisfy { $0.subscriber.address == Self.token })
        }
    }

    @Test(arguments: [
        "http://push.example.org/a", "https://127.0.0.1/a", "https://10.0.0.1/a", "https://[::1]/a",
        "https://localhost/a", "https://router/a", "https://user@push.example.org/a",
        "https://push.example.org:0/a", "https://0x7f000001/a", "https://1.0x7f/a",
        "https://push.example.org\\@evil/a", "https://nas.local/a", "https://x.home.arpa/a",
        "https://", "https://push.example.org/a b", "https://a..b/c",
    ])
    func anEndpointIsAServerOfTheInternet(url: String) throws {
        let browser = try WebPushServer.Browser(path: "/a")
        let (key, secret) = (Base64.url(browser.key.point), Base64.url(browser.secret))
        #expect(throws: PushMistake.self) { try PushEndpoint(url: url, key: key, secret: secret) }
        let long = "https://push.example.org/" + String(repeating: "a", count: 1_000)
        #expect(throws: PushMistake.self) { try PushEndpoint(url: long, key: key, secret: secret) }
        let good = "https://push.example.org:8443/a"
        #expect(throws: Never.self) { try PushEndpoint(url: good, key: key, secret: secret) }
        let off = Base64.url([4] + [UInt8](repeating: 1, count: 64))
        #expect(throws: PushMistake.self) { try PushEndpoint(url: good, key: off, secret: secret) }
    }

    @Test(arguments: [
        "", "ab", String(repeating: "a", count: 33), String(repeating: "g", count: 64),
    ])
    func refusesWhatIsNoToken(text: String) {
        #expect(throws: PushMistake.self) { try Subscriber(token: text) }
    }

    @Test func writesOnlyWhatChanged() throws {
        try simulate { clock in
            let files = MemoryFiles()
            let store = SubscriberStore(files, clock: clock)
            let phone = try Subscriber(token: Self.token)
            #expect(try await store.put(phone) == .added)
            #expect(files.writeCount == 2, "the key, and the list")
            #expect(try await store.put(phone) == .same)
            #expect(files.writeCount == 2)
            var other = phone
            other.interval = 60
            #expect(try await store.put(other) == .changed)
            #expect(try await store.put(try Self.browser()) == .added)
            let again = SubscriberStore(files, clock: clock)
            #expect(try await again.all().map(\.interval) == [60, 300])
            #expect(try await again.all(.apns).count == 1)
            #expect(try await again.remove(Self.token) == .removed)
            #expect(try await again.remove(Self.token) == .notThere)
            let key = try await again.serverKey()
            #expect(try await SubscriberStore(files, clock: clock).serverKey() == key)
        }
    }

    @Test func aWriteThatFailsChangesNothing() throws {
        try simulate { clock in
            let files = MemoryFiles()
            let store = SubscriberStore(files, clock: clock)
            _ = try await store.put(try Self.browser())
            files.setFull(true)
            await #expect(throws: CourierFilesError.self) {
                try await store.put(try Subscriber(token: Self.token))
            }
            #expect(try await store.all().count == 1)
            files.setFull(false)
            #expect(try await store.put(try Subscriber(token: Self.token)) == .added)
        }
    }

    @Test func anotherKeyNeverLosesTheList() throws {
        try simulate { clock in
            let files = MemoryFiles([
                "subscribers.data": Array(Self.line.utf8),
                "key.key": [UInt8](repeating: 9, count: 32),
            ])
            let store = SubscriberStore(files, clock: clock)
            await #expect(throws: CourierFilesError.self) {
                try await store.put(try Self.browser())
            }
            let lost = SubscriberStore(
                MemoryFiles(["subscribers.data": Array(Self.line.utf8)]),
                clock: clock
            )
            await #expect(throws: CourierFilesError.self) { try await lost.all() }
            #expect(files["subscribers.data"] == Array(Self.line.utf8))
        }
    }

    @Test func takesTheSeedsFiles() throws {
        try simulate { clock in
            let store = SubscriberStore(MemoryFiles(), clock: clock)
            _ = try await store.put(try Self.browser())
            let text = "\(Self.line)\n00ff\n\(Self.line)\n"
            let (added, faults) = try await store.merge(Array(text.utf8), key: Self.key)
            #expect(added == 1 && faults.map(\.line) == [2])
            #expect(try await store.merge(Array(text.utf8), key: Self.key).added == 0)
            #expect(try await store.all().count == 2)
            await #expect(throws: PushMistake.self) { try await store.merge([], key: [1]) }
        }
    }

    @Test func tenThousandAreTheLimit() throws {
        try simulate { clock in
            let key = Self.key
            let lines = try (0...SubscriberStore.limit).map { number in
                let digits = String(number)
                let token = String(repeating: "0", count: 64 - digits.count) + digits
                return try SubscriberFile.line(of: try Subscriber(token: token), key: key)
            }
            let files = MemoryFiles([
                "subscribers.data": SubscriberFile.bytes(lines), "key.key": key,
            ])
            let store = SubscriberStore(files, clock: clock)
            #expect(try await store.all().count == SubscriberStore.limit)
            #expect(await store.faults.count == 1)
            await #expect(throws: PushMistake.self) { try await store.put(try Self.browser()) }
        }
    }
}
