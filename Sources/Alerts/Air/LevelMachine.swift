import Core

/// Turns the samples of one sensor into levels: the worst of its channels.
///
/// Pure. Each sample takes a few comparisons, so the caller can run it before it sets the light.
/// The short means are kept under every rule, so that another rule has them at once. Bound: one
/// mean for each quantity of `LevelRule.ownQuantities`, which are all that rules have.
package struct LevelMachine: Sendable {
    /// One scale of the rule.
    private struct Judged: Sendable {
        /// The level of the last sample; nil when it had no value, or no mean yet.
        var level: AirLevel?
        /// The last level, for the hysteresis of the next value.
        var held: AirLevel?
    }

    package private(set) var rule: LevelRule
    /// The level of the last sample; nil when it had no value, or no mean yet.
    package private(set) var level: AirLevel?
    // In the order of the rule's scales.
    private var judged: [Judged]
    private var means: [String: ShortMean] = [:]
    private var sample: [Reading] = []

    package init(rule: LevelRule = .sampleLevels) {
        self.rule = rule
        judged = Array(repeating: Judged(), count: rule.scales.count)
    }

    /// The quantities that have the level of the last sample; empty without one.
    package var decisive: [String] {
        guard let level else { return [] }
        return zip(rule.scales, judged).filter { $0.1.level == level }.map(\.0.quantity)
    }

    /// The level of one quantity in the last sample; nil without limits, a value or a mean.
    package func level(of quantity: some StringProtocol) -> AirLevel? {
        let index = rule.scales.firstIndex { $0.quantity == quantity }
        return index.flatMap { judged[$0].level }
    }

    /// The mean that the level of a quantity comes from; nil where the rule judges single samples,
    /// and while there is none.
    package func mean(of quantity: String) -> FixedPoint? {
        guard rule.judgesMean, rule.scales.contains(where: { $0.quantity == quantity }) else {
            return nil
        }
        return means[quantity]?.value
    }

    /// Evaluates the readings of one sample.
    ///
    /// A quantity without a value does not count, and its hysteresis begins anew, under a rule of
    /// means with the mean. Doubtful values count: a wrong warning is better than a wrong
    /// all-clear. An impossible value (`isLeftOut`) does not count, and leaves the hysteresis as it
    /// was.
    ///
    /// - Parameters:
    ///   - sample: Its readings, of one instant.
    ///   - interval: From one sample to the next, see `ShortMean`.
    /// - Returns: The worst level of the quantities with a value, or nil when none has one.
    package mutating func append(
        _ sample: [Reading],
        every interval: Duration? = nil
    ) -> AirLevel? {
        for reading in sample {
            let name = reading.channel.quantity.name
            guard let value = reading.outcome.counted, LevelRule.ownQuantities.contains(name)
            else { continue }
            let isNew = means[name, default: ShortMean()]
                .append(value, at: reading.instant, every: interval)
            guard isNew, rule.judgesMean else { continue }
            for index in judged.indices where rule.scales[index].quantity == name {
                judged[index].held = nil
            }
        }
        self.sample = sample
        level = judge()
        return level
    }

    /// Goes by another rule from now on, the last sample included.
    package mutating func use(_ next: LevelRule) {
        guard next != rule else { return }
        rule = next
        judged = Array(repeating: Judged(), count: next.scales.count)
        level = judge()
    }

    private mutating func judge() -> AirLevel? {
        var worst: AirLevel?
        for (index, scale) in rule.scales.enumerated() {
            var level: AirLevel?
            var isKept = rule.judgesMean
            for reading in sample where reading.channel.quantity.name == scale.quantity {
                guard let value = reading.outcome.counted else {
                    isKept = isKept || reading.outcome.isLeftOut
                    continue
                }
                let judging = rule.judgesMean ? means[scale.quantity]?.value : value
                guard let judging else { continue }
                let own = scale.level(of: judging, after: judged[index].held)
                level = max(level ?? own, own)
            }
            judged[index].level = level
            if level != nil || !isKept { judged[index].held = level }
            if let level { worst = max(worst ?? level, level) }
        }
        return worst
    }
}
