import ControlProtocol
import Core
import HTTPTypes
import Logging
import Testing

@testable import RoostWeb

/// Walks the whole route table × who asks × host × origin × type of the body, and compares with the
/// rules of the design, written down a second time.
@Suite struct GateTests {
    @Test func decidesEachCaseAsWrittenDown() async throws {
        let stage = try AccountsStage()
        let routes = Self.routes(stage.accounts)
        #expect(routes.count > 30)
        var count = 0
        for asker in Asker.all {
            let gate = Gate(
                RouteTable(routes),
                hosts: HostNames(["balcony"]),
                authenticator: asker,
                clock: StageTime.fast
            )
            for route in routes {
                for ask in Self.asks(route, asker) {
                    let wanted = Self.wanted(ask, route, asker)
                    let found = await Self.kind(gate, ask)
                    count += 1
                    guard wanted != found else { continue }
                    let words = "\(route.method.rawValue) \(route.path) as \(asker.name): \(ask)"
                    Issue.record("\(words): \(found?.rawValue ?? "passes")")
                }
            }
        }
        #expect(count > 20_000)
    }

    @Test func takesNoOtherMethod() async throws {
        let stage = try AccountsStage()
        let routes = Self.routes(stage.accounts)
        let gate = Gate(
            RouteTable(routes),
            hosts: HostNames(["balcony"]),
            authenticator: Asker.owner,
            clock: StageTime.fast
        )
        let names = [
            "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT",
        ]
        for path in Set(routes.map { Self.path(of: $0) }) {
            for name in names + ["FOO"] {
                let method = try #require(HTTPRequest.Method(name))
                let head = Gate.Head(
                    method,
                    authority: "balcony.local",
                    target: path,
                    headers: [.origin: "http://balcony.local", .contentType: "application/json"]
                )
                do {
                    let pass = try await gate.admit(head)
                    #expect(pass.route.method == (method == .head ? .get : method))
                } catch let problem as Problem {
                    #expect([.methodNotAllowed, .conflict].contains(problem.kind))
                    if problem.kind == .methodNotAllowed {
                        #expect(problem.headers[.allow]?.contains(name) == false)
                    }
                }
            }
        }
    }

    @Test(arguments: [
        "balcony-2.local", "Balcony-12.local:8088",
        "balcony", "balcony.local", "BALCONY.LOCAL:8088", "balcony.local.", "localhost:80",
        "192.168.1.5", "192.168.1.5:8088", "[::1]", "[fe80::1]:8088", "127.0.0.1",
    ])
    func answersToItsNames(host: String) throws {
        try HostNames(["balcony"]).check(host)
    }

    @Test(arguments: [
        nil, "", "evil.example", "balcony.local.evil.example", "balcony.evil.example",
        "evil.example:80", "[::1].evil.example", "[::1]evil", "192.168.1.5.evil.example",
        "1.2.3.256", "1.2.3", "balcony.local:", "balcony.local:99999", "balcony@evil.example",
        "balcony.local, evil.example", "balcony local", "[evil.example]", "[", "[]x", ":80", ".",
        "xn--balcony", "http://balcony.local", "balcony-2", "balcony-2.evil.example",
        "balcony-x.local", "balcony-.local", "balcony-1234.local", "cellar-2.local", "-2.local",
    ])
    func refusesOtherNames(host: String?) {
        #expect(throws: Problem.self) { try HostNames(["balcony"]).check(host) }
    }

    @Test func boundsTheRate() async throws {
        let time = StageTime()
        let stage = try AccountsStage()
        let routes = Self.routes(stage.accounts)
        let head = Gate.Head(.get, authority: "balcony", target: "/api/v1/me")
        for (asker, most) in [(Asker.nobody, 40), (Asker.owner, 100)] {
            let gate = Gate(
                RouteTable(routes + [Self.open]),
                hosts: HostNames(["balcony"]),
                authenticator: asker,
                clock: time.clock
            )
            let target = asker.identity == nil ? "/open" : "/api/v1/me"
            let head = Gate.Head(.get, authority: head.authority, target: target)
            for _ in 0..<most { _ = try await gate.admit(head) }
            let problem = await #expect(throws: Problem.self) { _ = try await gate.admit(head) }
            #expect(problem?.kind == .rateLimited)
            #expect(problem?.headers[.retryAfter] == "1")
            time.pass(1)
            for _ in 0..<most / 2 { _ = try await gate.admit(head) }
            #expect(await Self.isRefused(gate, head))
            // Another address is not held back by it.
            guard asker.identity == nil else { continue }
            let other = Gate.Head(
                .get,
                authority: "balcony",
                target: target,
                peer: PeerAddress("192.168.1.9")
            )
            _ = try await gate.admit(other)
        }
    }

    /// A guesser must not be able to fill the memory with addresses.
    @Test func boundsTheTableOfTheRate() throws {
        let time = StageTime()
        let rate = RequestRate(time.clock)
        for number in 0..<2 * RequestRate.countMax {
            time.pass(1)
            try rate.admit(nil, PeerAddress("10.0.\(number / 256).\(number % 256)"))
            #expect(rate.count == min(number + 1, RequestRate.countMax))
        }
        // The one forgotten is the one unused longest: the newest has a request less to go.
        let newest = PeerAddress("10.0.1.255")
        for _ in 0..<39 { try rate.admit(nil, newest) }
        #expect(throws: Problem.self) { try rate.admit(nil, newest) }
    }

