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
