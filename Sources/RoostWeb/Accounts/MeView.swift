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