    @Test func refusesLongAddresses() async throws {
        let gate = Gate(
            RouteTable([Self.open]),
            hosts: HostNames(["balcony"]),
            authenticator: Asker.nobody
        )
        let long = "/open?a=" + String(repeating: "x", count: 2_048)
        let head = Gate.Head(.get, authority: "balcony", target: long)
        #expect(await Self.kind(gate, head) == .tooLarge)
    }

    private static let open = Route(.get, "/open", .anyone) { _ in WebResponse() }
}

// MARK: - The rules, a second time

extension GateTests {
    /// A client with a given identity.
    struct Asker: Gate.Authenticator {
        let name: String
        let identity: Identity?
        var isClaimed = true
        var hasToken = false
        /// Whether the authenticator throws: the token is wrong.
        var isRefused = false

        func identity(_ headers: HTTPFields, _ peer: PeerAddress) throws -> Identity? {
            if isRefused { throw Problem(.unauthenticated, "wrong token") }
            return identity
        }

        static let nobody = Asker(name: "nobody", identity: nil)
        static let owner = Asker(name: "owner", identity: session(.owner))

        static let all = [
            Asker(name: "unclaimed", identity: nil, isClaimed: false), nobody,
            Asker(name: "viewer", identity: session(.viewer)),
            Asker(name: "member", identity: session(.member)), owner,
            token([.read]), token([.write]), token([.metrics]), token([.read, .write]),
            Asker(name: "wrong token", identity: nil, hasToken: true, isRefused: true),
        ]

        private static func session(_ right: Right) -> Identity {
            Identity(account: 1, name: "Anna", right: right, door: .session(id: 1))
        }

        private static func token(_ scopes: Set<TokenScope>) -> Asker {
            let door = Identity.Door.token(id: "t", scopes: scopes)
            let identity = Identity(account: 1, name: "Anna", right: .owner, door: door)
            return Asker(name: "token \(scopes)", identity: identity, hasToken: true)
        }
    }

    static func routes(_ accounts: Accounts) -> [Route] {
        let station = StationRoutes(
            nil,
            live: nil,
            name: "balcony",
            zone: "Etc/UTC",
            isSimulated: false
        )
        return AccountRoutes.all(accounts) + station.all
    }

    static func path(of route: Route) -> String {
        route.path.split(separator: "/").map { part in
            part.hasPrefix("{") ? "/7" : "/" + part
        }.joined()
    }

    private static let hosts: [(String?, Bool)] = [
        ("balcony.local", true), ("192.168.1.5:8088", true), ("evil.example", false), (nil, false),
        ("[::1].evil.example", false),
    ]

    private static let types: [(String?, Bool)] = [
        ("application/json", true), ("Application/JSON; charset=utf-8", true),
        ("text/plain", false), ("application/x-www-form-urlencoded", false), (nil, false),
    ]

    private static func asks(_ route: Route, _ asker: Asker) -> [Gate.Head] {
        hosts.flatMap { host, _ in
            let own = "http://\(host ?? "balcony.local")"
            let origins = [own, nil, "null", "http://evil.example", own + ":81", own.uppercased()]
            return origins.flatMap { origin in
                types.map { type, _ in
                    var headers: HTTPFields = [.contentLength: "2"]
                    headers[.origin] = origin
                    headers[.contentType] = type
                    if asker.hasToken { headers[.authorization] = "Bearer rst_t_x" }
                    return Gate.Head(
                        route.method,
                        authority: host,
                        target: path(of: route),
                        headers: headers
                    )
                }
            }
        }
    }

    private static func wanted(
        _ ask: Gate.Head,
        _ route: Route,
        _ asker: Asker
    ) -> RefusalCode? {
        guard hosts.contains(where: { $0.0 == ask.authority && $0.1 }) else { return .wrongHost }
        if route.method != .get {
            let origin = ask.headers[.origin]
            let isOwn = origin == ask.authority.map { "http://" + $0 }
            guard isOwn || origin == nil && asker.hasToken else { return .crossOrigin }
            if case .json = route.body {
                let type = ask.headers[.contentType]
                guard types.contains(where: { $0.0 == type && $0.1 }) else {
                    return .unsupportedMedia
                }
            }
        }
        if route.right == .anyone { return nil }
        if asker.isRefused { return .unauthenticated }
        if route.right == .unclaimed { return asker.isClaimed ? .conflict : nil }
        guard let identity = asker.identity else {
            return asker.isClaimed ? .unauthenticated : .unclaimed
        }
        if case .token(_, let scopes) = identity.door {
            guard let scope = route.scope, scopes.contains(scope) else { return .forbidden }
        }
        let ranks: [Right] = [.viewer, .member, .owner]
        let has = ranks.firstIndex(of: identity.right) ?? -1
        let needs = ranks.firstIndex(of: route.right) ?? ranks.count
        return has >= needs ? nil : .forbidden
    }

    static func kind(_ gate: Gate, _ head: Gate.Head) async -> RefusalCode? {
        do {
            _ = try await gate.admit(head)
            return nil
        } catch {
            return (error as? Problem)?.kind ?? .internal
        }
    }

    private static func isRefused(_ gate: Gate, _ head: Gate.Head) async -> Bool {
        await kind(gate, head) == .rateLimited
    }
}
