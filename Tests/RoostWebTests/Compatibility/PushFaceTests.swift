import ControlProtocol
import Core
import HTTPTypes
import HardwareIO
import Logging
import Synchronization
import Testing

@testable import RoostWeb
@testable import StoreQueries

@Suite struct PushFaceTests {
    private static let token = String(repeating: "ab", count: 32)

    /// A courier that accepts valid requests and one notice in all, and records the requests.
    private final class Courier: Sendable {
        private let state = Mutex<(asked: [any Question], tokens: Int)>(([], 1))

        var asked: [any Question] { state.withLock { $0.asked } }
        private static let wrong = ControlFailure(code: .badRequest, message: "it is wrong")

        var table: QuestionTable {
            var table = QuestionTable("this courier", users: LocalUsers())
            table.on(SubscribePush.self) { push, _ in
                self.state.withLock { $0.asked.append(push) }
                guard push.address.allSatisfy(\.isHexDigit), push.address.count >= 32 else {
                    throw Self.wrong
                }
                return PushChangeReport(change: "added")
            }
            table.on(NotifySubscribers.self) { notice, _ in
                let isTaken = self.state.withLock { state in
                    state.asked.append(notice)
                    if notice.value == "12.3" { state.tokens -= 1 }
                    return state.tokens >= 0
                }
                guard notice.value == "12.3" else { throw Self.wrong }
                return PushNotifyReport(isTaken: isTaken, retryAfterSeconds: isTaken ? nil : 77)
            }
            return table
        }
    }

    private struct AbsentCourier: QuestionClient {
        func exchange(_ line: String, within limit: Duration?) async throws -> String {
            throw Problem(.stationDown, "no courier answers")
        }
    }

    private struct Stage {
        let courier = Courier()
        let responder: WebResponder

        init(isAway: Bool = false) {
            let history = HistoryClient(nil, folder: "/nonexistent", logger: FaceStage.logger)
            var sources = FaceSources(
                history,
                nil,
                nil,
                name: "balcony",
                zone: .utc,
                logger: FaceStage.logger
            )
            sources.courier = isAway ? AbsentCourier() : courier.table
            let faces = Faces(FaceSettings([.push: FaceSettings.Entry(port: 5_050)]), sources)
            let routes = faces.routes + (faces.ports.first?.routes ?? [])
            let gate = Gate(
                RouteTable(routes),
                hosts: HostNames(["balcony"]),
                authenticator: OpenAuthenticator(.viewer)
            )
            responder = WebResponder(gate, logger: FaceStage.logger)
        }

        func post(
            _ path: String,
            _ text: String,
            _ headers: HTTPFields = [:],
            from peer: String = "192.168.1.7"
        ) async -> WebResponse {
            var headers = headers
            headers[.contentLength] = "\(text.utf8.count)"
            let head = Gate.Head(
                .post,
                authority: "localhost",
                target: path,
                headers: headers,
                peer: PeerAddress(peer)
            )
            return await responder.answer(head) { _ in Array(text.utf8) }
        }
    }

    private static let notice = #"{"time": "07:49 AM", "pollutant": "PM2.5", "value": "12.3"}"#

    @Test(arguments: ["/", "/compat/push"])
    func aPhoneRegisters(path: String) async throws {
        let stage = Stage()
        let json: HTTPFields = [.contentType: "application/json"]
        for body in [
            "{\"ID\":\"\(Self.token)\"}", "{\"id\":\"\(Self.token)\",\"interval\":5,\"more\":[1]}",
        ] {
            let response = await stage.post(path, body, json)
            #expect(response.status == .created)
            #expect(try await RouteStage.text(response).isEmpty)
            // Go does not look at the type.
            #expect(await stage.post(path, body).status == .created)
        }
        let asked = stage.courier.asked.compactMap { $0 as? SubscribePush }
        #expect(asked.map(\.every) == [nil, nil, 300, 300])
        #expect(asked.allSatisfy { $0.kind == "apns" })
    }

    @Test func theSecondNoticeWaits() async throws {
        let stage = Stage()
        #expect(await stage.post("/notify", Self.notice).status == .created)
        let response = await stage.post("/compat/push/notify", Self.notice)
        #expect(response.status == .tooManyRequests)
        #expect(response.headers[.retryAfter] == "77")
        #expect(try await RouteStage.text(response) == "Too Many Requests\n")
    }

    @Test func theInternetAndPagesOfOthersAreRefused() async {
        let stage = Stage()
        let page: HTTPFields = [.origin: "http://evil.example"]
        #expect(await stage.post("/notify", Self.notice, page).status == .forbidden)
        let far = await stage.post("/notify", Self.notice, from: "8.8.8.8")
        #expect(far.status == .forbidden)
        #expect(stage.courier.asked.isEmpty)
    }

