import ControlProtocol
import HTTPTypes
import SQLite

/// Knows people by their cookies and programs by their tokens.
struct CookieAuthenticator: Gate.Authenticator {
    private static let touchSeconds: Int64 = 86_400

    private let accounts: Accounts

    init(_ accounts: Accounts) { self.accounts = accounts }

    var isClaimed: Bool { accounts.roster.isClaimed }

    /// - Throws: `Problem` `unauthenticated` for a token that is wrong or expired; a cookie that is
    ///   not valid any more counts as none.
    func identity(
        _ headers: HTTPFields,
        _ peer: PeerAddress
    ) async throws -> Identity? {
        await accounts.dateSessions()
        if let field = headers[.authorization] {
            return try await bearer(field, accounts.roster)
        }
        await accounts.retryCard()
        let (roster, age) = (accounts.roster, accounts.age)
        for value in accounts.cookie.over(peer).values(in: headers) {
            guard let session = roster.sessions[SHA256.digest(value)], session.isValid(at: age),
                let account = roster.accounts[session.account]
            else { continue }
            if age - session.used >= Self.touchSeconds {
                let now = accounts.clock.seconds()
                await accounts.touch("the last use of a session of \(account.name)") {
                    try SessionTable(connection: $0).touch(session.id, at: now, age: age)
                }
            }
            return Identity(
                account: account.id,
                name: account.name,
                right: account.role.right,
                door: .session(id: session.id)
            )
        }
        return nil
    }

    private func bearer(_ field: String, _ roster: Roster) async throws -> Identity {
        let refusal = Problem(
            .unauthenticated,
            "the token is not valid: make a new one under Account",
            headers: [.wwwAuthenticate: "Bearer"]
        )
        let words = field.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer" else { throw refusal }
        let parts = words[1].split(separator: "_", maxSplits: 2)
        guard parts.count == 3, parts[0] == "rst", let token = roster.tokens[String(parts[1])],
            RandomSecret.isSame(token.hash, SHA256.digest(String(parts[2]))),
            let account = roster.accounts[token.account]
        else { throw refusal }
        guard accounts.age < token.ends else { throw refusal }
        let now = accounts.clock.seconds()
        if now - (token.lastUsed ?? 0) >= Self.touchSeconds {
            await accounts.touch("the last use of the token \(token.name)") {
                try TokenTable(connection: $0).touch(token.id, at: now)
            }
        }
        return Identity(
            account: account.id,
            name: account.name,
            right: account.role.right,
            door: .token(id: token.id, scopes: token.scopes)
        )
    }
}

/// The authenticator while the accounts cannot be read: it throws the reason.
struct ClosedAuthenticator: Gate.Authenticator {
    private let words: String

    init(_ words: String) { self.words = words }

    var isClaimed: Bool { true }

    func identity(_ headers: HTTPFields, _ peer: PeerAddress) throws -> Identity? {
        throw Problem(.store, words)
    }
}
