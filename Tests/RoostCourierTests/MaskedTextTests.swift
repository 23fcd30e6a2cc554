import Core
import RoostCourier
import Testing

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
        func judge(_ status: Int, _ text: String = "no") -> DeliveryOutcome {
            DeliveryJudge.judge(OutboundAnswer(status, text: text))
        }
        guard case .foreign = judge(200) else {
            Issue.record("a bare 200 counts")
            return
        }
        guard case .foreign = judge(503, "<html>log in") else {
            Issue.record("HTML")
            return
        }
        guard case .hold = judge(401) else {
            Issue.record("401")
            return
        }
        guard case .later = judge(503) else {
            Issue.record("503")
            return
        }
        guard case .refused = judge(422) else {
            Issue.record("422")
            return
        }
        let busy = OutboundAnswer(429, ["retry-after": "90000"], text: "")
        guard case .later(_, afterSeconds: 86_400) = DeliveryJudge.judge(busy) else {
            Issue.record("Retry-After is bounded by a day")
            return
        }
        let sent = NetworkFailure(.silent, "silent", wasSent: true)
        guard case .unknown = DeliveryJudge.judge(sent) else {
            Issue.record("sent")
            return
        }
    }
}
