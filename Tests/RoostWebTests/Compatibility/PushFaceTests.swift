import ControlProtocol
import Core
import HTTPTypes
import Logging
import Synchronization
import Testing

@testable import RoostWeb
@testable import StoreQueries

@Suite struct PushFaceTests {
    private static let token = String(repeating: "ab", count: 32)

    /// A courier that accepts valid requests and one notice in all, and records the requests.
    private final class Courier: Sendable {
        private let state = Mutex<(asked: [CourierRequest], tokens: Int)>(([], 1))

        var asked: [CourierRequest] { state.withLock { $0.asked } }

        func answer(_ line: String) throws -> String {
            let request = try ControlCodec.message(CourierRequest.self, from: line)
            return try state.withLock { state in
                state.asked.append(request)
                switch request.command {
                case .subscribe:
                    let isToken = request.push?.address?.allSatisfy(\.isHexDigit) ?? false
                    guard isToken, (request.push?.address?.count ?? 0) >= 32 else {
                        return try Self.failure("bad-request")
                    }
                    return try Self.success(PushChangeReport(change: "added"))
                case .notify:
                    guard request.push?.value == "12.3" else {
                        return try Self.failure("bad-request")
                    }
                    state.tokens -= 1
                    let isTaken = state.tokens >= 0
                    return try Self.success(
                        PushNotifyReport(isTaken: isTaken, retryAfterSeconds: isTaken ? nil : 77)
                    )
                default: return try Self.failure("no-receiver")
                }
            }
        }

        private static func success<Body: Codable & Sendable>(_ body: Body) throws -> String {
            try ControlCodec.line(ControlAnswer<Body>(.success(body)))
        }

        private static func failure(_ code: String) throws -> String {
            let failure = ControlFailure(code: code, message: "it is wrong")
            return try ControlCodec.line(ControlAnswer<PushChangeReport>(.failure(failure)))
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
            let courier = courier
            sources.courier = CourierClient { line, _ in
                guard !isAway else { throw Problem(.stationDown, "no courier answers") }
                return try courier.answer(line)
            }
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
        #expect(stage.courier.asked.map(\.push?.every) == [nil, nil, 300, 300])
        #expect(stage.courier.asked.allSatisfy { $0.push?.kind == "apns" })
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
        let asked = Mutex<[CourierRequest]>([])
        let courier = CourierClient { line, _ in
            let request = try ControlCodec.message(CourierRequest.self, from: line)
            asked.withLock { $0.append(request) }
            if request.command == .vapid {
                let report = PushKeyReport(key: "BK", isOffered: true)
                return try ControlCodec.line(ControlAnswer<PushKeyReport>(.success(report)))
            }
            let change = request.command == .subscribe ? "added" : "removed"
            let report = PushChangeReport(change: change)
            return try ControlCodec.line(ControlAnswer<PushChangeReport>(.success(report)))
        }
        func ask(_ method: HTTPRequest.Method, _ body: String, as right: Right) async -> WebResponse
        {
            let gate = Gate(
                RouteTable(PushRoutes(courier).all),
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
        #expect(requests.map(\.command) == [.vapid, .subscribe, .unsubscribe])
        #expect(requests[1].push?.every == 3_600 && requests[1].push?.language == "it")
        #expect(requests[2].push?.address == "https://push.example.org/1")
        let card = RouteStage(PushRoutes(nil).all, as: .member)
        #expect(await card.ask("/api/v1/push").status == .notFound)
    }
}
