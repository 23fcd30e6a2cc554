import HTTPTypes
import Logging
import SQLite

/// Makes the first account for the person who has the code of `roost claim`: a proof of nearness.
struct ClaimRoutes {
    private struct Form: Decodable {
        let code: String
        let name: String
        let email: String
        let password: String
    }

    private let accounts: Accounts

    init(_ accounts: Accounts) { self.accounts = accounts }

    var all: [Route] {
        [Route(.post, "/api/v1/claim", .unclaimed, body: .form) { try await claim($0) }]
    }

    private func claim(_ request: WebRequest) async throws -> WebResponse {
        try request.query.allow(only: [])
        let form = try request.decoded(Form.self)
        let person = try NewPerson(
            name: form.name,
            email: form.email,
            password: (form.password, .owner, "/password"),
            station: accounts.station
        )
        let (visitor, clock, hashing) = (
            accounts.visitor(request), accounts.clock, accounts.hashing
        )
        let session = Secret.long()
        // A refusal is a value: a thrown one would take the counted try back.
        let outcome = try await accounts.change { connection -> Result<Int64, Problem> in
            let (claim, table) = (
                ClaimTable(connection: connection), AccountTable(connection: connection)
            )
            // Another claim may have been faster.
            guard try !table.all().contains(where: { $0.role == .owner }) else {
                return .failure(Problem(.conflict, "this station has an owner"))
            }
            switch try claim.check(form.code, clock) {
            case .gone: return .failure(Self.gone)
            case .wrong(let left): return .failure(Self.wrong(triesLeft: left))
            case .right: break
            }
            let hash = try hashing.hash(form.password)
            let account = try table.insert(person, .owner, password: hash, at: visitor.time)
            try claim.finish(Roster.Claimed(name: person.name, time: visitor.time))
            let sessions = SessionTable(connection: connection)
            try sessions.insert(hash: SHA256.digest(session), of: account, by: visitor)
            try Accounts.note(connection, person.name, .claim, accounts.station, visitor)
            return .success(account)
        }
        let account = try outcome.get()
        accounts.logger.notice("claimed by \(person.name) from \(visitor.address)")
        return try accounts.welcome(account, session, .created, request.peer)
    }

    private static let gone = Problem(
        .gone,
        "no code is valid now: run `roost claim` on the station for a new one"
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
