import Core
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import Profiles
@testable import RoostCourier
@testable import StoreQueries

/// Tests notices of motions with and without pictures.
@Suite struct NoticePictureTests {
    private static let picture = NoticePicture(
        name: "2026-11-22T04-30-00Z-7.jpg",
        bytes: [0xFF, 0xD8, 0xFF, 0xE0] + (0..<200).map { UInt8(truncatingIfNeeded: $0) }
    )

    private static func motion(_ number: Int64, rule: String = "motion") -> AlertEvent {
        var raised = AlertEvent.Raised(number, AlertEvent.Key(rule, "door"))
        raised.kind = "event"
        return .raised(raised)
    }

    private static func life(
        _ clock: SimulatedClock,
        _ more: String = #","pictures":true"#,
        _ server: NtfyServer = NtfyServer()
    ) throws -> (CourierLife, NtfyServer) {
        let receiver =
            #"{"id":"phone","type":"ntfy","url":"https://ntfy.example","topic":{"secret":"t"}"#
        let life = try CourierLife(clock, targets: "", receivers: receiver + more + "}")
        life.secrets.set("t", "door-9")
        life.internet.add(server, at: "ntfy.example")
        return (life, server)
    }

    private static func text(_ server: NtfyServer, _ key: String) -> String {
        guard case .string(let text)? = server.published.last?[key] else { return "" }
        return text
    }

    @Test func aMotionGoesWithItsPicture() throws {
        try simulate { clock in
            let (life, server) = try Self.life(clock)
            try await life.run(life.node()) {
                try await clock.sleep(for: .seconds(60))
                life.pictures.add(Self.picture, of: "hall", at: clock.now)
                let begun = clock.now
                life.station.record(Self.motion(1))
                // The camera's program takes longer than the notice waits.
                try await clock.sleep(for: .seconds(15))
                #expect(server.published.isEmpty)
                life.pictures.add(Self.picture, of: "door", at: begun)
                try await clock.sleep(for: .seconds(5))
            }
            #expect(server.attachments == [Self.picture.bytes])
            #expect(Self.text(server, "topic") == "door-9")
            #expect(Self.text(server, "attachment") == Self.picture.name)
            #expect(Self.text(server, "title") == "balcony: Motion")
            #expect(Self.text(server, "message").contains("door"))
            withExtendedLifetime(life.station.folder) {}
        }
    }

