import ControlProtocol

/// A rule as a request has it, for the reference; the station and `OwnerRule` read its JSON.
struct RuleEntry: Decodable, Sendable {
    struct Part: Decodable, Sendable {
        let channel: String?
        let when: [String: Details]?
        let until: [String: Double]?
    }

    let channel: String?
    /// One condition by its kind, as `{"mean": {"overSeconds": 3600, "atLeast": 1500}}`.
    let when: [String: Details]?
    let until: [String: Double]?
    /// In place of channel, condition and the value in `until`.
    let parts: [Part]?
    let forSeconds: Double?
    let severity: String?
    let unless: [String]?
    let words: [String: String]?
    let isOn: Bool?
}
