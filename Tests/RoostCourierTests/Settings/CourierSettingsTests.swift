import ControlProtocol
import Core
import HardwareIO
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import RoostCourier

/// Tests targets and receivers that are added while the courier runs.
@Suite struct CourierSettingsTests {
    private static let influx = #"""
        {"type":"influx1","url":"http://192.168.1.5:8086","database":"air","user":"u"}
        """#

    private static func configure(
        _ entry: String = influx,
        as id: String = "own",
        in section: EntrySection = .targets,
        secrets: [String: String]? = ["password": "hunter2"]
    ) -> ConfigureEntry {
        ConfigureEntry(id, in: section, entry, secrets: secrets)
    }

    /// Runs a courier whose file has one heartbeat.
    private static func courier(
        _ body: @escaping @Sendable (CourierLife, CourierNode) async throws -> Void
    ) throws {
        try simulate { clock in
            let life = try CourierLife(
                clock,
                targets: #"{"id":"alive","type":"heartbeat","url":"https://up.test/x"}"#
            )
            let node = life.node()
            try await life.run(node) {
                try await clock.sleep(for: .seconds(30))
                try await body(life, node)
            }
            withExtendedLifetime(life.station.folder) {}
        }
    }

    private static func refusal(
        _ node: CourierNode,
        _ question: some Question
    ) async throws -> ControlFailure {
        try await #require(throws: ControlFailure.self) {
            _ = try await CourierLife.ask(node, question)
        }
    }

    @Test func whatIsAddedDeliversAndOutlivesTheProcess() throws {
        try Self.courier { life, node in
            let alive = node.outlet("alive")
            let report = try await CourierLife.ask(node, Self.configure(), for: "ann")
            #expect(report.targets.map(\.id) == ["alive", "own"])
            #expect(report.targets.map(\.origin) == [.file, .ui])
            try await life.demandSum(node, at: "own")
            #expect(node.outlet("alive") === alive, "another entry goes on undisturbed")
            #expect(life.station.events.contains("settings changed targets.own"))
        }
        try simulate { clock in
            let life = try CourierLife(clock, targets: "")
            let content = #"""
                {"targets":{"own":\#(Self.influx)},"secrets":{"own":{"password":"hunter2"}}}
                """#
            try await life.files.replace(CourierOverlay.name, Array(content.utf8))
            let node = life.node()
            try await life.run(node) {
                try await clock.sleep(for: .seconds(30))
                try await life.demandSum(node, at: "own")
            }
            withExtendedLifetime(life.station.folder) {}
        }
    }

    @Test func aSecretIsWrittenAndNeverRead() throws {
        try Self.courier { life, node in
            let report = try await CourierLife.ask(node, Self.configure())
            let entry = try await CourierLife.ask(node, GetEntry("own"))
            #expect(entry.origin == .ui && entry.section == .targets)
            #expect(entry.entry.contains(#""password":{"secret":"page.own.password"}"#))
            let trial = try await CourierLife.ask(node, TryEntry("own"))
            let texts = try [
                ControlCodec.line(report), ControlCodec.line(entry), ControlCodec.line(trial),
            ]
            #expect(!texts.joined().contains("hunter2"))
            // Another entry cannot have it sent to its server.
            let stolen =
                Self.influx.dropLast()
                + #","password":{"secret":"page.own.password"}}"#
            let question = Self.configure(String(stolen), as: "other", secrets: nil)
            #expect(try await Self.refusal(node, question).pointer == "/entry/password")
            // Nor can another address of the same entry.
            let moved = Self.influx.replacing("192.168.1.5", with: "192.168.1.9")
            let refusal = try await Self.refusal(node, Self.configure(moved, secrets: nil))
            #expect(refusal.pointer == "/secrets/password")
            // Nor where the address is a secret itself.
            let hook = #"{"type":"webhook"}"#
            let addresses = ["url": "https://a.test/x", "signature": "seal"]
            _ = try await CourierLife.ask(
                node,
                Self.configure(hook, as: "hook", secrets: addresses)
            )
            let elsewhere = Self.configure(
                hook,
                as: "hook",
                secrets: ["url": "https://b.test/x"]
            )
            #expect(try await Self.refusal(node, elsewhere).pointer == "/secrets/signature")
            // A change of anything else keeps it.
            let other = Self.influx.replacing(#""air""#, with: #""rain""#)
            _ = try await CourierLife.ask(node, Self.configure(other, secrets: nil))
            let kept = try #require(life.files[CourierOverlay.name])
            #expect(String(decoding: kept, as: UTF8.self).contains("hunter2"))
        }
    }

    /// Wrong entries, each with the place that the refusal names.
    private static let wrong: [(entry: String, id: String, pointer: String)] = [
        (#"{"type":"influx1","url":"ftp://x","database":"air"}"#, "own", "/entry/url"),
        (#"{"type":"influx1","url":"http://x"}"#, "own", "/entry/database"),
        (#"{"type":"influx9"}"#, "own", "/entry/type"), ("{}", "own", "/entry/type"),
        ("[1]", "own", "/entry"), ("{", "own", "/entry"),
        (#"{"type":"influx1","url":"http://x","database":"a","colour":1}"#, "own", "/entry/colour"),
        (influx, "Own", "/id"), (influx, "", "/id"), (influx, "alive", "/id"),
        (
            #"{"type":"influx1","url":"http://x","database":"a","streams":["x"]}"#, "own",
            "/entry/streams/0"
        ),
    ]

    @Test(arguments: wrong.indices)
    func aMistakeIsNamedAndChangesNothing(index: Int) throws {
        let wrong = Self.wrong[index]
        try Self.courier { life, node in
            let question = Self.configure(wrong.entry, as: wrong.id, secrets: nil)
            let refusal = try await Self.refusal(node, question)
            #expect(refusal.pointer == wrong.pointer, "\(refusal)")
            #expect(life.files[CourierOverlay.name] == nil)
            #expect(await node.report.targets.map(\.id) == ["alive"])
        }
    }

    /// Tests that only root, who may write `courier.json`, names a secret of the administrator.
    @Test func nobodySendsAForeignSecretToAServer() throws {
        try Self.courier { life, node in
            let users = LocalUsers(own: 212) { _ in nil }
            let table = CourierQuestions(node: node).table(for: users)
            let entry = #"""
                {"type":"webhook","url":"https://mine.test","authorization":{"secret":"influx"}}
                """#
            let question = Self.configure(entry, as: "hook", secrets: nil)
            let line = try ControlCodec.line(AskedQuestion(question))
            for user in [1_000, 0] {
                let peer = PeerCredentials(processID: 1, userID: UInt32(user), groupID: 209)
                let answer = try await table.answer(line, from: peer)
                let isRefused = answer.contains("authorization")
                #expect(isRefused == (user != 0), "\(user): \(answer)")
            }
            #expect(life.files[CourierOverlay.name] != nil)
        }
    }

    /// Tests that one of the same id begins anew.
    @Test func aRemovedEntryLeavesNothing() throws {
        try Self.courier { life, node in
            _ = try await CourierLife.ask(node, Self.configure())
            try await life.demandSum(node, at: "own")
            _ = try await CourierLife.ask(node, PauseTarget("own"))
            _ = try await CourierLife.ask(node, RemoveEntry("own"))
            let last = try #require(life.files[CourierOverlay.last])
            #expect(!String(decoding: last, as: UTF8.self).contains("hunter2"))
            _ = try await CourierLife.ask(node, Self.configure())
            try await life.clock.sleep(for: .seconds(30))
            let report = await node.report
            #expect(report.targets.first { $0.id == "own" }?.state != .paused)
        }
    }

    /// Tests a secret that stands among the options, as a person types it.
    @Test func aSecretInTheClearBecomesOne() throws {
        try Self.courier { life, node in
            let phone = #"{"type":"ntfy","topic":"balcony-7fk2"}"#
            _ = try await CourierLife.ask(
                node,
                Self.configure(phone, as: "phone", in: .receivers, secrets: nil)
            )
            let entry = try await CourierLife.ask(node, GetEntry("phone"))
            #expect(entry.entry.contains("page.phone.topic") && !entry.entry.contains("7fk2"))
        }
    }

    @Test func whatIsRemovedIsGoneAndTheFileStays() throws {
        try Self.courier { life, node in
            _ = try await CourierLife.ask(node, Self.configure())
            let report = try await CourierLife.ask(node, RemoveEntry("own"))
            #expect(report.targets.map(\.id) == ["alive"] && node.outlet("own") == nil)
            let kept = try #require(life.files[CourierOverlay.name])
            #expect(!String(decoding: kept, as: UTF8.self).contains("hunter2"))
            #expect(try await Self.refusal(node, RemoveEntry("own")).code == .notFound)
            #expect(try await Self.refusal(node, RemoveEntry("alive")).code == .conflict)
        }
    }

    /// A removal, a change and an addition come back as they were, secrets included, and only the
    /// last change does.
    @Test func theLastChangeCanBeTakenBack() throws {
        try Self.courier { life, node in
            _ = try await CourierLife.ask(node, Self.configure())
            let before = try #require(life.files[CourierOverlay.name])
            _ = try await CourierLife.ask(node, RemoveEntry("own"))
            #expect(try await Self.refusal(node, UndoEntry("alive")).code == .notFound)
            let report = try await CourierLife.ask(node, UndoEntry("own"))
            #expect(report.targets.map(\.id) == ["alive", "own"])
            #expect(life.files[CourierOverlay.name] == before)
            try await life.demandSum(node, at: "own")
            // Undone once more: the removal again.
            let gone = try await CourierLife.ask(node, UndoEntry("own"))
            #expect(gone.targets.map(\.id) == ["alive"])
            _ = try await CourierLife.ask(node, Self.configure(as: "other"))
            #expect(try await Self.refusal(node, UndoEntry("own")).code == .notFound)
            let none = try await CourierLife.ask(node, UndoEntry("other"))
            #expect(none.targets.map(\.id) == ["alive"])
        }
    }

    @Test func aFullCardChangesNothing() throws {
        try Self.courier { life, node in
            _ = try await CourierLife.ask(node, Self.configure())
            life.files.setFull(true)
            let other = Self.influx.replacing(#""air""#, with: #""rain""#)
            let refusal = try await Self.refusal(node, Self.configure(other, secrets: nil))
            #expect(refusal.code == .store && refusal.message.contains("no space left"))
            #expect(try await Self.refusal(node, RemoveEntry("own")).code == .store)
            let entry = try await CourierLife.ask(node, GetEntry("own"))
            #expect(entry.entry.contains("air"))
        }
    }

    @Test func damagedSettingsAreSaidAndTheLastAreUsed() throws {
        try simulate { clock in
            let life = try CourierLife(clock, targets: "")
            let last = #"{"targets":{"own":\#(Self.influx)},"secrets":{"own":{"password":"p"}}}"#
            try await life.files.replace(CourierOverlay.last, Array(last.utf8))
            try await life.files.replace(CourierOverlay.name, Array("{\"targ".utf8))
            let node = life.node()
            try await life.run(node) {
                try await clock.sleep(for: .seconds(30))
                let report = await node.report
                #expect(report.targets.map(\.id) == ["own"])
                #expect(report.settingsTrouble?.contains("before the last change") == true)
                let after = try await CourierLife.ask(node, RemoveEntry("own"))
                #expect(after.settingsTrouble == nil)
                #expect(life.files[CourierOverlay.damaged] == Array("{\"targ".utf8))
            }
            withExtendedLifetime(life.station.folder) {}
        }
    }

    /// Tests an entry that the owner added and that `courier.json` has later too.
    @Test func theFileCountsAndWhatItHidesIsSaid() throws {
        try Self.courier { _, node in
            _ = try await CourierLife.ask(node, Self.configure())
            let hiding = CourierLife.influx.replacing("influx\"", with: "own\"")
            try await node.reload(try CourierLife.read(hiding))
            let report = await node.report
            #expect(report.targets.map(\.origin) == [.file])
            #expect(report.leftOut.map(\.id) == ["own"])
            try await node.reload(try CourierLife.read(""))
            let later = await node.report
            #expect(later.targets.map(\.origin) == [.ui] && later.leftOut.isEmpty)
        }
    }

    @Test func anyBytesAreSettingsOrAnError() throws {
        var random = SplitMix64(seed: 58)
        let whole = Array(
            #"{"targets":{"own":\#(Self.influx)},"secrets":{"own":{"password":"p"}}}"#.utf8
        )
        for _ in 0..<2_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: bytes.indices, using: &random)
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
            let read = try? CourierOverlay(bytes)
            guard let read else { continue }
            // Written and read again it is the same.
            let again = try CourierOverlay(read.bytes)
            #expect(again.entries == read.entries && again.named == read.named)
        }
    }
}
