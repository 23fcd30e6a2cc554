import ControlProtocol
import HTTPTypes
import SQLite

/// Routes for a person's own name, location and preferences.
struct PersonRoutes {
    /// Bytes of all preferences as text.
    private static let preferencesMax = 2_048
    private static let locationMax = 128

    private struct Change: Decodable {
        let name: String?
        let email: String?
        /// Empty takes it away.
        let location: String?
        let language: String?
        /// Merged with those that are there; null takes one away.
        let preferences: [String: Preference]?
    }

    private let accounts: Accounts

    init(_ accounts: Accounts) { self.accounts = accounts }

    var all: [Route] {
        [
            Route(.get, "/api/v1/me", .viewer, scope: .read) { request in
                try answer(try request.account(in: accounts).id)
            }
            .about("Who asks; the first request of every page.", answers: MeView.self),
            Route(.patch, "/api/v1/me", .viewer) { try await change($0) }
                .about(
                    "Changes own name, address, location or preferences.",
                    takes: Change.self,
                    answers: MeView.self
                ),
        ]
    }

    private func answer(_ account: Int64) throws -> WebResponse {
        let roster = accounts.roster
        guard let account = roster.accounts[account] else {
            throw Problem(.unauthenticated, "this account is not there any more")
        }
        return try .json(MeView(account, roster, at: accounts.clock.seconds()))
    }

    private func change(_ request: WebRequest) async throws -> WebResponse {
        let (old, form) = (try request.account(in: accounts), try request.decoded(Change.self))
        let person = try NewPerson(name: form.name ?? old.name, email: form.email ?? old.email)
        let new = AccountRecord(
            id: old.id,
            name: person.name,
            email: person.email,
            role: old.role,
            location: try location(form.location) ?? (form.location == nil ? old.location : nil),
            preferences: try preferences(form, old.preferences),
            created: old.created
        )
        guard new != old else { return try answer(old.id) }
        let visitor = accounts.visitor(request)
        try await accounts.change { connection in
            try AccountTable(connection: connection).update(new)
            let target = new.email == old.email ? "" : "\(old.email) is \(new.email)"
            try Accounts.audit(connection, old.name, .account, target, visitor)
        }
        return try answer(old.id)
    }

    private func location(_ text: String?) throws -> String? {
        guard let text = text.map(NewPerson.trimmed), !text.isEmpty else { return nil }
        guard text.count <= Self.locationMax, NewPerson.isPlain(text) else {
            throw Problem.outOfRange(
                "location",
                "a location has at most \(Self.locationMax) characters, none of control"
            )
        }
        return text
    }

    private func preferences(_ form: Change, _ old: String) throws -> String {
        var changes = form.preferences ?? [:]
        if let language = form.language { changes["language"] = .text(language) }
        guard !changes.isEmpty else { return old }
        var all = try JSONBody.decoded([String: Preference].self, from: Array(old.utf8))
        for (name, value) in changes {
            guard NewPerson.isPlain(name), value.isPlain else {
                throw Problem.outOfRange("preferences", "preferences have no control characters")
            }
            all[name] = value == .nothing ? nil : value
        }
        let text = String(decoding: try JSONBody.encoded(all), as: UTF8.self)
        guard text.utf8.count <= Self.preferencesMax else {
            throw Problem.outOfRange(
                "preferences",
                "all preferences together have at most \(Self.preferencesMax) bytes"
            )
        }
        return text
    }
}
