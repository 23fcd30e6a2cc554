import Core
import FoundationEssentials
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import RoostCourier
@testable import StoreQueries

/// Tests answers that no server should give: none may crash a target or pass for a success.
///
/// `ROOST_ANSWER_FUZZ` sets the answers for each (300), `ROOST_ANSWER_SEED` the first seed.
@Suite struct AnswerFuzzTests {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
    }

    private static let count = number("ROOST_ANSWER_FUZZ") ?? 300
    private static let firstSeed = number("ROOST_ANSWER_SEED") ?? 20_261_123

    private static let targets = [
        #"{"id":"a","type":"influx1","url":"http://192.168.1.5:8086","database":"air"}"#,
        #"{"id":"b","type":"influx2","url":"http://192.168.1.5:8086","org":"o","bucket":"b","#
            + #""token":{"secret":"key"}}"#,
        #"{"id":"c","type":"webhook","url":"http://192.168.1.5/hook"}"#,
        #"{"id":"d","type":"sensor-community","sensor":"raspi-1","devices":{"dust":{"pin":1}}}"#,
        #"{"id":"e","type":"madavi","sensor":"raspi-1","device":"dust"}"#,
        #"{"id":"f","type":"opensensemap","box":"5f1a00000000000000000001","#
            + #""token":{"secret":"key"},"sensors":{"dust/pm25":"5f1a00000000000000000002"}}"#,
    ]

    private static let receivers = [
        #"{"id":"n","type":"ntfy","topic":{"secret":"key"}}"#,
        #"{"id":"t","type":"telegram","token":{"secret":"key"},"chat":"7"}"#,
        #"{"id":"w","type":"webhook","url":{"secret":"url"}}"#,
        #"{"id":"s","type":"seed","url":{"secret":"url"}}"#,
    ]

    /// Answers that servers do give; the fuzz cuts, flips and mixes them.
    private static let bodies = [
        "", "OK", "{}", "null", "[]", "Saved in collection", "{\"error\":\"unauthorized\"}",
        "{\"code\":\"invalid\",\"message\":\"partial write: points beyond retention dropped=1\"}",
        "{\"sensordatavalues\":[\"Diese Daten existieren schon.\"]}", "{\"ok\":true,\"result\":{}}",
        "{\"ok\":false,\"error_code\":429,\"parameters\":{\"retry_after\":5}}",
        "<!DOCTYPE html><html><title>Welcome</title></html>", "{\"event\":\"message\"}",
        "[{\"_id\":\"5f1a00000000000000000002\",\"lastMeasurement\":null}]",
    ]

    private static let statuses = [
        0, 100, 200, 201, 202, 204, 207, 226, 299, 301, 302, 304, 307, 400, 401, 403, 404, 405, 408,
        409, 410, 411, 413, 415, 418, 422, 425, 429, 451, 500, 501, 502, 503, 504, 511, 599, 700,
    ]

    private static func answer(_ chance: inout SplitMix64) -> OutboundAnswer {
        func roll(_ count: Int) -> Int { Int.random(in: 0..<count, using: &chance) }
        var body = Array(bodies[roll(bodies.count)].utf8)
        for _ in 0..<roll(4) {
            switch roll(4) {
            case 0 where !body.isEmpty: body[roll(body.count)] = UInt8(roll(256))
            case 1: body = Array(body.prefix(roll(body.count + 1)))
            case 2: body += Array(bodies[roll(bodies.count)].utf8)
            default: body.insert(UInt8(roll(256)), at: roll(body.count + 1))
            }
        }
        let words = [
            "", "1", "-1", "99999999999999999999", "Wed, 21 Oct 2026 07:28:00 GMT", "\u{0}x",
        ]
        var fields: [String: String] = [:]
        for name in ["retry-after", "content-type", "location", "content-length"]
        where roll(3) == 0 {
            fields[name] = roll(3) == 0 ? "text/html; charset=x" : words[roll(words.count)]
        }
        return OutboundAnswer(statuses[roll(statuses.count)], fields, body: body)
    }

    /// Server that gives the same answer to every request.
    private final class Answering: SimulatedServer {
        let given: OutboundAnswer
        init(_ given: OutboundAnswer) { self.given = given }
        func answer(_ request: OutboundRequest) async -> OutboundAnswer { given }
    }

    private static func materials(_ clock: SimulatedClock) -> TargetDependencies {
        let secrets = CourierLife.Secrets()
        secrets.set("key", "secret-4f9a7b21c0")
        secrets.set("url", "http://192.168.1.5/hook")
        return TargetDependencies(
            secrets: secrets,
            station: TargetFixture.station,
            clock: clock,
            zone: .utc
        )
    }

    private static let hosts = [
        "192.168.1.5:8086", "192.168.1.5", "api.sensor.community", "api-rrd.madavi.de",
        "api.opensensemap.org", "ntfy.sh", "api.telegram.org",
    ]

    private static func network(
        _ answer: OutboundAnswer,
        _ clock: SimulatedClock
    ) -> SimulatedInternet {
        let internet = SimulatedInternet(clock: clock)
        for host in hosts { internet.add(Answering(answer), at: host) }
        return internet
    }

    /// For a webhook and for openSenseMap, 409 means that the batch is already there.
    private static func mayCount(_ answer: OutboundAnswer) -> Bool {
        !answer.isHTML && (answer.isSuccess || [400, 409, 422].contains(answer.status))
    }

    private static func complain(_ seed: UInt64, _ words: String, _ answer: OutboundAnswer) {
        let repeated = "ROOST_ANSWER_SEED=\(seed) ROOST_ANSWER_FUZZ=1"
        Issue.record("\(words): \(repeated), \(answer.status) \(answer.text)")
    }

    @Test(arguments: targets) func noTargetTakesAnAnswerForMoreThanItIs(entry: String) throws {
        try simulate { clock in
            clock.setWallTime(TargetFixture.time)
            let configuration = try CourierLife.read(entry)
            for seed in Self.firstSeed..<Self.firstSeed + Self.count {
                var chance = SplitMix64(seed: seed)
                let answer = Self.answer(&chance)
                guard
                    case .samples(let target) = try configuration.targets[0].make(
                        Self.materials(clock)
                    )
                else { return }
                let batch = TargetFixture.batch(TargetFixture.dust(), TargetFixture.dust(1))
                let network = Self.network(answer, clock)
                let outcome = try await target.deliver(batch, over: network)
                switch outcome {
                case .delivered:
                    if !Self.mayCount(answer) { Self.complain(seed, "it counts", answer) }
                case .partly(let refused, _):
                    let isWithin = refused.allSatisfy { (0..<2).contains($0) }
                    if !isWithin || !Self.mayCount(answer) {
                        Self.complain(seed, "it counts in part \(refused)", answer)
                    }
                case .hold(let reason), .refused(let reason), .unknown(let reason),
                    .foreign(let reason), .later(let reason, _):
                    if "\(reason)".contains("4f9a7b21c0") {
                        Self.complain(seed, "the reason has a secret", answer)
                    }
                }
            }
        }
    }

    @Test(arguments: receivers) func noReceiverTakesAnAnswerForMoreThanItIs(entry: String) throws {
        try simulate { clock in
            clock.setWallTime(TargetFixture.time)
            let configuration = try CourierLife.read("", entry)
            let notice = Notice(
                number: 1,
                kind: .raised,
                key: "who-24h dust/pm25",
                severity: .warning,
                text: ("Air", "PM2.5 is 16.1", []),
                time: TargetFixture.time
            )
            for seed in Self.firstSeed..<Self.firstSeed + Self.count {
                var chance = SplitMix64(seed: seed)
                let answer = Self.answer(&chance)
                let receiver = try configuration.receivers[0].make(Self.materials(clock))
                let outcome = try await receiver.deliver(
                    notice,
                    over: Self.network(answer, clock)
                )
                if outcome.name == "delivered", !Self.mayCount(answer) {
                    Self.complain(seed, "it counts", answer)
                }
            }
        }
    }

    @Test func noAnswerOfAHeartbeatIsMoreThanItIs() {
        for seed in Self.firstSeed..<Self.firstSeed + Self.count {
            var chance = SplitMix64(seed: seed)
            let answer = Self.answer(&chance)
            let outcome = HeartbeatTarget.classify(answer)
            if outcome == .delivered, !answer.isSuccess || answer.isHTML {
                Self.complain(seed, "it counts", answer)
            }
        }
    }
}
