import ControlProtocol
import Core
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import RoostCourier

@Suite struct SubscriberBackupTests {
    private static let phone = String(repeating: "ab", count: 32)

    /// A courier to which a browser each hour and a phone each five minutes have subscribed.
    private static func subscribed(_ life: PushLife, _ node: CourierNode) async throws {
        try await life.addBrowser(node, "/wpush/1", language: "it", every: 3_600)
        try await life.addPhone(node, 1, every: 300)
    }

    private static func running(
        _ life: PushLife,
        _ body: @escaping @Sendable (CourierNode) async throws -> Void
    ) async throws {
        let node = life.courier.node()
        try await life.courier.run(node) {
            try await life.clock.sleep(for: .seconds(30))
            try await body(node)
        }
        withExtendedLifetime(life.courier.station.folder) {}
    }

    @Test func subscribersComeBackOnAnEmptyCardAndAreReachedWithTheSameKey() throws {
        try simulate { clock in
            let (old, fresh) = (try PushLife(clock), try PushLife(clock))
            try await Self.running(old) { node in
                try await Self.subscribed(old, node)
                let part = try await PushLife.ask(node, BackUp(secrets: true))
                #expect(part.lacksSubscribers == nil)
                let before = try await PushLife.ask(node, GetSubscribers())
                let key = try await PushLife.ask(node, GetPushKey()).key
                try await Self.running(fresh) { next in
                    let trial = RestorePart(part.content, isTrial: true)
                    let items = try await PushLife.ask(next, trial).items
                    #expect(items.map(\.change) == [.added, .added])
                    #expect(items.allSatisfy { $0.kind == .subscriber })
                    #expect(fresh.courier.files[SubscriberStore.file] == nil, "a look")
                    let restore = RestorePart(part.content, isTrial: false)
                    let restored = try await PushLife.ask(next, restore).items
                    let after = try await PushLife.ask(next, GetSubscribers())
                    let used = try await PushLife.ask(next, GetPushKey()).key
                    #expect(restored == items && after == before && used == key)
                    let again = try await PushLife.ask(next, restore).items
                    #expect(again.map(\.change) == [.same, .same])
                    // The same push service as before, which knows the browser by the key.
                    for browser in old.browsers.all { fresh.browsers.add(browser) }
                    let bound = try #require(Base64.bytes(key))
                    fresh.browsers.bind(bound)
                    fresh.courier.station.record(PushLife.raised(1))
                    try await clock.sleep(for: .minutes(2))
                    #expect(fresh.browsers.messages.map(\.path) == ["/wpush/1"])
                }
            }
        }
    }

    @Test func aBackupWithoutAPassphraseHasNoneAndSaysSo() throws {
        try simulate { clock in
            let life = try PushLife(clock)
            try await Self.running(life) { node in
                let none = try await PushLife.ask(node, BackUp(secrets: false))
                #expect(none.lacksSubscribers == nil, "there is none to lack")
                try await Self.subscribed(life, node)
                let part = try await PushLife.ask(node, BackUp(secrets: false))
                #expect(part.lacksSubscribers == true && !part.content.contains("push"))
                _ = try await PushLife.ask(node, RestorePart(part.content, isTrial: false))
                let after = try await PushLife.ask(node, GetSubscribers())
                #expect(after.count == 2, "they stay")
            }
        }
    }

    @Test func ofMoreThanAFileHasRoomForNoneIsInIt() throws {
        try simulate { clock in
            let life = try PushLife(clock)
            try await Self.running(life) { node in
                for number in 0..<80 { try await life.addBrowser(node, "/wpush/\(number)") }
                let part = try await PushLife.ask(node, BackUp(secrets: true))
                #expect(part.lacksSubscribers == nil)
                #expect(part.content.utf8.count <= RestorePart.contentMax)
                for number in 80..<300 { try await life.addBrowser(node, "/wpush/\(number)") }
                let more = try await PushLife.ask(node, BackUp(secrets: true))
                #expect(more.lacksSubscribers == true && !more.content.contains("push"))
            }
        }
    }

