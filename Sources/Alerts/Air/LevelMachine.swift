import Core

/// Turns the samples of one sensor into levels: the worst of its channels.
///
/// Pure. Each sample takes a few comparisons, so the caller can run it before it sets the light.
package struct LevelMachine: Sendable {
    package let rule: LevelRule
    /// The level of the last sample; nil when it had no value.
    package private(set) var level: AirLevel?
    // The last level of each scale, for the hysteresis of its next value.
    private var levels: [AirLevel?]

    package init(rule: LevelRule = .sampleLevels) {
        self.rule = rule
        levels = Array(repeating: nil, count: rule.scales.count)
    }

    /// The quantities that have the level of the last sample; empty without one.
    package var decisive: [String] {
        guard let level else { return [] }
        return zip(rule.scales, levels).filter { $0.1 == level }.map(\.0.quantity)
    }

    /// Evaluates the readings of one sample.
    ///
    /// A quantity without a value does not count, and its hysteresis begins anew. Doubtful values
    /// count: a wrong warning is better than a wrong all-clear. An impossible value (`isLeftOut`)
    /// does not count, and leaves the hysteresis as it was.
    ///
    /// - Returns: The worst level of the quantities with a value, or nil when none has one.
    package mutating func append(_ sample: [Reading]) -> AirLevel? {
        var worst: AirLevel?
        for (index, scale) in rule.scales.enumerated() {
            var level: AirLevel?
            var isLeftOut = false
            for reading in sample where reading.channel.quantity.name == scale.quantity {
                guard let value = reading.outcome.counted else {
                    isLeftOut = isLeftOut || reading.outcome.isLeftOut
                    continue
                }
                let own = scale.level(of: value, after: levels[index])
                level = max(level ?? own, own)
            }
            if level != nil || !isLeftOut { levels[index] = level }
            if let level { worst = max(worst ?? level, level) }
        }
        level = worst
        return worst
    }
}
