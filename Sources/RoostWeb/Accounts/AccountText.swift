import Core

/// Accounts as JSON.
enum AccountText {
    /// Seconds for which `/me` says who claimed the station.
    static let claimedSeconds: Int64 = 86_400

    static func date(_ seconds: Int64) -> String {
        // Values out of range become the last possible date.
        let (nanoseconds, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return WallTime(nanoseconds: isTooLarge ? .max : nanoseconds).iso8601
    }

    /// The answer of `/me`.
    static func me(_ account: AccountRecord, _ roster: Roster, at now: Int64) -> String {
        var json = JSONTextBuilder()
        json.object { json in
            json.member("isOpen", false)
            json.member("id", String(account.id))
            json.member("role", account.role.rawValue)
            json.member("name", account.name)
            json.member("email", account.email)
            json.member("location", account.location)
            json.member("created", date(account.created))
            json.member("hasPreferences", account.preferences != "{}")
            json.member("preferences", json: account.preferences)
            claimed(roster, at: now, &json)
        }
        return json.text
    }

    /// Writes who claimed the station, for a day: an owner who reads another name can start over.
    static func claimed(_ roster: Roster, at now: Int64, _ json: inout JSONTextBuilder) {
        guard let claimed = roster.claimed, (0..<claimedSeconds).contains(now - claimed.time)
        else { return }
        json.object("claimed") { json in
            json.member("by", claimed.name)
            json.member("at", date(claimed.time))
        }
    }

    static func sessions(_ sessions: [SessionRecord], this: Int64?) -> String {
        items(sessions) { json, session in
            json.member("id", String(session.id))
            json.member("created", date(session.created))
            json.member("lastUsed", date(session.lastUsed))
            json.member("agent", session.agent)
            json.member("address", session.address)
            json.member("isThis", session.id == this)
        }
    }

    static func tokens(
        _ tokens: [TokenRecord],
        _ roster: Roster,
        _ visitor: Visitor
    ) -> String {
        items(tokens) { json, token in
            json.member("id", token.id)
            json.member("name", token.name)
            json.member("owner", roster.accounts[token.account]?.name)
            json.array("scopes", token.scopes.map(\.rawValue).sorted()) { $0.add($1) }
            json.member("created", date(token.created))
            json.member("lastUsed", token.lastUsed.map(date))
            json.member("expires", date(visitor.date(of: token.ends)))
        }
    }

    static func members(_ roster: Roster, you: Int64) -> String {
        items(roster.accounts.values.sorted { $0.id < $1.id }) { json, account in
            let used = roster.sessions.values.filter { $0.account == account.id }
                .map(\.lastUsed).max()
            json.member("id", String(account.id))
            json.member("name", account.name)
            json.member("email", account.email)
            json.member("role", account.role.rawValue)
            json.member("created", date(account.created))
            json.member("lastUsed", used.map(date))
            json.member("isYou", account.id == you)
        }
    }

    static func invitations(
        _ invitations: [InvitationRecord],
        _ visitor: Visitor
    ) -> String {
        items(invitations) { json, invitation in
            json.member("id", String(invitation.id))
            json.member("role", invitation.role.rawValue)
            json.member("author", invitation.author)
            json.member("created", date(invitation.created))
            json.member("expires", date(visitor.date(of: invitation.ends)))
        }
    }

    static func audit(_ page: [(id: Int64, AuditRecord)], next: String?) -> String {
        items(page, next: next) { json, row in
            json.member("id", String(row.id))
            json.member("time", date(row.1.time))
            json.member("actor", row.1.actor)
            json.member("action", row.1.action.rawValue)
            json.member("target", row.1.target)
            json.member("address", row.1.address)
        }
    }

    private static func items<Item>(
        _ items: [Item],
        next: String? = nil,
        _ body: (inout JSONTextBuilder, Item) -> Void
    ) -> String {
        var json = JSONTextBuilder()
        json.object { json in
            json.array("items", items) { json, item in json.object { body(&$0, item) } }
            if let next { json.member("next", next) }
        }
        return json.text
    }
}
