import Core

/// A target that can be asked for the values that it has.
protocol ProvableTarget: SampleTarget {
    /// Whether the values of a quantity are sent when a sample is.
    func sends(_ quantity: String, of device: String) -> Bool

    /// Counts and sums the values of a device at the receiver in a time range.
    ///
    /// - Parameters:
    ///   - quantities: Names of the quantities; the answer has one entry for each.
    ///   - range: From the first moment to before the second.
    /// - Returns: nil when the server cannot be asked this way.
    /// - Throws: `NetworkFailure`; `CancellationError`.
    func holdings(
        of device: String,
        _ quantities: [String],
        in range: Range<WallTime>,
        over network: any CourierNetwork
    ) async throws -> [ValueSum]?
}

extension ProvableTarget {
    func sends(_ quantity: String, of device: String) -> Bool { true }
}

/// Count and sum of values.
struct ValueSum: Hashable, Sendable {
    var count = 0
    var sum = 0.0

    init(count: Int = 0, sum: Double = 0) { (self.count, self.sum) = (count, sum) }

    mutating func add(_ value: Double) {
        count += 1
        sum += value
    }

    /// Whether both hold the same values, as far as counts and sums can show.
    ///
    /// Sums of doubles differ in their last digits by the order of adding.
    func agrees(with other: ValueSum) -> Bool {
        let scale = max(abs(sum), abs(other.sum), 1)
        return count == other.count && abs(sum - other.sum) <= scale * 1e-9 * Double(max(count, 1))
    }
}
