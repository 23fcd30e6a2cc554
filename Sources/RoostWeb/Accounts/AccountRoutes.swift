import ControlProtocol
import HTTPTypes
import SQLite

/// All routes of accounts under `/api/v1`.
enum AccountRoutes {
    /// The routes of a station with accounts.
    static func all(_ accounts: Accounts) -> [Route] {
        ClaimRoutes(accounts).all + SessionRoutes(accounts).all + PersonRoutes(accounts).all
            + TokenRoutes(accounts).all + MemberRoutes(accounts).all
    }
}

extension WebRequest {
    /// The account that asks; the gate admits no one without.
    ///
    /// - Throws: `Problem` `unauthenticated` when it was removed meanwhile.
    func account(in accounts: Accounts) throws -> AccountRecord {
        guard let identity, let account = accounts.roster.accounts[identity.account] else {
            throw Problem(.unauthenticated, "this account is not there any more")
        }
        return account
    }

    /// The id in the path.
    ///
    /// - Throws: `Problem` `not-found` for what is no number.
    func id() throws -> Int64 {
        guard let id = parameters["id"].flatMap({ Int64($0) }) else {
            throw Problem.notFound("an id is a number")
        }
        return id
    }

    var sessionID: Int64? {
        if case .session(let id) = identity?.door { id } else { nil }
    }
}

extension Accounts {
    /// Asks for the password again, for what an open page alone must not do.
    ///
    /// - Throws: `Problem` `forbidden` at `/password`.
    func demand(_ password: String, of request: WebRequest) async throws {
        let email = try request.account(in: self).email
        guard password.utf8.count <= PasswordRule.mostBytes,
            try await account(email: email, password: password, request.peer) != nil
        else {
            let detail = "this is not your password"
            let place = Problem.Place(pointer: "/password", detail: detail)
            throw Problem(.forbidden, detail, places: [place], .wrongPassword)
        }
    }

    /// Writes a line of the audit in the transaction of the change.
    static func audit(
        _ connection: Connection,
        _ actor: String,
        _ action: AuditAction,
        _ target: String,
        _ visitor: Visitor
    ) throws(SQLiteError) {
        let record = AuditRecord(
            time: visitor.time,
            actor: actor,
            action: action,
            target: target,
            address: visitor.address
        )
        try AuditTable(connection: connection).add(record)
    }

    /// `/me` with the cookie of a session.
    func welcome(
        _ account: Int64,
        _ session: String,
        _ status: HTTPResponse.Status,
        _ peer: PeerAddress
    ) throws -> WebResponse {
        let roster = roster
        guard let account = roster.accounts[account] else {
            throw Problem(.conflict, "this account was removed meanwhile")
        }
        let me = try MeView(account, roster, at: clock.seconds())
        var response = try WebResponse.json(me, status: status)
        response.headers[.setCookie] = cookie.over(peer).setting(session)
        return response
    }
}

/// An answer without a body.
extension WebResponse {
    static func done(clearing cookie: SessionCookie? = nil) -> WebResponse {
        var headers: HTTPFields = [.cacheControl: "no-store"]
        if let cookie {
            headers[.setCookie] = cookie.clearing
            if let name = HTTPField.Name("Clear-Site-Data") {
                headers[name] = #""cache", "storage""#
            }
        }
        return WebResponse(.noContent, headers: headers)
    }
}
