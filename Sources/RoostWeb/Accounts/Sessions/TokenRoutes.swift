import HTTPTypes
import SQLite

/// Routes for programs' keys, which are only valid in the field `Authorization`, never in a URL.
struct TokenRoutes {
    private struct Form: Decodable {
        let name: String
        let scopes: [String]
        let days: Int?
    }

    private let accounts: Accounts

    init(_ accounts: Accounts) { self.accounts = accounts }

    var all: [Route] {
        [
            Route(.get, "/api/v1/tokens", .member) { try list($0) }
                .about("Own tokens, without their secrets.", answers: ItemList<TokenView>.self),
            Route(.post, "/api/v1/tokens", .member) { try await make($0) }
                .about(
                    "Makes a token; its secret is in this answer alone.",
                    takes: Form.self,
                    answers: NewTokenView.self
                ),
            Route(.delete, "/api/v1/tokens/{id}", .member) { try await delete($0) }
                .about("Ends a token.", answers: .nothing),
        ]
    }

    /// Returns the account's own keys; for an owner, all.
    private func visible(to account: AccountRecord) -> [TokenRecord] {
        accounts.roster.tokens.values
            .filter { account.role == .owner || $0.account == account.id }
            .sorted { ($1.created, $0.id) < ($0.created, $1.id) }
    }

    private func list(_ request: WebRequest) throws -> WebResponse {
        let account = try request.account(in: accounts)
        let visitor = accounts.visitor(request)
        let roster = accounts.roster
        let tokens = visible(to: account).map { TokenView($0, roster, visitor) }
        return try .json(ItemList(tokens))
    }

    private func make(_ request: WebRequest) async throws -> WebResponse {
        let (account, form) = (try request.account(in: accounts), try request.decoded(Form.self))
        let (name, scopes) = (NewPerson.trimmed(form.name), form.scopes.compactMap(TokenScope.init))
        if let words = NewPerson.objection(toName: name) { throw Problem.outOfRange("name", words) }
        guard !scopes.isEmpty, scopes.count == form.scopes.count else {
            let names = TokenScope.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem.outOfRange("scopes", "scopes are one or more of \(names)")
        }
        let days = form.days ?? 365
        guard (1...365).contains(days) else {
            throw Problem.outOfRange("days", "days is 1 to 365, not \(days)")
        }
        let (visitor, secret) = (accounts.visitor(request), RandomSecret.long())
        let id = RandomSecret.spoken(groups: 2).filter { $0 != "-" }.lowercased()
        let token = TokenRecord(
            id: id,
            account: account.id,
            name: name,
            scopes: Set(scopes),
            hash: SHA256.digest(secret),
            created: visitor.time,
            lastUsed: nil,
            ends: visitor.age + Int64(days) * 86_400
        )
        try await accounts.change { connection in
            try TokenTable(connection: connection).insert(token, by: visitor)
            try Accounts.audit(connection, account.name, .token, name, visitor)
        }
        let view = NewTokenView(
            id: id,
            name: name,
            scopes: scopes.map(\.rawValue).sorted(),
            expires: AccountText.date(visitor.date(of: token.ends)),
            token: "rst_\(id)_\(secret)"
        )
        return try .json(view, status: .created)
    }

    private func delete(_ request: WebRequest) async throws -> WebResponse {
        let account = try request.account(in: accounts)
        guard let id = request.parameters["id"],
            let token = visible(to: account).first(where: { $0.id == id })
        else { throw Problem.notFound("no token of yours has this id") }
        let visitor = accounts.visitor(request)
        try await accounts.change { connection in
            try TokenTable(connection: connection).delete(id)
            try Accounts.audit(connection, account.name, .tokenRemoved, token.name, visitor)
        }
        return .done()
    }
}
