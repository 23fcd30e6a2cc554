import ControlProtocol
import HTTPTypes
import SQLite

/// Logging in and out.
struct SessionRoutes {
    private struct Credentials: Decodable {
        let email: String
        let password: String
    }

    private struct PasswordForm: Decodable {
        let present: String
        let new: String
    }

    private let accounts: Accounts

    init(_ accounts: Accounts) { self.accounts = accounts }

    var all: [Route] {
        [
            Route(.post, "/api/v1/login", .anyone) { try await logIn($0) }
                .about("Begins a session.", takes: Credentials.self, answers: MeView.self),
            // Also without a session, so that a second click is no error.
            Route(.post, "/api/v1/logout", .anyone) { try await logOut($0) }
                .about("Ends this session.", takes: JSONBody.Empty.self, answers: .nothing),
            Route(.post, "/api/v1/logout-everywhere", .viewer) {
                try await logOutEverywhere($0)
            }
            .about("Ends all own sessions.", takes: JSONBody.Empty.self, answers: .nothing),
            Route(.post, "/api/v1/password", .viewer) { try await change($0) }
                .about(
                    "Changes the password, and ends the other sessions.",
                    takes: PasswordForm.self,
                    answers: .nothing
                ),
            Route(.get, "/api/v1/sessions", .viewer) { try list($0) }
                .about("Own sessions.", answers: ItemList<SessionView>.self),
            Route(.delete, "/api/v1/sessions/{id}", .viewer) { try await end($0) }
                .about("Ends a session.", answers: .nothing),
        ]
    }

    private func logIn(_ request: WebRequest) async throws -> WebResponse {
        guard accounts.roster.isClaimed else {
            throw Problem(.unclaimed, "open the station's page and become its owner")
        }
        let form = try request.decoded(Credentials.self)
        guard form.email.utf8.count <= 254, form.password.utf8.count <= PasswordRule.mostBytes,
            let account = try await accounts.account(
                email: NewPerson.trimmed(form.email),
                password: form.password,
                request.peer
            )
        else { throw Problem(.unauthenticated, "Wrong email or password") }
        let (visitor, secret) = (accounts.visitor(request), RandomSecret.long())
        let hash = SHA256.digest(secret)
        let begin: @Sendable (Connection) throws -> Void = { connection in
            let sessions = SessionTable(connection: connection)
            // The browser's session before has no use any more.
            if let identity = request.identity, let old = request.sessionID {
                _ = try sessions.delete(old, of: identity.account)
            }
            // Removed while its password was looked at.
            guard try AccountTable(connection: connection).password(of: account.id) != nil else {
                throw Problem(.unauthenticated, "Wrong email or password")
            }
            try sessions.insert(hash: hash, of: account.id, by: visitor)
            try Accounts.audit(connection, account.name, .login, "", visitor)
        }
        do {
            try await accounts.change(begin)
        } catch let problem as Problem where problem.kind == .store {
            try accounts.beginSession(
                of: account.id,
                hash: hash,
                endingOf: request.sessionID,
                by: visitor
            )
        }
        return try accounts.welcome(account.id, secret, .ok, request.peer)
    }

    private func logOut(_ request: WebRequest) async throws -> WebResponse {
        if let identity = request.identity, let session = request.sessionID {
            let visitor = accounts.visitor(request)
            _ = await accounts.endSessions {
                $0.id == session && $0.account == identity.account
            } _: { connection in
                try Accounts.audit(connection, identity.name, .logout, "", visitor)
            }
        }
        return .done(clearing: accounts.cookie.over(request.peer))
    }

    private func logOutEverywhere(_ request: WebRequest) async throws -> WebResponse {
        let (account, visitor) = (try request.account(in: accounts), accounts.visitor(request))
        _ = await accounts.endSessions {
            $0.account == account.id
        } _: { connection in
            try Accounts.audit(connection, account.name, .logout, "everywhere", visitor)
        }
        return .done(clearing: accounts.cookie.over(request.peer))
    }

    /// Asks the present password and ends all other sessions.
    private func change(_ request: WebRequest) async throws -> WebResponse {
        let (account, form) = (
            try request.account(in: accounts), try request.decoded(PasswordForm.self)
        )
        guard form.present.utf8.count <= PasswordRule.mostBytes,
            try await accounts.account(
                email: account.email,
                password: form.present,
                request.peer
            ) != nil
        else {
            let detail = "this is not the present password"
            let place = Problem.Place(pointer: "/present", detail: detail)
            throw Problem(.forbidden, detail, places: [place])
        }
        _ = try NewPerson(
            name: account.name,
            email: account.email,
            password: (form.new, account.role, "/new"),
            station: accounts.station
        )
        let (visitor, hashing) = (accounts.visitor(request), accounts.hashing)
        try await accounts.change { connection in
            let hash = try hashing.hash(form.new)
            try AccountTable(connection: connection).setPassword(hash, of: account.id)
            let sessions = SessionTable(connection: connection)
            try sessions.deleteAll(of: account.id, except: request.sessionID)
            try Accounts.audit(connection, account.name, .password, "", visitor)
        }
        return .done()
    }

    private func list(_ request: WebRequest) throws -> WebResponse {
        let (account, now) = (try request.account(in: accounts), accounts.age)
        let own = accounts.roster.sessions.values
            .filter { $0.account == account.id && $0.isValid(at: now) }
            .sorted { ($1.used, $1.id) < ($0.used, $0.id) }
        return try .json(ItemList(own.map { SessionView($0, this: request.sessionID) }))
    }

    private func end(_ request: WebRequest) async throws -> WebResponse {
        let (account, id) = (try request.account(in: accounts), try request.id())
        let visitor = accounts.visitor(request)
        let wasThere = await accounts.endSessions {
            $0.id == id && $0.account == account.id
        } _: { connection in
            try Accounts.audit(connection, account.name, .session, String(id), visitor)
        }
        guard wasThere else { throw Problem.notFound("no session of yours has this id") }
        return .done(clearing: id == request.sessionID ? accounts.cookie.over(request.peer) : nil)
    }
}
