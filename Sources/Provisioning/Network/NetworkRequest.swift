import Core

/// A request of the page to the root service: to look around, to join a network, or who may join
/// the station's own.
package struct NetworkRequest: Codable, Hashable, Sendable {
    package enum Act: String, Codable, Sendable { case scan, join, point }

    /// One field that the service does not take.
    package struct Refusal: Error, Hashable, Sendable {
        package let field: String
        package let words: String
    }

    /// Name of the file in `/run/roost-web` that the service waits for.
    package static let fileName = "network-wanted"
    /// Bytes of the file at most.
    package static let byteCountMax = 4_096

    package let act: Act
    /// The network's name, whose bytes need not be text, as hexadecimal digits.
    package let network: String?
    /// Empty for an open network; nil for the one that the station has of it.
    package let password: String?
    package let isHidden: Bool?
    /// Two letters; nil: the one that the station has.
    package let country: String?
    /// Who may join the station's own access point: a rule, or `afterClaim` for none.
    package let rule: String?

    /// The name of no rule: open until the station has an owner, and locked after that.
    package static let afterClaim = "afterClaim"

    package init(
        _ act: Act,
        network: String? = nil,
        password: String? = nil,
        isHidden: Bool? = nil,
        country: String? = nil,
        rule: String? = nil
    ) {
        (self.act, self.network, self.password) = (act, network, password)
        (self.isHidden, self.country, self.rule) = (isHidden, country, rule)
    }

    /// Who may join the access point; nil for `afterClaim`.
    package func checkedRule() throws(Refusal) -> AccessPointRule? {
        guard rule != Self.afterClaim else { return nil }
        guard let known = rule.flatMap(AccessPointRule.init) else {
            throw Refusal(field: "rule", words: "it is open, locked or \(Self.afterClaim)")
        }
        return known
    }

    /// The network to join, by the rules that `station.txt` has, too.
    package func wireless() throws(Refusal) -> WirelessNetwork {
        guard let name = network.flatMap(Hexadecimal.bytes), (1...32).contains(name.count) else {
            throw Refusal(field: "network", words: "a Wi-Fi's name has 1 to 32 bytes")
        }
        let secret =
            try password.map { text throws(Refusal) in
                try Self.checked("password") { () throws(SettingRules.Refusal) in
                    try SettingRules.secret(text)
                }
            } ?? .taken
        return WirelessNetwork(name: name, secret: secret, isHidden: isHidden == true)
    }

    /// The country in capital letters.
    package func checkedCountry() throws(Refusal) -> String? {
        try country.map { text throws(Refusal) in
            try Self.checked("country") { () throws(SettingRules.Refusal) in
                try SettingRules.country(text)
            }
        }
    }

    private static func checked<Value>(
        _ field: String,
        _ body: () throws(SettingRules.Refusal) -> Value
    ) throws(Refusal) -> Value {
        do throws(SettingRules.Refusal) { return try body() } catch {
            throw Refusal(field: field, words: "\(error.words). \(error.next)")
        }
    }
}
