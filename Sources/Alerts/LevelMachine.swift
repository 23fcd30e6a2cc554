import Core

/// Turns the samples of one sensor into levels: the worst of its channels.
///
/// Pure, and quick enough to be asked on the way from a frame to the light.
package struct LevelMachine: Sendable {
    package let rule: LevelRule
    /// The level of the last sample; nil when it had no value.
    package private(set) var level: AirLevel?
    // One for each scale: what the next value is held up by.
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
    /// A quantity without a value, or that is missing, does not count, and its past is forgotten.
    /// Doubtful values count: a wrong warning is better than a wrong all-clear. Not so what no part
    /// can give.
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
