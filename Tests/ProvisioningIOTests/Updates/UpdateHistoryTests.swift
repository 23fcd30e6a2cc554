import ControlProtocol
import Testing

@testable import ProvisioningIO

@Suite struct UpdateHistoryTests {
    private var good: UpdateRecord {
        var record = UpdateRecord(state: .good)
        (record.version, record.from, record.fromSchema) = ("0.2", "0.1", 7)
        record.keyID = "00"
        return record
    }

    @Test func knowsAfterARefusalWhatTheOtherRootCanRead() {
        var refused = UpdateHistory.beginning(after: good, at: "0.2")
        #expect(refused.state == .writing && refused.version == nil && refused.keyID == nil)
        refused.state = .refused
        #expect(refused.from == "0.1" && refused.fromSchema == 7)
        let again = UpdateHistory.beginning(after: refused, at: "0.2")
        #expect(again.from == "0.1" && again.fromSchema == 7)
        #expect(UpdateHistory.beginning(after: nil, at: "0.2").from == "0.2")
    }

    @Test func comparesAWaitingUpdateAlsoAfterARefusal() {
        var waiting = good
        waiting.state = .waiting
        waiting.before = UpdateBaseline(reasons: [], channels: ["a/b"], hasStore: true)
        var refused = UpdateHistory.beginning(after: waiting, at: "0.1")
        (refused.state, refused.code, refused.why) = (.refused, "untrusted", "signed by another")
        let trial = UpdateHistory.trial(refused)
        #expect(trial.before == waiting.before && trial.state == .waiting)
        #expect(trial.why == nil && trial.code == nil)
        #expect(UpdateHistory.trial(waiting) == waiting)
        #expect(UpdateHistory.trial(nil).state == .waiting)
    }

    @Test func namesTheVersionThatIsTriedOnTheWayBack() {
        let back = UpdateHistory.goingBack(good, at: "0.2", schema: 8)
        #expect(back.version == "0.1" && back.from == "0.2" && back.fromSchema == 8)
        #expect(back.state == .takenBack && back.before == nil && back.keyID == nil)
        let forth = UpdateHistory.goingBack(back, at: "0.1", schema: 7)
        #expect(forth.version == "0.2" && forth.from == "0.1")
        var untried = good
        untried.state = .takenBack
        #expect(UpdateHistory.goingBack(untried, at: "0.1", schema: 7).version == "0.2")
        #expect(UpdateHistory.goingBack(nil, at: "0.1", schema: 7).version == nil)
    }
}
