import ControlProtocol
import HTTPTypes
import SQLite

/// Routes for other people's roles, for invitations, and for the audit.
struct MemberRoutes {
    private struct RoleForm: Decodable {
        let role: Role
    }

    private struct InvitationForm: Decodable {
        let role: Role
        let days: Int?
    }

    private struct SignUp: Decodable {
        let name: String
        let email: String
        let password: String
    }

    private let accounts: Accounts

    init(_ accounts: Accounts) { self.accounts = accounts }

    var all: [Route] {
        [
            Route(.get, "/api/v1/members", .owner) { request in
                let you = try request.account(in: accounts).id
                let roster = accounts.roster
                let members = roster.accounts.values.sorted { $0.id < $1.id }
                return try .json(ItemList(members.map { MemberView($0, roster, you: you) }))
            }
            .about("People with an account.", answers: ItemList<MemberView>.self),
            Route(.patch, "/api/v1/members/{id}", .owner) { try await change($0) }
                .about("Changes a person's role.", takes: RoleForm.self, answers: .nothing),
            Route(.delete, "/api/v1/members/{id}", .owner) { try await remove($0) }
                .about("Removes a person.", answers: .nothing),
            Route(.get, "/api/v1/invitations", .owner) { try await invitations($0) }
                .about("Invitations that are open.", answers: ItemList<InvitationView>.self),
            Route(.post, "/api/v1/invitations", .owner) { try await invite($0) }
                .about(
                    "Invites a person.",
                    takes: InvitationForm.self,
                    answers: NewInvitationView.self
                ),
            Route(.delete, "/api/v1/invitations/{id}", .owner) { try await withdraw($0) }
                .about("Takes an invitation back.", answers: .nothing),
            Route(.post, "/api/v1/invitations/{code}", .anyone) {
                try await accept($0)
            }
            .about("Makes an account by an invitation.", takes: SignUp.self, answers: MeView.self),
            Route(.get, "/api/v1/audit", .owner) { try await audit($0) }
                .about(
                    "Who changed what.",
                    query: [.whole("cursor", in: 1...Int.max), .limit],
                    answers: ItemList<AuditView>.self
                ),
        ]
    }

    private func member(_ request: WebRequest) throws -> AccountRecord {
        guard let member = accounts.roster.accounts[try request.id()] else {
            throw Problem.notFound("no member has this id")
        }
        return member
    }

    private func change(_ request: WebRequest) async throws -> WebResponse {
        let (owner, old) = (try request.account(in: accounts), try member(request))
        let role = try request.decoded(RoleForm.self).role
        let new = AccountRecord(
            id: old.id,
            name: old.name,
            email: old.email,
            role: role,
            location: old.location,
            preferences: old.preferences,
            created: old.created
        )
        let visitor = accounts.visitor(request)
        try await accounts.change { connection in
            let table = AccountTable(connection: connection)
            if role != .owner { try table.demandOtherOwner(than: old.id) }
            try table.update(new)
            let target = "\(old.name) is \(role.rawValue)"
            try Accounts.audit(connection, owner.name, .role, target, visitor)
        }
        return .done()
    }

    private func remove(_ request: WebRequest) async throws -> WebResponse {
        let (owner, member) = (try request.account(in: accounts), try member(request))
        let visitor = accounts.visitor(request)
        try await accounts.change { connection in
            let table = AccountTable(connection: connection)
            try table.demandOtherOwner(than: member.id)
            try table.delete(member.id)
            try Accounts.audit(connection, owner.name, .memberRemoved, member.name, visitor)
        }
        return .done(clearing: owner.id == member.id ? accounts.cookie.over(request.peer) : nil)
    }

    private func invitations(_ request: WebRequest) async throws -> WebResponse {
        let visitor = accounts.visitor(request)
        let all = try await accounts.read {
            try InvitationTable(connection: $0).all(at: visitor.age)
        }
        return try .json(ItemList(all.map { InvitationView($0, visitor) }))
    }

    private func invite(_ request: WebRequest) async throws -> WebResponse {
        let owner = try request.account(in: accounts)
        let form = try request.decoded(InvitationForm.self)
        let days = form.days ?? 7
        guard (1...30).contains(days) else {
            throw Problem.outOfRange("days", "days is 1 to 30, not \(days)")
        }
        let (visitor, code) = (accounts.visitor(request), RandomSecret.spoken(groups: 4))
        let invitation = InvitationRecord(
            id: 0,
            role: form.role,
            author: owner.name,
            created: visitor.time,
            ends: visitor.age + Int64(days) * 86_400
        )
        try await accounts.change { connection in
            let table = InvitationTable(connection: connection)
            try table.insert(hash: SHA256.digest(code), invitation, by: visitor)
            try Accounts.audit(connection, owner.name, .invitation, form.role.rawValue, visitor)
        }
        let view = NewInvitationView(
            code: code,
            role: form.role,
            expires: AccountText.date(visitor.date(of: invitation.ends))
        )
        return try .json(view, status: .created)
    }

    private func withdraw(_ request: WebRequest) async throws -> WebResponse {
        let (owner, id) = (try request.account(in: accounts), try request.id())
        let visitor = accounts.visitor(request)
        try await accounts.change { connection in
            guard try InvitationTable(connection: connection).delete(id) else {
                throw Problem.notFound("no invitation has this id")
            }
            try Accounts.audit(connection, owner.name, .invitationWithdrawn, String(id), visitor)
        }
        return .done()
    }

    /// Signs up: the code is good for one account.
    private func accept(_ request: WebRequest) async throws -> WebResponse {
        let hash = SHA256.digest(RandomSecret.heard(request.parameters["code"] ?? ""))
        let (visitor, hashing) = (accounts.visitor(request), accounts.hashing)
        let role = try await accounts.read {
            try InvitationTable(connection: $0).role(hash: hash, at: visitor.age)
        }
        guard let role else { throw Self.gone }
        let form = try request.decoded(SignUp.self)
        let person = try NewPerson(
            name: form.name,
            email: form.email,
            password: (form.password, role, "/password"),
            station: accounts.station
        )
        let session = RandomSecret.long()
        let account = try await accounts.change { connection in
            let invitations = InvitationTable(connection: connection)
            // Two may come with one code at the same time.
            guard try invitations.role(hash: hash, at: visitor.age) == role else {
                throw Self.gone
            }
            let kept = try hashing.hash(form.password)
            let table = AccountTable(connection: connection)
            let account = try table.insert(person, role, password: kept, at: visitor.time)
            try invitations.delete(hash: hash)
            let sessions = SessionTable(connection: connection)
            try sessions.insert(hash: SHA256.digest(session), of: account, by: visitor)
            try Accounts.audit(connection, person.name, .signup, role.rawValue, visitor)
            return account
        }
        return try accounts.welcome(account, session, .created, request.peer)
    }

    private static let gone = Problem(
        .gone,
        "this invitation was used, withdrawn or is too old: ask an owner for a new one",
        .invitationGone
    )

    private func audit(_ request: WebRequest) async throws -> WebResponse {
        let limit = try request.query.integer(.limit) ?? 100
        let cursor = try request.query.integer("cursor", in: 1...Int.max)
        let page = try await accounts.read {
            try AuditTable(connection: $0).page(before: cursor.map(Int64.init), limit: limit)
                .map { Line(id: $0.id, record: $0.1) }
        }
        let next = page.count == limit ? page.last.map { String($0.id) } : nil
        return try .json(ItemList(page.map { AuditView($0.id, $0.record) }, next: next))
    }

    private struct Line: Sendable {
        let id: Int64
        let record: AuditRecord
    }
}
