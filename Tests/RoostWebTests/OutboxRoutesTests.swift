import ControlProtocol
import FoundationEssentials
import HTTPTypes
import HardwareIO
import Synchronization
import Testing

@testable import RoostWeb

@Suite struct OutboxRoutesTests {
    /// A courier with one target that is held.
    private final class Courier: Sendable {
        let asked = Mutex<[any Question]>([])

        static var report: CourierReport {
            var target = OutboxReport(id: "influx", type: "influx2", state: .held)
            target.why = "the log-in is refused"
            target.samples = OutboxSampleCounts(
                delivered: 7,
                waiting: 3,
                leftOut: ["noValue": 2, "expired": 1]
            )
            return CourierReport(
                version: "1",
                processID: 1,
                uptimeSeconds: 5,
                file: "/etc/roost/courier.json",
                targets: [target]
            )
        }

        static let proof = OutboxProofReport(
            target: "influx",
            days: [.init(day: "2026-11-20", delivered: 7, held: 6, isProved: false)]
        )
        static let fates = OutboxFatesReport(fates: [
            .init(
                target: "influx",
                device: "dust",
                time: "2026-11-20T03:10:04.000Z",
                fate: "waiting",
                why: "the log-in is refused"
            )
        ])

        static let nearby = NearbyReport(
            .done,
            items: [
                NearbyServer(.broker, name: "<b>", host: "a.local", url: "mqtt://10.0.0.5:1883")
            ]
        )

        static let kinds = EntryKindsReport(
            targets: [
                EntryKind(
                    "mqtt",
                    fields: [EntryField("url", .url, isRequired: true, isCommon: false)]
                )
            ],
            receivers: []
        )

        var client: QuestionTable {
            var table = QuestionTable("this courier", users: LocalUsers())
            func on<Asked: Question>(
                _ type: Asked.Type,
                of target: @escaping @Sendable (Asked) -> String?,
                _ answer: Asked.Answer
            ) {
                table.on(type) { question, _ in
                    self.asked.withLock { $0.append(question) }
                    guard target(question) ?? "influx" == "influx" else {
                        throw ControlFailure(code: .notFound, message: "none of it")
                    }
                    return answer
                }
            }
            on(GetCourierStatus.self, of: { _ in nil }, Self.report)
            on(FlushOutbox.self, of: \.target, Self.report)
            on(PauseTarget.self, of: \.target, Self.report)
            on(ResumeTarget.self, of: \.target, Self.report)
            on(DropSamples.self, of: \.target, OutboxDropReport(target: "influx", dropped: 3))
            let retry = OutboxRetryReport(target: "influx", taken: 2, left: 1)
            on(RetryRefused.self, of: \.target, retry)
            on(ProveDelivery.self, of: \.target, Self.proof)
            on(FindFates.self, of: \.target, Self.fates)
            on(GetEntryKinds.self, of: { _ in nil }, Self.kinds)
            on(FindNearby.self, of: { _ in nil }, Self.nearby)
            return table
        }
    }

    private final class Waits: Sendable {
        private let durations = Mutex<[Duration?]>([])
        var all: [Duration?] { durations.withLock { $0 } }
        func add(_ duration: Duration?) { durations.withLock { $0.append(duration) } }
    }

    /// A courier that answers nothing, and records how long it may take.
    private struct SilentCourier: QuestionClient {
        let problem: Problem
        var waited: @Sendable (Duration?) -> Void = { _ in }

        func exchange(_ line: String, within limit: Duration?) async throws -> String {
            waited(limit)
            throw problem
        }
    }

    private static func post(
        _ courier: Courier,
        _ act: String,
        _ body: String = "{}",
        as right: Right
    ) async -> WebResponse {
        let gate = Gate(
            RouteTable(OutboxRoutes(courier.client).all),
            hosts: HostNames(["balcony"]),
            authenticator: OpenAuthenticator(right)
        )
        var headers: HTTPFields = [.origin: "http://localhost"]
        headers[.contentType] = "application/json"
        headers[.contentLength] = "\(body.utf8.count)"
        let target = "/api/v1/outbox/\(act)"
        let head = Gate.Head(.post, authority: "localhost", target: target, headers: headers)
        return await WebResponder(gate, logger: RouteStage.logger).answer(head) { _ in
            Array(body.utf8)
        }
    }

