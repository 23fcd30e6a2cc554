import Core

/// A list as answers have it; `next` is the `cursor` of the next page.
struct ItemList<Item: Codable & Sendable>: Codable, Sendable {
    let items: [Item]
    var next: String?

    init(_ items: [Item], next: String? = nil) { (self.items, self.next) = (items, next) }
}

/// `/me`: who asks.
struct MeView: Codable, Sendable {
    /// Whether there are no accounts: then only role and name are there.
    let isOpen: Bool
    let role: Right
    @OrNull var name: String?
    var id: String?
    var email: String?
    var location: OrNull<String>?
    var created: String?
    var hasPreferences: Bool?
    var preferences: [String: Preference]?
    var claimed: ClaimedView?

    init(openTo role: Right) {
        (isOpen, self.role) = (true, role)
        name = nil
    }

    init(_ account: AccountRecord, _ roster: Roster, at now: Int64) throws {
        (isOpen, role) = (false, account.role.right)
        name = account.name
        (id, email) = (String(account.id), account.email)
        location = OrNull(wrappedValue: account.location)
        created = AccountText.date(account.created)
        hasPreferences = account.preferences != "{}"
        preferences = try JSONBody.decoded(
            [String: Preference].self,
            from: Array(account.preferences.utf8)
        )
        claimed = ClaimedView(roster, at: now)
    }
}

/// Who claimed the station, for a day: an owner who reads another name can start over.
struct ClaimedView: Codable, Sendable {
    private static let secondsMax: Int64 = 86_400

    let by: String
    let at: String

    init?(_ roster: Roster, at now: Int64) {
        guard let claimed = roster.claimed, (0..<Self.secondsMax).contains(now - claimed.time)
        else { return nil }
        (by, at) = (claimed.name, AccountText.date(claimed.time))
    }
}

struct SessionView: Codable, Sendable {
    let id: String
    let created: String
    let lastUsed: String
    let agent: String
    let address: String
    let isThis: Bool

    init(_ session: SessionRecord, this: Int64?) {
        (id, isThis) = (String(session.id), session.id == this)
        created = AccountText.date(session.created)
        lastUsed = AccountText.date(session.lastUsed)
        (agent, address) = (session.agent, session.address)
    }
}

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

struct MemberView: Codable, Sendable {
    let id: String
    let name: String
    let email: String
    let role: Role
    let created: String
    @OrNull var lastUsed: String?
    let isYou: Bool

    init(_ account: AccountRecord, _ roster: Roster, you: Int64) {
        (id, name, email) = (String(account.id), account.name, account.email)
        (role, isYou) = (account.role, account.id == you)
        created = AccountText.date(account.created)
        let used = roster.sessions.values.filter { $0.account == account.id }.map(\.lastUsed).max()
        lastUsed = used.map(AccountText.date)
    }
}

struct InvitationView: Codable, Sendable {
    let id: String
    let role: Role
    let author: String
    let created: String
    let expires: String

    init(_ invitation: InvitationRecord, _ visitor: Visitor) {
        (id, role, author) = (String(invitation.id), invitation.role, invitation.author)
        created = AccountText.date(invitation.created)
        expires = AccountText.date(visitor.date(of: invitation.ends))
    }
}

/// An invitation with its code, which is shown once.
struct NewInvitationView: Codable, Sendable {
    let code: String
    let role: Role
    let expires: String
}

struct AuditView: Codable, Sendable {
    let id: String
    let time: String
    let actor: String
    let action: String
    let target: String
    let address: String

    init(_ id: Int64, _ record: AuditRecord) {
        (self.id, time) = (String(id), AccountText.date(record.time))
        (actor, action) = (record.actor, record.action.rawValue)
        (target, address) = (record.target, record.address)
    }
}