    @Test func aCourierThatIsAwayIsSaid() async {
        let stage = Stage(isAway: true)
        #expect(await stage.post("/notify", Self.notice).status == .serviceUnavailable)
    }

    /// Two hundred invalid bodies: each is refused with a reason, and no token is stored.
    @Test func bodiesThatAreWrongTakeNoToken() async throws {
        var random = Dice(state: 7)
        var bodies = [
            "", "{", "[]", "null", "1", "\"ID\"", "{}", "{\"ID\":\"\"}", "{\"ID\":null}",
            "{\"ID\":[\"ab\"]}", "{\"ID\":\"xyz\"}", "{\"time\":1,\"pollutant\":2,\"value\":3}",
            "{\"ID\":\"\(Self.token)\",\"interval\":0}",
            "{\"ID\":\"\(Self.token)\",\"interval\":1.5}",
            "{\"ID\":\"\(Self.token)\",\"interval\":\"5\"}",
            "{\"ID\":\"\(Self.token)\",\"interval\":1e400}",
            String(repeating: "[", count: 4_000),
            "{\"time\":\"\",\"pollutant\":\"\",\"value\":\"\"}",
        ]
        while bodies.count < 200 {
            var bytes = Array((bodies.count % 2 == 0 ? Self.notice : "{\"ID\":\"zz\"}").utf8)
            for _ in 0...random.roll(3) {
                bytes[random.roll(bytes.count)] = UInt8(random.roll(128))
            }
            // Cut somewhere: never whole.
            bodies.append(
                String(decoding: bytes.prefix(1 + random.roll(bytes.count - 1)), as: UTF8.self)
            )
        }
        // The gate takes a hundred requests at once.
        for start in stride(from: 0, to: bodies.count, by: 40) {
            let stage = Stage()
            for body in bodies[start..<min(start + 40, bodies.count)] {
                for path in ["/", "/notify"] {
                    let status = await stage.post(path, body).status
                    #expect(
                        status.kind == .clientError && status != .tooManyRequests,
                        "\(path) \(body)"
                    )
                }
            }
            #expect(await stage.post("/notify", Self.notice).status == .created)
        }
    }

    private struct Dice {
        var state: UInt64

        mutating func roll(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % max(count, 1)
        }
    }

    // MARK: Browsers

    @Test func aMembersBrowserIsPassedOn() async throws {
        let asked = Mutex<[any Question]>([])
        var courier = QuestionTable("this courier", users: LocalUsers())
        courier.on(GetPushKey.self) { _, _ in PushKeyReport(key: "BK", isOffered: true) }
        courier.on(SubscribePush.self) { push, _ in
            asked.withLock { $0.append(push) }
            return PushChangeReport(change: "added")
        }
        courier.on(UnsubscribePush.self) { push, _ in
            asked.withLock { $0.append(push) }
            return PushChangeReport(change: "removed")
        }
        let routes = PushRoutes(courier).all
        func ask(_ method: HTTPRequest.Method, _ body: String, as right: Right) async -> WebResponse
        {
            let gate = Gate(
                RouteTable(routes),
                hosts: HostNames(["balcony"]),
                authenticator: OpenAuthenticator(right)
            )
            var headers: HTTPFields = [.origin: "http://localhost"]
            if !body.isEmpty { headers[.contentType] = "application/json" }
            headers[.contentLength] = "\(body.utf8.count)"
            let head = Gate.Head(
                method,
                authority: "localhost",
                target: "/api/v1/push",
                headers: headers
            )
            return await WebResponder(gate, logger: FaceStage.logger).answer(head) { _ in
                Array(body.utf8)
            }
        }
        let body = """
            {"endpoint":"https://push.example.org/1","keys":{"p256dh":"k","auth":"a"},
             "expirationTime":null,"seconds":3600,"language":"it"}
            """
        #expect(await ask(.get, "", as: .viewer).status == .forbidden)
        #expect(await ask(.post, body, as: .viewer).status == .forbidden)
        let key = await ask(.get, "", as: .member)
        #expect(try await RouteStage.text(key) == #"{"isOffered":true,"key":"BK"}"#)
        #expect(await ask(.post, body, as: .member).status == .created)
        #expect(await ask(.post, "{\"endpoint\":1}", as: .member).status == .badRequest)
        let end = "{\"endpoint\":\"https://push.example.org/1\"}"
        #expect(await ask(.delete, end, as: .member).status == .ok)
        let requests = asked.withLock { $0 }
        let subscription = requests.first as? SubscribePush
        #expect(subscription?.every == 3_600 && subscription?.language == "it")
        let removal = requests.last as? UnsubscribePush
        #expect(requests.count == 2 && removal?.address == "https://push.example.org/1")
        let card = RouteStage(PushRoutes(nil).all, as: .member)
        #expect(await card.ask("/api/v1/push").status == .notFound)
    }
}
