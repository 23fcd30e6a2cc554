import Core

@testable import Alerts

/// An engine that a test can ask within an expectation.
final class Bench {
    private var engine: AlertEngine

    init(_ rules: [AlertRule]) { engine = AlertEngine(rules) }

    var raised: [AlertTrack] { engine.raised }
    var tracks: [AlertTrack] { engine.tracks }
    var deadline: Int? { engine.deadline }

    func expect(_ device: String, every interval: Int, warmUp: Int = 0, at now: Int) {
        engine.expect(device, every: interval, warmUp: warmUp, at: now)
    }

    func remove(_ device: String, at now: Int) -> [AlertEvent] { engine.remove(device, at: now) }

    func append(_ sample: [Reading], at now: Int) -> [AlertEvent] { engine.append(sample, at: now) }
    func apply(_ event: Event, at now: Int) -> [AlertEvent] { engine.apply(event, at: now) }
    func apply(_ report: AlertReport, at now: Int) -> [AlertEvent] { engine.apply(report, at: now) }
    func advance(to now: Int) -> [AlertEvent] { engine.advance(to: now) }
    func standing(at now: Int) -> [AlertEvent] { engine.standing(at: now) }
    func use(_ rules: [AlertRule], at now: Int) -> [AlertEvent] { engine.use(rules, at: now) }

    func restore(_ past: RestoredAlerts, at now: Int) -> [AlertEvent] {
        engine.restore(past, at: now)
    }

    func acknowledge(_ raise: Int64, by: String, for seconds: Int?, at now: Int) -> AlertEvent? {
        engine.acknowledge(raise, by: by, for: seconds, at: now)
    }

    func silence(
        _ key: AlertEvent.Key,
        for seconds: Int,
        by: String,
        at now: Int
    ) -> AlertEvent? {
        engine.silence(key, for: seconds, by: by, at: now)
    }

    /// - Parameter asked: nil for the value itself.
    func test(
        _ rule: String,
        value: FixedPoint?,
        asked: FixedPoint? = nil,
        at now: Int = 0
    ) -> AlertEvent? {
        engine.test(rule, value: value, asked: asked ?? value, at: now)
    }
}
