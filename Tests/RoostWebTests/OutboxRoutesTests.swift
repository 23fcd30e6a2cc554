import ControlProtocol
import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

@testable import RoostWeb

@Suite struct OutboxRoutesTests {
    /// A courier with one target that is held.
    private final class Courier: Sendable {
        let asked = Mutex<[CourierRequest]>([])

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

        var client: CourierClient {
            CourierClient { line in
                let request = try ControlCodec.message(CourierRequest.self, from: line)
                self.asked.withLock { $0.append(request) }
                guard request.target ?? "influx" == "influx" else {
                    let failure = ControlFailure(code: "unknown-target", message: "none of it")
                    return try ControlCodec.line(ControlAnswer<CourierReport>(.failure(failure)))
                }
                guard request.command != .drop else {
                    let report = OutboxDropReport(target: "influx", dropped: 3)
                    return try ControlCodec.line(ControlAnswer<OutboxDropReport>(.success(report)))
                }
                return try ControlCodec.line(ControlAnswer<CourierReport>(.success(Self.report)))
            }
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
            doorman: OpenDoorman(right)
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
        let client = CourierClient { _ in throw Problem(.stationDown, "no courier answers") }
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
        #expect(requests.map(\.command) == [.flush, .pause, .resume, .drop])
        #expect(requests.last?.time == "2026-11-20T03:10:00Z")
    }

    @Test func whatIsWrongIsSaid() async {
        let courier = Courier()
        #expect(await Self.post(courier, "other/flush", as: .member).status == .notFound)
        #expect(await Self.post(courier, "influx/drop", "{}", as: .owner).status == .badRequest)
        let more = "{\"seconds\":60,\"more\":1}"
        #expect(await Self.post(courier, "influx/pause", more, as: .member).status == .badRequest)
        let hour = "{\"seconds\":3600}"
        #expect(await Self.post(courier, "influx/pause", hour, as: .member).status == .ok)
        #expect(courier.asked.withLock { $0.last?.seconds } == 3_600)
    }

    @Test func collectorsSeeTheSum() throws {
        var metrics = OpenMetrics(OpenMetricsTests.status, listeners: 0)
        metrics.outbox = Courier.report.targets
        for line in [
            "roost_outbox_waiting_samples{target=\"influx\"} 3",
            "roost_outbox_delivered_samples_total{target=\"influx\"} 7",
            "roost_outbox_left_out_samples_total{target=\"influx\",reason=\"noValue\"} 2",
            "roost_outbox_held{target=\"influx\"} 1",
        ] {
            #expect(metrics.text.contains(line + "\n"))
        }
    }
}
