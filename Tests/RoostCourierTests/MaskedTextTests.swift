import ControlProtocol
import Core
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import RoostCourier

@Suite struct MaskedTextTests {
    @Test func hidesASecretWhereverItIsShown() {
        let token = Secret("very-secret-7f3a")
        let text: MaskedText = "https://example.org/bot\(token)/send?n=\(3)"
        #expect(text.revealed == "https://example.org/botvery-secret-7f3a/send?n=3")
        #expect(text.shown == "https://example.org/bot•••/send?n=3")
        let request = OutboundRequest(.post, text, [.init("Authorization", "Bearer \(token)")])
        let words = "\(request) \(token) \(String(reflecting: request)) \(request.dryRun)"
        #expect(!words.contains("very-secret"))
    }

    @Test func judgesAnswersWithoutAProof() {
        func classify(_ status: Int, _ text: String = "no") -> DeliveryOutcome {
            DeliveryClassifier.classify(OutboundAnswer(status, text: text))
        }
        guard case .foreign = classify(200) else {
            Issue.record("a bare 200 counts")
            return
        }
        guard case .foreign = classify(503, "<html>log in") else {
            Issue.record("HTML")
            return
        }
        guard case .hold = classify(401) else {
            Issue.record("401")
            return
        }
        guard case .later = classify(503) else {
            Issue.record("503")
            return
        }
        guard case .refused = classify(422) else {
            Issue.record("422")
            return
        }
        let busy = OutboundAnswer(429, ["retry-after": "90000"], text: "")
        guard case .later(_, afterSeconds: 86_400) = DeliveryClassifier.classify(busy) else {
            Issue.record("Retry-After is bounded by a day")
            return
        }
        let sent = NetworkFailure(.silent, "silent", wasSent: true)
        guard case .unknown = DeliveryClassifier.classify(sent) else {
            Issue.record("sent")
            return
        }
    }

    /// Repeats what it was sent, as some servers do, with a character that clears a terminal.
    private struct Echo: SimulatedServer {
        func answer(_ request: OutboundRequest) async -> OutboundAnswer {
            let fields = request.fields.map { "\($0.name)=\($0.value.revealed)" }
            let body = String(decoding: request.body, as: UTF8.self)
            let text = "\u{1B}[2J\u{202E}bad\r\n\(fields) \(request.url.revealed) \(body)"
            return OutboundAnswer(503, text: text)
        }
    }

    private static let account = "very-secret-7f3a"

    @Test(arguments: [
        #""type":"influx2","url":"http://a","org":"o","bucket":"b","token":{"secret":"t"}"#,
        #""type":"influx1","url":"http://a","database":"b","user":"u","password":{"secret":"t"}"#,
        #""type":"webhook","url":{"secret":"u"}"#,
        #""type":"webhook","url":"http://a/","authorization":{"secret":"t"}"#,
        #""type":"heartbeat","url":{"secret":"u"}"#,
    ])
    func noWordOfAServerRepeatsASecretOrMovesATerminal(entry: String) throws {
        try simulate { clock in
            let life = try CourierLife(clock, targets: "{\"id\":\"a\",\(entry)}")
            life.secrets.set("t", Self.account)
            life.secrets.set("u", "http://a/\(Self.account)")
            life.internet.add(Echo(), at: "a")
            let node = life.node()
            try await life.run(node) {
                life.station.record()
                try await clock.sleep(for: .minutes(2))
                let report = try #require(await node.report.targets.first)
                let why = report.why ?? ""
                #expect(why.contains("bad") || report.state == .held, "\(report)")
                #expect(!why.contains("secret") && !why.contains("dmVyeS1"), "\(why)")
                let scalars = why.unicodeScalars.map(\.value)
                #expect(scalars.allSatisfy { $0 >= 0x20 && $0 != 0x202E }, "\(scalars)")
            }
            withExtendedLifetime(life.station.folder) {}
        }
    }

    @Test func knowsWhatItHides() {
        let (a, b) = (Secret("one"), Secret("t/wo"))
        let text: MaskedText = "https://x/bot\(a)/send?key=\(b)"
        #expect(text.secrets == ["one", "t/wo"])
        #expect(MaskedText("plain").secrets.isEmpty)
        #expect(MaskedText(secret: "whole").secrets == ["whole"])
        let basic = OutboundRequest.Field.basicAuthorisation(user: "u", password: a)
        #expect(basic.value.secrets == ["dTpvbmU="])
    }

    @Test func foreignTextIsOneLineOfItsSize() {
        let cases: [(text: String, byteMax: Int, line: String)] = [
            ("a\tb\r\nc", 80, "a b  c"), (" x\u{202E}y\u{7F}\u{9B}z ", 80, "xyz"),
            ("ééé", 5, "éé"), ("token tk_1 tk_12", 80, "••• ••• •••"),
        ]
        for (text, byteMax, line) in cases {
            let secrets = ["tk_1", "tk_12", "token"]
            #expect(ForeignText.line(text, byteMax: byteMax, without: secrets) == line)
        }
    }
}
