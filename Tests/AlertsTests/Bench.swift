import Alerts
import Core

/// A book that a test can ask within an expectation.
final class Bench {
    private var book: AlertEngine

    init(_ rules: [AlertRule]) { book = AlertEngine(rules) }

    var raised: [AlertTrack] { book.raised }
    var tracks: [AlertTrack] { book.tracks }
    var deadline: Int? { book.deadline }

    func expect(_ device: String, every interval: Int, warmUp: Int = 0, at now: Int) {
        book.expect(device, every: interval, warmUp: warmUp, at: now)
    }

    func remove(_ device: String, at now: Int) -> [AlertEvent] { book.remove(device, at: now) }

    func append(_ sample: [Reading], at now: Int) -> [AlertEvent] { book.append(sample, at: now) }
    func apply(_ event: Event, at now: Int) -> [AlertEvent] { book.apply(event, at: now) }
    func apply(_ report: AlertReport, at now: Int) -> [AlertEvent] { book.apply(report, at: now) }
    func advance(to now: Int) -> [AlertEvent] { book.advance(to: now) }
    func standing(at now: Int) -> [AlertEvent] { book.standing(at: now) }
    func use(_ rules: [AlertRule], at now: Int) -> [AlertEvent] { book.use(rules, at: now) }

    func restore(_ past: RestoredAlerts, at now: Int) -> [AlertEvent] {
        book.restore(past, at: now)
    }

    func acknowledge(_ raise: Int64, by: String, for seconds: Int?, at now: Int) -> AlertEvent? {
        book.acknowledge(raise, by: by, for: seconds, at: now)
    }

    func silence(
        _ key: AlertEvent.Key,
        for seconds: Int,
        by: String,
        at now: Int
    ) -> AlertEvent? {
        book.silence(key, for: seconds, by: by, at: now)
    }

    func test(_ rule: String, value: FixedPoint?) -> AlertEvent? { book.test(rule, value: value) }
}
