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
