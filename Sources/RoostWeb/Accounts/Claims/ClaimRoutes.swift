import ControlProtocol
import HTTPTypes
import Logging
import SQLite

/// Makes the first account for a person who proved to be near the station: by the code of
/// `roost claim`, or without one while the station's claim window is open.
struct ClaimRoutes {
    private struct Form: Decodable {
        /// Claim code; nil or empty while the claim window is open.
        let code: String?
        let name: String
        let email: String
        let password: String
    }

    private let accounts: Accounts

    init(_ accounts: Accounts) { self.accounts = accounts }

    var all: [Route] {
        [
            Route(.get, "/api/v1/claim", .unclaimed) { try await show($0) }
                .about(
                    "What a visitor needs to claim a station that has no owner.",
                    answers: ClaimView.self
                ),
            Route(.post, "/api/v1/claim", .unclaimed) { try await claim($0) }
                .about(
                    "Makes the first account, by a code of `roost claim` or in the claim window.",
                    takes: Form.self,
                    answers: MeView.self
                ),
        ]
    }

    /// Whether this visitor needs a code now.
    private func show(_ request: WebRequest) async throws -> WebResponse {
        let window = await window(for: request.peer)
        let clock = accounts.clock
        return try .json(
            ClaimView(
                codeFrom: try await accounts.read { try ClaimTable(connection: $0).source(clock) },
                isOpen: window.cause != nil,
                cause: window.cause,
                device: window.device,
                leftSeconds: window.leftSeconds.map { Int($0) }
            )
        )
    }

    /// The window for this visitor: after power-on only in the station's own network.
    private func window(for peer: PeerAddress) async -> ClaimWindowReport {
        let report = await accounts.accountStation.window()
        let isNear = report.cause != .powerOn || accounts.accountStation.network.contains(peer)
        return isNear ? report : .closed
    }

    private func claim(_ request: WebRequest) async throws -> WebResponse {
        let form = try request.decoded(Form.self)
        let person = try NewPerson(
            name: form.name,
            email: form.email,
            password: (form.password, .owner, "/password"),
            station: accounts.station
        )
        let code = form.code ?? ""
        let window = code.isEmpty ? await window(for: request.peer) : .closed
        guard !code.isEmpty || window.cause != nil else { throw Self.closed }
        let proof = [accounts.station, window.cause?.rawValue, window.device]
            .compactMap(\.self).joined(separator: " ")
        let (visitor, clock, hashing) = (
            accounts.visitor(request), accounts.clock, accounts.hashing
        )
        let session = RandomSecret.long()
        // A refusal is a value: a thrown one would take the counted try back.
        let outcome = try await accounts.change { connection -> Result<Int64, Problem> in
            let (claim, table) = (
                ClaimTable(connection: connection), AccountTable(connection: connection)
            )
            // Another claim may have been faster.
            guard try !table.all().contains(where: { $0.role == .owner }) else {
                return .failure(Problem(.conflict, "this station has an owner"))
            }
            if !code.isEmpty {
                switch try claim.check(code, clock) {
                case .gone: return .failure(Self.gone)
                case .wrong(let left): return .failure(Self.wrong(triesLeft: left))
                case .right: break
                }
            }
            let hash = try hashing.hash(form.password)
            let account = try table.insert(person, .owner, password: hash, at: visitor.time)
            try claim.finish(Roster.Claimed(name: person.name, time: visitor.time))
            let sessions = SessionTable(connection: connection)
            try sessions.insert(hash: SHA256.digest(session), of: account, by: visitor)
            try Accounts.audit(connection, person.name, .claim, proof, visitor)
            return .success(account)
        }
        let account = try outcome.get()
        accounts.logger.notice("claimed by \(person.name) from \(visitor.address)")
        await accounts.accountStation.closeWindow(person.name)
        return try accounts.welcome(account, session, .created, request.peer)
    }

    private static let closed: Problem = {
        let detail = "no claim window is open: hold the station's button again, or type a code"
        return Problem(
            .badRequest,
            detail,
            places: [Problem.Place(pointer: "/code", detail: detail)]
        )
    }()

    private static let gone = Problem(
        .gone,
        "no code is valid now. A new one: write it as roost-claim.txt on the card and start the "
            + "station again, hold the station's button, or run `sudo roost claim` in a shell"
    )

    private static func wrong(triesLeft: Int) -> Problem {
        let detail = "wrong code, \(triesLeft) \(triesLeft == 1 ? "try" : "tries") left"
        return Problem(
            .badRequest,
            detail,
            places: [Problem.Place(pointer: "/code", detail: detail)]
        )
    }
}

/// `/claim`: whether this visitor needs a code now.
struct ClaimView: Codable, Sendable {
    /// Where the code that is valid now stands; nil without one.
    @OrNull var codeFrom: ClaimTable.Source?
    let isOpen: Bool
    @OrNull var cause: ClaimWindowReport.Cause?
    @OrNull var device: String?
    @OrNull var leftSeconds: Int?
}
