import Core
import Profiles

/// Decides what a measurement of any part is worth, from its profile and what came before it.
///
/// Pure. Values are kept and flagged; only those that have been the same for too long to be true
/// become no data.
struct PlausibilityFilter: Hashable, Sendable {
    /// A doubt about one channel, or about the measurement as a whole.
    struct Finding: Hashable, Sendable {
        let doubt: SensorDoubt
        /// The quantity's name; nil for all of them.
        let channel: String?

        init(_ doubt: SensorDoubt, of channel: String? = nil) {
            (self.doubt, self.channel) = (doubt, channel)
        }
    }

    struct Verdict: Hashable, Sendable {
        /// In the order of the quantities.
        let outcomes: [Outcome]
        let begun: [Finding]
        let ended: [Finding]
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
    private(set) var findings: [Finding] = []

    /// Creates a filter with the ranges that a profile gives for the channels of these names.
    init(_ quantities: [Quantity], by channels: [ChannelProfile]) {
        rules = quantities.map { quantity in
            let channel = channels.first { $0.quantity.name == quantity.name }
            return Rule(name: quantity.name, range: channel?.range, step: channel?.step)
        }
        dust = Self.sizes.compactMap { size in quantities.firstIndex { $0.name == size } }
    }

    /// Forgets what came before, as when the mode changes.
    mutating func restart() {
        last = []
        runLength = 0
    }

    /// Checks the next measurement.
    ///
    /// - Parameters:
    ///   - outcomes: One for each quantity: a measurement, or the median of several.
    ///   - hasMoved: Whether the measurements that it is the median of differ: what is stuck says
    ///     the same for ever, and a median may be the same by chance.
    ///   - limits: How long is too long.
    /// - Returns: The flagged outcomes, and the doubts that began and ended with them.
    mutating func check(
        _ outcomes: [Outcome],
        hasMoved: Bool = false,
        by limits: SensorDoubt.Limits
    ) -> Verdict {
        precondition(outcomes.count == rules.count, "one outcome for each quantity")
        let isSame = !hasMoved && outcomes.map(\.value) == last
        runLength = isSame ? min(runLength + 1, Int.max - 1) : 1
        let whole = wholeFinding(outcomes, by: limits)
        var current = whole.map { [Finding($0)] } ?? []
        var judged = outcomes
        for (index, rule) in rules.enumerated() {
            guard case .value(let value, let own) = outcomes[index] else { continue }
            var flags = own
            if whole == .zeros { flags.insert(.zero) }
            if whole == .unchanging { flags.insert(.unchanging) }
            if own.contains(.inconsistent) {
                current.append(Finding(.inconsistent, of: rule.name))
            }
            if let range = rule.range, !range.contains(value.doubleValue) {
                flags.insert(.outOfRange)
                current.append(Finding(.outOfRange, of: rule.name))
            }
            let before = last.indices.contains(index) ? last[index]?.doubleValue : nil
            if let step = rule.step, let before, abs(value.doubleValue - before) > step {
                flags.insert(.jump)
            }
            judged[index] = whole == .stuck ? .noData(.stuck) : .value(value, flags)
        }
        // The others of a frame with a value that cannot be are no better.
        if dust.contains(where: { judged[$0].isLeftOut }) {
            for index in dust { judged[index].flag(.outOfRange) }
        }
        if flagInconsistent(outcomes, &judged) { current.append(Finding(.inconsistent)) }
        if !isSame { last = outcomes.map(\.value) }
        let past = findings
        findings = current
        return Verdict(
            outcomes: judged,
            begun: current.filter { !past.contains($0) },
            ended: past.filter { !current.contains($0) }
        )
    }

    /// Doubt about a measurement as a whole; nil when it is plausible.
    private func wholeFinding(_ outcomes: [Outcome], by limits: SensorDoubt.Limits) -> SensorDoubt?
    {
        var (hasValue, hasOther, isWarming) = (false, false, true)
        for outcome in outcomes {
            switch outcome {
            case .value(let value, let own):
                // A part at the top of its range repeats that value for as long as it stays there.
                if own.contains(.ceiling) { return .ceiling }
                (hasValue, isWarming) = (true, false)
                if value.mantissa != 0 { hasOther = true }
            case .noData(let reason): if reason != .warmingUp { isWarming = false }
            }
        }
        // Zeros after a wake are those of a part that warms up, for a while.
        if isWarming || (hasValue && !hasOther) { return runLength >= limits.zeros ? .zeros : nil }
        guard hasValue else { return nil }
        if runLength >= limits.stuck { return .stuck }
        return runLength >= limits.unchanging ? .unchanging : nil
    }

    /// Flags dust below a size that is more than dust below a larger one.
    private func flagInconsistent(_ outcomes: [Outcome], _ judged: inout [Outcome]) -> Bool {
        var isFound = false
        var small: Int?
        for large in dust {
            guard let coarse = outcomes[large].value else { continue }
            defer { small = large }
            guard let small, let fine = outcomes[small].value, fine > coarse else { continue }
            judged[small].flag(.inconsistent)
            judged[large].flag(.inconsistent)
            isFound = true
        }
        return isFound
    }

    /// Median of each channel by itself: always a value that the part sent.
    ///
    /// An even count gives the lower middle. A channel without a value keeps its latest reason.
    ///
    /// - Returns: nil without measurements.
    static func median(of measurements: [[Outcome]]) -> [Outcome]? {
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

extension Outcome {
    fileprivate mutating func flag(_ quality: Quality) {
        if case .value(let value, let own) = self { self = .value(value, own.union(quality)) }
    }
}