    @Test(arguments: ["", #","pictures":false"#]) func noneGoesUnlessTheOwnerSaysSo(
        more: String
    ) throws {
        try simulate { clock in
            let (life, server) = try Self.life(clock, more)
            try await life.run(life.node()) {
                try await clock.sleep(for: .seconds(60))
                life.pictures.add(Self.picture, of: "door", at: clock.now)
                life.station.record(Self.motion(1))
                try await clock.sleep(for: .seconds(15))
            }
            #expect(server.attachments.isEmpty && server.published.count == 1)
            #expect(!Self.text(server, "message").contains("picture"))
            withExtendedLifetime(life.station.folder) {}
        }
    }

    @Test func anAlertOfTheAirHasNone() throws {
        try simulate { clock in
            let (life, server) = try Self.life(clock)
            try await life.run(life.node()) {
                try await clock.sleep(for: .seconds(60))
                life.pictures.add(Self.picture, of: "door", at: clock.now)
                life.station.record(Self.motion(1, rule: "silent"))
                try await clock.sleep(for: .seconds(15))
            }
            #expect(server.attachments.isEmpty && server.published.count == 1)
            withExtendedLifetime(life.station.folder) {}
        }
    }

    @Test(
        arguments: [
            (nil, "the camera took none of this motion"),
            (.noCamera, "no camera is switched on"),
            (.unreadable("no permission"), "cannot be read (no permission)"),
        ] as [(NoticePicture.Lack?, String)]
    )
    func theNoticeGoesWithoutAPictureAndSaysWhy(lack: NoticePicture.Lack?, words: String) throws {
        try simulate { clock in
            let (life, server) = try Self.life(clock)
            if let lack { life.pictures.fail(lack) }
            try await life.run(life.node()) {
                try await clock.sleep(for: .seconds(60))
                // An earlier picture is not of this motion.
                life.pictures.add(Self.picture, of: "door", at: .boot)
                life.station.record(Self.motion(1))
                try await clock.sleep(for: .seconds(25))
            }
            #expect(server.attachments.isEmpty && server.published.count == 1)
            #expect(Self.text(server, "message").contains("No picture: "))
            #expect(Self.text(server, "message").contains(words))
            withExtendedLifetime(life.station.folder) {}
        }
    }

    @Test(arguments: [0, 100]) func aServerThatTakesNoneGetsTheNoticeAlone(limit: Int) throws {
        try simulate { clock in
            let server = NtfyServer(attachmentLimit: limit)
            let (life, _) = try Self.life(clock, #","pictures":true,"language":"de""#, server)
            try await life.run(life.node()) {
                try await clock.sleep(for: .seconds(60))
                life.pictures.add(Self.picture, of: "door", at: clock.now)
                life.station.record(Self.motion(1))
                try await clock.sleep(for: .seconds(15))
            }
            #expect(server.attachments.isEmpty && server.published.count == 1)
            #expect(Self.text(server, "message").contains("Kein Bild: der Empfänger nahm es nicht"))
            withExtendedLifetime(life.station.folder) {}
        }
    }

    // MARK: - Each way

    private static var sample: Notice {
        var notice = NoticeValues.sample
        notice.picture = picture
        return notice
    }

    @Test func telegramGetsAPhoto() throws {
        let server = TelegramServer(token: "7:AB", chat: "-100")
        let preset = try #require(try ShippedPresets.preset("telegram"))
        let receiver = PresetReceiver(
            preset,
            settings: ["token": .secret(Secret("7:AB")), "chat": .text("-100")],
            station: TargetFixture.station,
            zone: .utc
        )
        let outcome = try TargetFixture.inNetwork(["api.telegram.org": server]) { network in
            try await receiver.deliver(Self.sample, over: network).name
        }
        #expect(outcome == "delivered" && server.texts.isEmpty)
        let form = try #require(server.photos.first)
        let text = String(decoding: form, as: UTF8.self)
        #expect(text.contains("name=\"caption\"\r\n\r\nAir Quality Alert\nPM2.5 of 16.1"))
        #expect(text.contains("name=\"photo\"; filename=\"\(Self.picture.name)\"\r\n"))
        #expect(form.firstRange(of: Self.picture.bytes) != nil)
    }

    @Test func aMailHasItAsAttachment() throws {
        let envelope = MailMessage(
            url: "smtps://mail.example.org",
            from: "roost@example.org",
            recipients: ["me@example.org"],
            bytes: []
        )
        let receiver = MailReceiver(
            envelope,
            station: TargetFixture.station,
            clock: SimulatedClock()
        )
        let bytes = receiver.bytes(Self.sample, at: TargetFixture.time)
        let text = String(decoding: bytes, as: UTF8.self)
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines.contains("Content-Type: multipart/mixed; boundary=\"=_picture-412\""))
        let place = try #require(lines.firstIndex(of: "Content-Transfer-Encoding: base64"))
        let last = try #require(lines.firstIndex(of: "--=_picture-412--"))
        let content = lines[(place + 3)..<last].joined()
        #expect(content == Base64.text(Self.picture.bytes))
        #expect(lines.allSatisfy { $0.utf8.count <= 77 } && text.utf8.allSatisfy { $0 < 0x80 })
        #expect(!text.replacing("\r\n", with: "").contains { "\r\n".contains($0) })
    }

    @Test(arguments: ["webhook", "seed", "webpush"]) func aWayWithoutPicturesIsAMistake(
        type: String
    ) {
        let text = #"{"receivers":[{"id":"a","type":"\#(type)","pictures":true}]}"#
        let error = #expect(throws: ConfigurationError.self) {
            try CourierConfiguration(Array(text.utf8), file: "courier.json")
        }
        let places = error?.problems.map(\.place) ?? []
        #expect(places.contains("receivers[0].pictures"))
    }
}
