/// What an account may do on the station.
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
    /// Renewed once a day: a session must not cost the card a write each time.
    package let lastUsed: Int64
    /// What the browser calls itself, shortened.
    package let agent: String
    package let address: String
    /// When it began and was last used, as `SessionAge` counts: dates are for people alone.
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
    /// When it ends, as `SessionAge` counts: a date that is wrong ends none and lets none in.
    package let ends: Int64
}

/// An account that waits for its person.
package struct InvitationRecord: Hashable, Sendable {
    package let id: Int64
    package let role: Role
    /// Who invited.
    package let author: String
    package let created: Int64
    /// As `SessionAge` counts.
    package let ends: Int64
}

/// Who changed what.
package struct AuditRecord: Hashable, Sendable {
    package let time: Int64
    package let actor: String
    package let action: AuditAction
    package let target: String
    package let address: String
}

/// All that the gate asks for, in memory.
package struct Roster: Hashable, Sendable {
    package var accounts: [Int64: AccountRecord] = [:]
    /// By SHA-256 of the cookie's value.
    package var sessions: [[UInt8]: SessionRecord] = [:]
    package var tokens: [String: TokenRecord] = [:]
    package var claimed: Claimed?
    package var age = SessionAge()

    /// When the first account was made, and by whom.
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