    @Test func browsersOfAnotherKeyGoAndAreNamed() throws {
        let key = try CurveKey()
        var kept = try Subscriber(token: Self.phone)
        let lost = Subscriber(
            .webPush(try WebPushServer.Browser(path: "/a").endpoint(at: PushLife.origin))
        )
        let come = Subscriber(
            .webPush(try WebPushServer.Browser(path: "/b").endpoint(at: PushLife.origin))
        )
        kept.interval = 60
        let backup = SubscriberBackup(key: key, [come])
        let (same, quiet) = try backup.merged(with: [kept, lost], key)
        #expect(same == [kept, lost, come] && quiet.items.allSatisfy { $0.next == nil })
        let (next, report) = try backup.merged(with: [kept, lost], try CurveKey())
        #expect(next == [kept, come])
        let gone = report.items.filter { $0.change == .removed }
        #expect(gone.map(\.name) == [lost.label] && gone[0].next?.contains("again") == true)
        let (first, _) = try backup.merged(with: [], nil)
        #expect(first == [come])
    }

    @Test func aKeyThatIsNotWrittenComesWithTheNextRestore() throws {
        try simulate { clock in
            let files = MemoryFiles()
            let store = SubscriberStore(files, clock: clock)
            let phone = try Subscriber(token: Self.phone)
            let browser = Subscriber(
                .webPush(try WebPushServer.Browser(path: "/b").endpoint(at: PushLife.origin))
            )
            let before = try await store.serverKey()
            _ = try await store.put(phone)
            let backup = SubscriberBackup(key: try CurveKey(), [browser])
            let names = [SubscriberStore.file, SubscriberStore.serverKeyFile]
            for name in names {
                files.setBroken([name])
                await #expect(throws: CourierFilesError.self) {
                    _ = try await store.restore(backup, isTrial: false)
                }
                #expect(files[SubscriberStore.serverKeyFile] == before.secret)
                let isListed = try await store.all().contains(browser)
                #expect(isListed == (name == SubscriberStore.serverKeyFile))
            }
            files.setBroken([])
            _ = try await store.restore(backup, isTrial: false)
            let used = try await store.serverKey()
            #expect(used == backup.key && files[SubscriberStore.serverKeyFile] == used.secret)
            let all = try await store.all()
            #expect(Set(all) == [phone, browser])
        }
    }

    @Test func aCardsSubscribersAreTakenOnceAtTheStart() throws {
        try simulate { clock in
            let (old, fresh) = (try PushLife(clock), try PushLife(clock))
            try await Self.running(old) { node in
                try await Self.subscribed(old, node)
                let content = try await PushLife.ask(node, BackUp(secrets: true)).content
                let name = SubscriberBackup.cardFile
                try await fresh.courier.files.replace(name, Array(content.utf8))
                try await Self.running(fresh) { next in
                    let after = try await PushLife.ask(next, GetSubscribers())
                    #expect(after.count == 2 && fresh.courier.files[name] == [])
                }
            }
        }
    }

    @Test func aCardsSubscribersThatAreNotRestoredAreSaidUntilTheyAre() throws {
        try simulate { clock in
            let (old, fresh) = (try PushLife(clock), try PushLife(clock))
            try await Self.running(old) { node in
                try await Self.subscribed(old, node)
                let content = try await PushLife.ask(node, BackUp(secrets: true)).content
                let wrong = Array(#"{"push": {"subscribers": ["x"]}}"#.utf8)
                try await fresh.courier.files.replace(SubscriberBackup.cardFile, wrong)
                try await Self.running(fresh) { next in
                    let before = try await PushLife.ask(next, GetCourierStatus())
                    let trouble = try #require(before.settingsTrouble)
                    #expect(trouble.contains("not restored") && trouble.contains("cannot be read"))
                    _ = try await PushLife.ask(next, RestorePart(content, isTrial: false))
                    let after = try await PushLife.ask(next, GetCourierStatus())
                    #expect(after.settingsTrouble == nil)
                }
            }
        }
    }

    @Test(arguments: [
        #"{"push": 1}"#, #"{"push": {"subscribers": [1]}}"#, #"{"push": {"subscribers": ["x"]}}"#,
        #"{"push": {"key": "AAAA", "subscribers": []}}"#,
    ])
    func aPartThatIsNoneChangesNothing(_ content: String) throws {
        try simulate { clock in
            let life = try PushLife(clock)
            try await Self.running(life) { node in
                try await Self.subscribed(life, node)
                await #expect(throws: ControlFailure.self) {
                    try await PushLife.ask(node, RestorePart(content, isTrial: false))
                }
                let after = try await PushLife.ask(node, GetSubscribers())
                #expect(after.count == 2)
            }
        }
    }
}