    @Test func thePageSeesEachTargetAndNothingOfItsComputer() async throws {
        let stage = RouteStage(OutboxRoutes(Courier().client).all)
        let bytes = try await RouteStage.bytes(await stage.ask("/api/v1/outbox"))
        let view = try JSONDecoder().decode(OutboxView.self, from: Data(bytes))
        #expect(view.isRunning && view.targets == Courier.report.targets)
        #expect(!String(decoding: bytes, as: UTF8.self).contains("courier.json"))
    }

    @Test func aStationWithoutACourierIsNoFault() async throws {
        let client = SilentCourier(problem: Problem(.stationDown, "no courier answers"))
        let response = await RouteStage(OutboxRoutes(client).all).ask("/api/v1/outbox")
        let bytes = try await RouteStage.bytes(response)
        let view = try JSONDecoder().decode(OutboxView.self, from: Data(bytes))
        #expect(response.status == .ok && !view.isRunning && view.targets.isEmpty)
        let card = await RouteStage(OutboxRoutes(nil).all).ask("/api/v1/outbox")
        #expect(card.status == .notFound)
    }

    @Test func eachActNeedsItsRight() async {
        let courier = Courier()
        for act in ["flush", "pause", "resume"] {
            #expect(await Self.post(courier, "influx/\(act)", as: .viewer).status == .forbidden)
            #expect(await Self.post(courier, "influx/\(act)", as: .member).status == .ok)
        }
        let body = "{\"before\":\"2026-11-20T03:10:00Z\"}"
        #expect(await Self.post(courier, "influx/drop", body, as: .member).status == .forbidden)
        #expect(await Self.post(courier, "influx/drop", body, as: .owner).status == .ok)
        let requests = courier.asked.withLock { $0 }
        let names = requests.map { type(of: $0).about.name }
        #expect(names == ["flush", "pause", "resume", "drop"])
        #expect((requests.last as? DropSamples)?.time == "2026-11-20T03:10:00Z")
    }

    @Test func whatAServerHasIsProvedAndWhatItRefusedIsSentAgain() async throws {
        let courier = Courier()
        for act in ["retry", "prove"] {
            #expect(await Self.post(courier, "influx/\(act)", as: .viewer).status == .forbidden)
        }
        let retried = await Self.post(courier, "influx/retry", as: .member)
        let retry = try JSONDecoder()
            .decode(OutboxRetryReport.self, from: Data(try await RouteStage.bytes(retried)))
        #expect(retry.taken == 2 && retry.left == 1)
        let body = "{\"seconds\":86400,\"repairs\":true}"
        let proved = await Self.post(courier, "influx/prove", body, as: .member)
        let proof = try JSONDecoder()
            .decode(OutboxProofReport.self, from: Data(try await RouteStage.bytes(proved)))
        #expect(proof == Courier.proof)
        let asked = courier.asked.withLock { $0.last } as? ProveDelivery
        #expect(asked?.seconds == 86_400 && asked?.repairs == true)
        let wrong = await Self.post(courier, "influx/prove", "{\"days\":7}", as: .member)
        #expect(wrong.status == .badRequest)
    }

    /// Options hold no secret; who may add entries asks for them.
    @Test func brokersNearbyAreForTheOwner() async throws {
        let path = "/api/v1/outbox/nearby"
        let routes = OutboxRoutes(Courier().client).all
        #expect(await RouteStage(routes).ask(path).status == .forbidden)
        let answer = await RouteStage(routes, as: .owner).ask(path)
        let text = try await RouteStage.text(answer)
        #expect(try ControlCodec.message(NearbyReport.self, from: text) == Courier.nearby)
        #expect(text.contains("\\u003cb\\u003e"))
        let silent = SilentCourier(problem: Problem(.stationDown, "no courier answers"))
        let none = try await RouteStage.text(
            await RouteStage(OutboxRoutes(silent).all, as: .owner).ask(path)
        )
        #expect(try ControlCodec.message(NearbyReport.self, from: none) == NearbyReport(.noCourier))
    }

