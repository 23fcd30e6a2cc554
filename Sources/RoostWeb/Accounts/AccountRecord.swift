/// The rights of an account on the station.
package enum Role: String, Hashable, Sendable, CaseIterable, Codable {
    case viewer, member, owner

    package var right: Right {
        switch self {
        case .viewer: .viewer
        case .member: .member
        case .owner: .owner
        }
    }
}

/// One person's account, without the password.
package struct AccountRecord: Hashable, Sendable {
    package let id: Int64
    package let name: String
    package let email: String
    package let role: Role
    package let location: String?
    /// A flat JSON object.
    package let preferences: String
    /// Seconds since 1970, as all times here.
    package let created: Int64
}

/// One browser that is logged in.
package struct SessionRecord: Hashable, Sendable {
    package static let idleMax: Int64 = 30 * 86_400
    package static let ageMax: Int64 = 180 * 86_400

    package let id: Int64
    package let account: Int64
    package let created: Int64
    /// Time of the last use, updated once a day to spare the card writes.
    package let lastUsed: Int64
    /// User agent of the browser, shortened.
    package let agent: String
    package let address: String
    /// Start and last use on the count of `SessionAge`; the dates above are only shown to people.
    package let born: Int64
    package let used: Int64

    /// Whether it has not ended by itself.
    ///
    /// - Parameter age: The count now, in seconds.
    /// - Returns: False after 30 days without use, and after 180 days.
    package func isValid(at age: Int64) -> Bool {
        age - used < Self.idleMax && age - born < Self.ageMax
    }
}

/// A program's key.
package struct TokenRecord: Hashable, Sendable {
    package static let ageMax: Int64 = 365 * 86_400

    package let id: String
    package let account: Int64
    package let name: String
    package let scopes: Set<TokenScope>
    /// SHA-256 of the secret part.
    package let hash: [UInt8]
    package let created: Int64
    package let lastUsed: Int64?
    /// Its end on the count of `SessionAge`, which a wrong date does not move.
    package let ends: Int64
}

/// An invitation that has not been used yet.
package struct InvitationRecord: Hashable, Sendable {
    package let id: Int64
    package let role: Role
    /// Name of the person who sent the invitation.
    package let author: String
    package let created: Int64
    /// Its end on the count of `SessionAge`.
    package let ends: Int64
}

/// One line of the audit: who changed what.
package struct AuditRecord: Hashable, Sendable {
    package let time: Int64
    package let actor: String
    package let action: AuditAction
    package let target: String
    package let address: String
}

/// All accounts, sessions and tokens, in memory for the gate's checks.
package struct Roster: Hashable, Sendable {
    package var accounts: [Int64: AccountRecord] = [:]
    /// Sessions by SHA-256 of the cookie's value.
    package var sessions: [[UInt8]: SessionRecord] = [:]
    package var tokens: [String: TokenRecord] = [:]
    package var claimed: Claimed?
    package var age = SessionAge()

    /// Time and owner of the claim, which made the first account.
    package struct Claimed: Hashable, Sendable {
        package let name: String
        package let time: Int64
    }

    package var isClaimed: Bool { accounts.values.contains { $0.role == .owner } }

    package func account(email: String) -> AccountRecord? {
        let wanted = email.lowercased()
        return accounts.values.first { $0.email.lowercased() == wanted }
    }
}
