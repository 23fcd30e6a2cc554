import Core

/// A number that drifts within bounds, the same for the same seed: the air of simulated parts.
struct DriftingValue: Sendable {
    private var generator: SplitMix64
    private var value: Int
    private let bounds: ClosedRange<Int>

    init(seed: UInt64, start: Int, within bounds: ClosedRange<Int>) {
        precondition(bounds.contains(start))
        generator = SplitMix64(seed: seed)
        value = start
        self.bounds = bounds
    }

    mutating func next() -> Int {
        let step = max(1, value.magnitude / 40)
        let change = Int.random(in: -Int(step)...Int(step), using: &generator)
        value = min(max(value + change, bounds.lowerBound), bounds.upperBound)
        return value
    }
}
