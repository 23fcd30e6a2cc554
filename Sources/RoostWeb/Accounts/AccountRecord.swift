/// The rights of an account on the station.
enum Role: String, Hashable, Sendable, CaseIterable, Codable {
    case viewer, member, owner

    var right: Right {
        switch self {
        case .viewer: .viewer
        case .member: .member
        case .owner: .owner
        }
    }
}

/// One person's account, without the password.
struct AccountRecord: Hashable, Sendable {
    let id: Int64
    let name: String
    let email: String
    let role: Role
    let location: String?
    /// A flat JSON object.
    let preferences: String
    /// Seconds since 1970, as all times here.
    let created: Int64
}

/// One browser that is logged in.
struct SessionRecord: Hashable, Sendable {
    static let idleMax: Int64 = 30 * 86_400
    static let ageMax: Int64 = 180 * 86_400

    let id: Int64
    let account: Int64
    let created: Int64
    /// Time of the last use, updated once a day to spare the card writes.
    let lastUsed: Int64
    /// User agent of the browser, shortened.
    let agent: String
    let address: String
    /// Start and last use on the count of `SessionAge`; the dates above are only shown to people.
    let born: Int64
    let used: Int64

    /// Whether it has not ended by itself.
    ///
    /// - Parameter age: The count now, in seconds.
    /// - Returns: False after 30 days without use, and after 180 days.
    func isValid(at age: Int64) -> Bool {
        age - used < Self.idleMax && age - born < Self.ageMax
    }
}

/// A program's key.
struct TokenRecord: Hashable, Sendable {
    static let ageMax: Int64 = 365 * 86_400

    let id: String
    let account: Int64
    let name: String
    let scopes: Set<TokenScope>
    /// SHA-256 of the secret part.
    let hash: [UInt8]
    let created: Int64
    let lastUsed: Int64?
    /// Its end on the count of `SessionAge`, which a wrong date does not move.
    let ends: Int64
}

/// An invitation that has not been used yet.
struct InvitationRecord: Hashable, Sendable {
    let id: Int64
    let role: Role
    /// Name of the person who sent the invitation.
    let author: String
    let created: Int64
    /// Its end on the count of `SessionAge`.
    let ends: Int64
}

/// One line of the audit: who changed what.
struct AuditRecord: Hashable, Sendable {
    let time: Int64
    let actor: String
    let action: AuditAction
    let target: String
    let address: String
}

/// All accounts, sessions and tokens, in memory for the gate's checks.
struct Roster: Hashable, Sendable {
    var accounts: [Int64: AccountRecord] = [:]
    /// Sessions by SHA-256 of the cookie's value.
    var sessions: [[UInt8]: SessionRecord] = [:]
    var tokens: [String: TokenRecord] = [:]
    var claimed: Claimed?
    var age = SessionAge()

    /// Time and owner of the claim, which made the first account.
    struct Claimed: Hashable, Sendable {
        let name: String
        let time: Int64
    }

    var isClaimed: Bool { accounts.values.contains { $0.role == .owner } }

    func account(email: String) -> AccountRecord? {
        let wanted = email.lowercased()
        return accounts.values.first { $0.email.lowercased() == wanted }
    }
}
