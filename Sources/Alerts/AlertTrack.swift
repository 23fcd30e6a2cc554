import Core

/// One alert of an engine: its life and its last value.
package struct AlertTrack: Sendable {
    package let key: AlertEvent.Key
    /// The place of its rule in the list.
    var rule: Int
    /// Condition of the rule for this alert; nil after a start until a sample or a report comes.
    package internal(set) var condition: AlertRule.Condition?
    package internal(set) var life = AlertLife()
    /// The number of its raise; 0 before the first.
    package internal(set) var raise: Int64 = 0
    var last = AlertLife.Finding.undecided
    package internal(set) var value: Double?
    package internal(set) var limit: Double?
    package internal(set) var worst: Double?
    package internal(set) var why: String?
    package internal(set) var hiddenBy: String?
    package internal(set) var unit: String?
    package internal(set) var decimals = 1
    package internal(set) var flags: Quality = []
    /// Values of its time that no part can give, and that do not count.
    var omitted = 0

    init(_ key: AlertEvent.Key, rule: Int) { (self.key, self.rule) = (key, rule) }

    /// Names of the doubts about the alert and its value, as an event records them.
    package var doubts: [String] {
        flags.names + (life.isFlapping ? ["flapping"] : [])
            + (omitted > 0 ? [AlertEvent.Raised.omittedMark + "\(omitted)"] : [])
    }

    /// A value with as many digits as its channel has.
    package func shown(_ value: Double?) -> FixedPoint? {
        guard let value, value.magnitude < 1e9 else { return nil }
        var factor = 1.0
        let digits = min(decimals, 3)
        for _ in 0..<digits { factor *= 10 }
        return FixedPoint(Int64((value * factor).rounded()), decimals: digits)
    }

    mutating func recordWorst(_ value: Double?, isFloor: Bool) {
        guard let value else { return }
        let old = worst ?? value
        worst = isFloor ? min(old, value) : max(old, value)
    }
}
