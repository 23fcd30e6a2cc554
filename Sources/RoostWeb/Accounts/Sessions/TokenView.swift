struct TokenView: Codable, Sendable {
    let id: String
    let name: String
    @OrNull var owner: String?
    let scopes: [String]
    let created: String
    @OrNull var lastUsed: String?
    let expires: String

    init(_ token: TokenRecord, _ roster: Roster, _ visitor: Visitor) {
        (id, name) = (token.id, token.name)
        scopes = token.scopes.map(\.rawValue).sorted()
        created = AccountText.date(token.created)
        expires = AccountText.date(visitor.date(of: token.ends))
        owner = roster.accounts[token.account]?.name
        lastUsed = token.lastUsed.map(AccountText.date)
    }
}

/// A token with its secret, which is shown once: only its digest is kept.
struct NewTokenView: Codable, Sendable {
    let id: String
    let name: String
    let scopes: [String]
    let expires: String
    let token: String
}
