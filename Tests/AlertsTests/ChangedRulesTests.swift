import Core
import Testing

@testable import Alerts

/// Tests what becomes of alerts when the owner changes rules while the station runs.
@Suite struct ChangedRulesTests {
    private static let motion = AlertRule.Condition.event(
        kind: "motion",
        source: nil,
        count: 1,
        within: 60
    )

    private static func rule(
        _ id: String,
        _ pattern: String,
        from limit: Double = 50,
        for seconds: Int = 0
    ) -> AlertRule {
        let scale = AlertScale([.init(limit, until: limit - 5, .warning)])
        return AlertRule(id, [.init(pattern, .value(scale))], for: seconds)
    }

    private static func sample(_ device: String, _ value: FixedPoint) -> [Reading] {
        [Reading(Channel(device: device, quantity: .pm25), at: .boot, .value(value))]
    }

    private static func ended(_ events: [AlertEvent]) -> [String] {
        events.compactMap { event in
            guard case .resolved(let resolved) = event else { return nil }
            return "\(resolved.key) \(resolved.why)"
        }
    }

    @Test func whatWaitsGoesOnWhenAnotherRuleChanges() {
        let slow = Self.rule("slow", "*/pm25", for: 600)
        let engine = Bench([slow, Self.rule("other", "*/pm10")])
        _ = engine.append(Self.sample("balcony", 60), at: 0)
        #expect(engine.use([slow, Self.rule("other", "*/pm10", from: 80)], at: 300).isEmpty)
        _ = engine.append(Self.sample("balcony", 60), at: 500)
        _ = engine.append(Self.sample("balcony", 60), at: 601)
        #expect(engine.raised.map { "\($0.key)" } == ["slow:balcony/pm25"])
    }

    @Test func anAlertThatTheRuleIsNoLongerAboutEnds() {
        let engine = Bench([Self.rule("own", "*/pm25")])
        _ = engine.append(Self.sample("kitchen", 60), at: 0)
        _ = engine.append(Self.sample("living", 60), at: 0)
        let events = engine.use([Self.rule("own", "living/pm25")], at: 10)
        #expect(Self.ended(events) == ["own:kitchen/pm25 ruleRemoved"])
        #expect(engine.raised.map { "\($0.key)" } == ["own:living/pm25"])
        // A rule of another kind is another rule.
        let motion = AlertRule("own", [.init("*", Self.motion)])
        #expect(Self.ended(engine.use([motion], at: 20)) == ["own:living/pm25 ruleRemoved"])
    }

    @Test func anAlertOfEventsEndsInItsTimeAfterAnotherRuleChanged() {
        let motion = AlertRule("motion", [.init("*", Self.motion)])
        let engine = Bench([Self.rule("own", "*/pm25"), motion])
        _ = engine.apply(Event(at: .boot, source: "door", kind: .motion), at: 10)
        #expect(engine.use([motion], at: 20).isEmpty)
        #expect(Self.ended(engine.advance(to: 71)) == ["motion:door over"])
        #expect(engine.raised.isEmpty)
    }
}
