import Core
import FoundationEssentials
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import Profiles
@testable import RoostCourier
@testable import StoreQueries

@Suite struct PresetTests {
    private func receiver(
        _ id: String,
        _ settings: [String: TemplateValue]
    ) throws -> PresetReceiver {
        let preset = try #require(try ShippedPresets.preset(id))
        return PresetReceiver(
            preset,
            settings: settings,
            station: TargetFixture.station,
            zone: .utc
        )
    }

    private func names(
        _ receiver: PresetReceiver,
        _ server: any SimulatedServer,
        at host: String,
        _ fault: NetworkFault? = nil,
        count: Int = 1
    ) throws -> [String] {
        try TargetFixture.inNetwork([host: server]) { network in
            network.set(fault, at: host)
            var names: [String] = []
            for _ in 0..<count {
                let outcome = try await receiver.deliver(NoticeValues.sample, over: network)
                names.append(outcome.name)
            }
            return names
        }
    }

    @Test func theFolderIsTheListAndEachIsSound() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "courier-presets")
        let found = try FileManager.default.contentsOfDirectory(atPath: folder.path())
        let listed = ShippedPresets.files.map { "\($0.id).json" } + ["preset.schema.json"]
        #expect(found.sorted() == listed.sorted())
        for file in ShippedPresets.files {
            let preset = try PresetReader.read(file.bytes, file: "\(file.id).json")
            #expect(!preset.about.isEmpty && !preset.proof.statuses.isEmpty)
        }
    }

    @Test func namesEveryMistake() throws {
        let text = #"""
            {"schemaVersion":1,"id":"x","name":"X","url":"{{nothing}}","body":"{{title}}",
             "proof":{"status":[99]},"answers":[{"when":{},"then":"maybe"}],"needs":["ghost"],
             "more":1}
            """#
        let error = #expect(throws: ConfigurationError.self) {
            try PresetReader.read(Array(text.utf8), file: "y.json")
        }
        let places = Set(error?.problems.map(\.place) ?? [])
        #expect(
            places.isSuperset(of: [
                "url", "body", "proof.status[0]", "answers[0].then", "needs[0]", "more",
            ])
        )
    }

    @Test func anOwnersFileAddsATypeAndReplacesAShippedOne() throws {
        func file(_ id: String) -> (path: String, bytes: [UInt8]) {
            let text = """
                {"schemaVersion":1,"id":"\(id)","name":"\(id)","url":"https://own.example/",
                 "format":"text","body":"{{title}}","proof":{"status":[200]}}
                """
            return ("/etc/roost/courier-presets/\(id).json", Array(text.utf8))
        }
        let catalog = try PresetCatalog(reading: [file("bell"), file("ntfy")])
        #expect(catalog.ids == ["bell", "ntfy", "seed", "telegram", "webhook"])
        #expect(try catalog.preset("ntfy")?.format == .text)
        #expect(try catalog.preset("seed") != nil)
        let text = #"{"receivers":[{"id":"a","type":"bell"},{"id":"b","type":"ntfy"}]}"#
        let bytes = Array(text.utf8)
        let read = try CourierConfiguration(bytes, file: "courier.json", presets: catalog)
        #expect(read.receivers.map(\.type) == ["bell", "ntfy"])
        #expect(throws: ConfigurationError.self) {
            try CourierConfiguration(bytes, file: "courier.json")
        }
        for wrong in [[file("smtp")], (0...PresetCatalog.ownLimit).map { file("own\($0)") }] {
            #expect(throws: ConfigurationError.self) { try PresetCatalog(reading: wrong) }
        }
    }

    @Test func ntfyIsEachByte() throws {
        let receiver = try receiver(
            "ntfy",
            ["topic": .secret(Secret("my-topic-9")), "token": .secret(Secret("tk_secret"))]
        )
        let request = receiver.request(NoticeValues.sample)
        let text =
            #"{"topic":"my-topic-9","title":"Air Quality Alert","#
            + #""message":"PM2.5 of 16.1 µg/m³ (24 h mean, guideline 15) measured 07:49\n"#
            + #"since 06:10, worst 18.4 µg/m³","priority":4,"tags":["warning"],"#
            + #""click":"http://station.local/alerts"}"#
        #expect(String(decoding: request.body, as: UTF8.self) == text)
        #expect(request.url.revealed == "https://ntfy.sh/")
        #expect(request.dryRun.contains("Authorization: Bearer •••"))
        #expect(!request.dryRun.contains("my-topic") && !request.dryRun.contains("tk_"))
        #expect(receiver.missingSettings.isEmpty)
    }

    @Test func ntfyProvesByTopicAndID() throws {
        let server = NtfyServer(dayLimit: 1)
        let receiver = try receiver("ntfy", ["topic": .secret(Secret("my-topic-9"))])
        let two = try names(receiver, server, at: "ntfy.sh", count: 2)
        #expect(two == ["delivered", "later"])
        #expect(server.published.count == 1)
        let refused = try names(receiver, NtfyServer(token: "tk"), at: "ntfy.sh")
        #expect(refused == ["hold"])
        #expect(try names(receiver, server, at: "ntfy.sh", .captivePortal) == ["foreign"])
        let bare = NetworkFault.status(200, retryAfterSeconds: nil)
        #expect(try names(receiver, server, at: "ntfy.sh", bare) == ["foreign"])
    }

    @Test func telegramWaitsAsLongAsItIsAsked() throws {
        let server = TelegramServer(token: "7:AB", chat: "-100")
        let receiver = try receiver(
            "telegram",
            ["token": .secret(Secret("7:AB")), "chat": .text("-100")]
        )
        let request = receiver.request(NoticeValues.sample)
        #expect(request.url.revealed == "https://api.telegram.org/bot7:AB/sendMessage")
        #expect(request.url.shown == "https://api.telegram.org/bot•••/sendMessage")
        server.refuse(1)
        let outcomes = try TargetFixture.inNetwork(["api.telegram.org": server]) { network in
            let first = try await receiver.deliver(NoticeValues.sample, over: network)
            let second = try await receiver.deliver(NoticeValues.sample, over: network)
            server.setBlocked(true)
            return [first, second, try await receiver.deliver(NoticeValues.sample, over: network)]
        }
        guard case .later(_, afterSeconds: 17) = outcomes[0] else {
            Issue.record("\(outcomes[0])")
            return
        }
        #expect(outcomes.map(\.name) == ["later", "delivered", "hold"])
        #expect(server.texts.first?.hasPrefix("Air Quality Alert\nPM2.5 of 16.1") == true)
    }

    /// Its server refuses what has no value: a sensor that is silent, an alert that is over.
    @Test func theSeedGetsValuesAlone() throws {
        let seed = try receiver("seed", ["url": .text("http://pi:5050/notify")])
        let ntfy = try receiver("ntfy", ["topic": .secret(Secret("my-topic-9"))])
        #expect(seed.takes(NoticeValues.sample))
        var silent = NoticeValues.sample
        silent.measurement = nil
        #expect(!seed.takes(silent) && ntfy.takes(silent))
        #expect(!seed.takes(NoticeValues.test(at: nil, for: seed)))
        #expect(seed.takes(NoticeValues.test(at: NoticeValues.sample.time, for: seed)))
        #expect(NoticeValues.test(at: nil, for: ntfy).measurement == nil)
    }

    @Test func seedIsByteExact() throws {
        var notice = NoticeValues.sample
        notice.measurement = .init(quantity: "PM2.5", value: 12.3, unit: "µg/m³")
        let zone = Zone { _ in 11_940 }
        let preset = try #require(try ShippedPresets.preset("seed"))
        let receiver = PresetReceiver(
            preset,
            settings: ["url": .text("http://pi:5050/notify")],
            station: TargetFixture.station,
            zone: zone
        )
        let text = #"{"time": "07:49 AM", "pollutant": "PM2.5", "value": "12.3"}"#
        let body = receiver.request(notice).body
        #expect(String(decoding: body, as: UTF8.self) == text && body.count == 59)
        notice.measurement = .init(quantity: "PM10", value: 5, unit: "µg/m³")
        #expect(receiver.takes(notice))
        let whole = String(decoding: receiver.request(notice).body, as: UTF8.self)
        #expect(whole.hasSuffix(#""pollutant": "PM10", "value": "5.0"}"#))
        let sent = notice
        let outcomes = try simulate { clock in
            let network = CourierSimulation.SimulatedInternet(clock: clock)
            let server = SeedPushServer(clock: clock)
            network.add(server, at: "pi:5050")
            let first = try await receiver.deliver(sent, over: network)
            let second = try await receiver.deliver(sent, over: network)
            return ([first, second].map(\.name), server.pushed.count)
        }
        #expect(outcomes == (["delivered", "refused"], 1))
    }
}
