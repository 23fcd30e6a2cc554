import ControlProtocol

/// A rule as a request has it, for the reference; the station and `OwnerRule` read its JSON.
struct RuleEntry: Decodable, Sendable {
    let channel: String?
    /// One condition by its kind, as `{"mean": {"overSeconds": 3600, "atLeast": 1500}}`.
    let when: [String: Details]?
    let until: [String: Double]?
    let forSeconds: Double?
    let severity: String?
    let unless: [String]?
    let words: [String: String]?
    let isOn: Bool?
}