    @Test func theOwnerSeesTheTypesOfEntries() async throws {
        let routes = OutboxRoutes(Courier().client).all
        let path = "/api/v1/outbox/kinds"
        #expect(await RouteStage(routes, as: .member).ask(path).status == .forbidden)
        let bytes = try await RouteStage.bytes(await RouteStage(routes, as: .owner).ask(path))
        let kinds = try JSONDecoder().decode(EntryKindsReport.self, from: Data(bytes))
        #expect(kinds == Courier.kinds)
    }

    @Test func aReadingsFateIsFound() async throws {
        let courier = Courier()
        let stage = RouteStage(OutboxRoutes(courier.client).all)
        let path = "/api/v1/outbox/fates"
        let answer = await stage.ask(path + "?time=2026-11-20T03:10:00Z")
        let bytes = try await RouteStage.bytes(answer)
        let fates = try JSONDecoder().decode(OutboxFatesReport.self, from: Data(bytes))
        #expect(fates == Courier.fates)
        let asked = courier.asked.withLock { $0.last } as? FindFates
        #expect(asked?.time == "2026-11-20T03:10:00Z")
        #expect(await stage.ask(path).status == .badRequest)
        #expect(await stage.ask(path + "?time=now&device=dust").status == .badRequest)
    }

    /// Some servers need longer than a station may.
    @Test func aQuestionToAServerMayTakeAMinute() async {
        let waits = Waits()
        let client = SilentCourier(problem: Problem.tooSlow(seconds: 60)) { waits.add($0) }
        let table = RouteTable(OutboxRoutes(client).all)
        let gate = Gate(
            table,
            hosts: HostNames(["balcony"]),
            authenticator: OpenAuthenticator(.member)
        )
        for act in ["prove", "flush", "pause"] {
            var headers: HTTPFields = [.origin: "http://localhost"]
            headers[.contentType] = "application/json"
            headers[.contentLength] = "2"
            let target = "/api/v1/outbox/influx/\(act)"
            let head = Gate.Head(.post, authority: "localhost", target: target, headers: headers)
            let response = await WebResponder(gate, logger: RouteStage.logger).answer(head) { _ in
                Array("{}".utf8)
            }
            #expect(response.status == .serviceUnavailable)
        }
        #expect(waits.all == [.seconds(60), .seconds(8), nil])
    }

    @Test func whatIsWrongIsSaid() async {
        let courier = Courier()
        #expect(await Self.post(courier, "other/flush", as: .member).status == .notFound)
        #expect(await Self.post(courier, "influx/drop", "{}", as: .owner).status == .badRequest)
        let more = "{\"seconds\":60,\"more\":1}"
        #expect(await Self.post(courier, "influx/pause", more, as: .member).status == .badRequest)
        let hour = "{\"seconds\":3600}"
        #expect(await Self.post(courier, "influx/pause", hour, as: .member).status == .ok)
        #expect((courier.asked.withLock { $0.last } as? PauseTarget)?.seconds == 3_600)
    }

    @Test func collectorsSeeTheSum() throws {
        var status = OpenMetricsTests.status
        status.clock = ClockReport(time: "2026-11-25T10:01:00Z", trust: "time server", isSure: true)
        let alerts = (1...3).map { number in
            AlertsReport.Alert(
                n: number,
                key: number < 3 ? "who-24h:a\(number)/pm25" : "card:station",
                state: "raised",
                level: 1,
                severity: number < 3 ? "warning" : "critical",
                sinceSeconds: 60
            )
        }
        status.alerts = AlertsSummary(alerts)
        var metrics = OpenMetrics(status, listeners: 0)
        metrics.outbox = Courier.report.targets
        metrics.outbox[0].oldestWaiting = "2026-11-25T10:00:00Z"
        for line in [
            "roost_outbox_waiting_samples{target=\"influx\"} 3",
            "roost_outbox_delivered_samples_total{target=\"influx\"} 7",
            "roost_outbox_left_out_samples_total{target=\"influx\",reason=\"noValue\"} 2",
            "roost_outbox_held{target=\"influx\"} 1",
            "roost_outbox_oldest_waiting_seconds{target=\"influx\"} 60",
            "roost_alerts_raised{rule=\"card\",severity=\"critical\"} 1",
            "roost_alerts_raised{rule=\"who-24h\",severity=\"warning\"} 2",
        ] {
            #expect(metrics.text.contains(line + "\n"))
        }
    }
}
