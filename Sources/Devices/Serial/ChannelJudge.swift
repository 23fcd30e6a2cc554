import Core
import Profiles

/// Decides what a measurement of any part is worth, from its profile and what came before it.
///
/// Pure. Values are kept and flagged; only those that have been the same for too long to be true
/// become no data.
package struct ChannelJudge: Hashable, Sendable {
    /// A doubt about one channel, or about the measurement as a whole.
    package struct Finding: Hashable, Sendable {
        package let doubt: SensorDoubt
        /// The quantity's name; nil for all of them.
        package let channel: String?

        package init(_ doubt: SensorDoubt, of channel: String? = nil) {
            (self.doubt, self.channel) = (doubt, channel)
        }
    }

    package struct Verdict: Hashable, Sendable {
        /// In the order of the quantities.
        package let outcomes: [Outcome]
        package let begun: [Finding]
        package let ended: [Finding]
    }

    /// Dust of each size contains the dust of the one before.
    private static let sizes = ["pm05", "pm1", "pm25", "pm4", "pm10"]

    private struct Rule: Hashable {
        let name: String
        let range: ClosedRange<Double>?
        let step: Double?
    }

    private let rules: [Rule]
    private let dust: [Int]  // Indices of dust channels, smallest size first.
    private var last: [FixedPoint?] = []
    private var runLength = 0
    package private(set) var findings: [Finding] = []

    /// A judge of these quantities by what a profile says of the channels with their names.
    package init(_ quantities: [Quantity], by channels: [ChannelProfile]) {
        rules = quantities.map { quantity in
            let channel = channels.first { $0.quantity.name == quantity.name }
            return Rule(name: quantity.name, range: channel?.range, step: channel?.step)
        }
        dust = Self.sizes.compactMap { size in quantities.firstIndex { $0.name == size } }
    }

    /// Forgets what came before, as when the mode changes.
    package mutating func restart() {
        last = []
        runLength = 0
    }

    /// Takes the next measurement.
    ///
    /// - Parameters:
    ///   - outcomes: One for each quantity: a measurement, or the median of several.
    ///   - hasMoved: Whether the measurements that it is the median of differ: what is stuck says
    ///     the same for ever, and a median may be the same by chance.
    ///   - limits: How long is too long.
    /// - Returns: What it is worth, and which doubts began and ended with it.
    package mutating func judge(
        _ outcomes: [Outcome],
        hasMoved: Bool = false,
        by limits: SensorDoubt.Limits
    ) -> Verdict {
        precondition(outcomes.count == rules.count, "one outcome for each quantity")
        let values = outcomes.map(\.value)
        runLength = values == last && !hasMoved ? min(runLength + 1, Int.max - 1) : 1
        var current = wholeFinding(values, by: limits).map { [Finding($0)] } ?? []
        var qualities = [Quality](repeating: [], count: rules.count)
        if current.first?.doubt == .zeros { add(.zero, to: &qualities) }
        if current.first?.doubt == .unchanging { add(.unchanging, to: &qualities) }
        for (index, rule) in rules.enumerated() {
            guard let value = values[index]?.doubleValue else { continue }
            if case .value(_, let own) = outcomes[index], own.contains(.inconsistent) {
                current.append(Finding(.inconsistent, of: rule.name))
            }
            if let range = rule.range, !range.contains(value) {
                qualities[index].insert(.outOfRange)
                current.append(Finding(.outOfRange, of: rule.name))
            }
            let before = last.indices.contains(index) ? last[index]?.doubleValue : nil
            if let step = rule.step, let before, abs(value - before) > step {
                qualities[index].insert(.jump)
            }
        }
        if flagInconsistent(values, &qualities) { current.append(Finding(.inconsistent)) }
        last = values
        let past = findings
        findings = current
        let isStuck = current.first?.doubt == .stuck
        return Verdict(
            outcomes: zip(outcomes, qualities).map { outcome, quality in
                guard case .value(let value, let own) = outcome else { return outcome }
                return isStuck ? .noData(.stuck) : .value(value, own.union(quality))
            },
            begun: current.filter { !past.contains($0) },
            ended: past.filter { !current.contains($0) }
        )
    }

    /// What is doubtful about a measurement that has not changed for a while.
    private func wholeFinding(
        _ values: [FixedPoint?],
        by limits: SensorDoubt.Limits
    ) -> SensorDoubt? {
        let present = values.compactMap(\.self)
        guard !present.isEmpty else { return nil }
        if present.allSatisfy({ $0.mantissa == 0 }) {
            return runLength >= limits.zeros ? .zeros : nil
        }
        if runLength >= limits.stuck { return .stuck }
        return runLength >= limits.unchanging ? .unchanging : nil
    }

    private func add(_ flag: Quality, to qualities: inout [Quality]) {
        for index in qualities.indices { qualities[index].insert(flag) }
    }

    private func flagInconsistent(_ values: [FixedPoint?], _ qualities: inout [Quality]) -> Bool {
        var isFound = false
        let present = dust.filter { values[$0] != nil }
        for (small, large) in zip(present, present.dropFirst()) {
            guard let fine = values[small], let coarse = values[large], fine > coarse else {
                continue
            }
            qualities[small].insert(.inconsistent)
            qualities[large].insert(.inconsistent)
            isFound = true
        }
        return isFound
    }

    /// The median of each channel by itself: a value the part really said, whatever one frame says.
    ///
    /// Of an even count the lower middle. A channel without a value keeps its latest reason.
    ///
    /// - Returns: nil of no measurement.
    package static func median(of measurements: [[Outcome]]) -> [Outcome]? {
        guard let latest = measurements.last else { return nil }
        return latest.indices.map { index in
            let outcomes = measurements.map { $0[index] }.filter { $0.value != nil }
            guard !outcomes.isEmpty else { return latest[index] }
            let sorted = outcomes.sorted { left, right in
                guard let left = left.value, let right = right.value else { return false }
                return left < right
            }
            return sorted[(sorted.count - 1) / 2]
        }
    }
}
