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
