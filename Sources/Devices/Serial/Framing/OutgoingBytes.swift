import Core

/// A fault of a simulated part and the time in which it shows.
package struct FaultWindow<Fault: Hashable & Sendable>: Hashable, Sendable {
    package let fault: Fault
    package let start: MonotonicInstant
    /// The first instant without it; nil means for ever.
    package let end: MonotonicInstant?

    package init(
        _ fault: Fault,
        from start: MonotonicInstant = .boot,
        to end: MonotonicInstant? = nil
    ) {
        self.fault = fault
        self.start = start
        self.end = end
    }

    func contains(_ instant: MonotonicInstant) -> Bool {
        instant >= start && end.map { instant < $0 } ?? true
    }
}

/// Output of a simulated part: pieces with the time when they leave, and noise.
struct OutgoingBytes: Sendable {
    /// Between the pieces of what is split.
    static let splitGap: Duration = .milliseconds(100)
    /// 96 bytes in 100 ms are 9 600 baud.
    static let babbleStep: Duration = .milliseconds(100)
    static let babbleByteCount = 96
    /// Stray bytes that came with wakes and replies in the field.
    ///
    /// - Source: opendata-stuttgart/sensors-software#197; `frames.json`.
    static let junk: [UInt8] = [0x4D, 0x28, 0x10, 0x92, 0xFA]
    /// Pieces that wait to leave; the oldest go first when there are more.
    private static let queueMax = 256

    private var queue: [(departure: MonotonicInstant, bytes: [UInt8])] = []
    private var babbledUntil: MonotonicInstant

    init(startingAt now: MonotonicInstant) { babbledUntil = now }

    mutating func clear() { queue.removeAll() }

    mutating func add(_ bytes: [UInt8], at departure: MonotonicInstant) {
        if queue.count >= Self.queueMax { queue.removeFirst() }
        queue.append((departure, bytes))
    }

    /// Adds bytes in two pieces; one byte stays whole.
    mutating func addSplit(
        _ bytes: [UInt8],
        at departure: MonotonicInstant,
        using generator: inout SplitMix64
    ) {
        guard bytes.count > 1 else { return add(bytes, at: departure) }
        let cut = 1 + Int(generator.next() % UInt64(bytes.count - 1))
        add(Array(bytes[..<cut]), at: departure)
        add(Array(bytes[cut...]), at: departure.advanced(by: Self.splitGap))
    }

    var nextDeparture: MonotonicInstant? { queue.map(\.departure).min() }

    mutating func departures(by now: MonotonicInstant) -> [UInt8] {
        guard !queue.isEmpty else { return [] }
        let due = queue.filter { $0.departure <= now }.flatMap(\.bytes)
        queue.removeAll { $0.departure <= now }
        return due
    }

    // MARK: Babble

    /// When noise is due next, in any of these windows.
    func nextBabble<Fault>(in windows: [FaultWindow<Fault>]) -> MonotonicInstant? {
        windows.map { max($0.start, babbledUntil.advanced(by: Self.babbleStep)) }
            .filter { next in windows.contains { $0.contains(next) } }
            .min()
    }

    /// Adds the noise that is due, with heads of frames among it.
    ///
    /// - Returns: How many bursts.
    @discardableResult
    mutating func babble<Fault>(
        until now: MonotonicInstant,
        in windows: [FaultWindow<Fault>],
        head: UInt8,
        using generator: inout SplitMix64
    ) -> Int {
        var count = 0
        while let next = nextBabble(in: windows), next <= now {
            // Not further back than a second: a tty would have dropped it.
            let instant = max(next, now.advanced(by: .seconds(-1)))
            babbledUntil = instant
            guard windows.contains(where: { $0.contains(instant) }) else { break }
            let noise = (0..<Self.babbleByteCount).map { index in
                index % 16 == 0 ? head : UInt8(truncatingIfNeeded: generator.next())
            }
            add(noise, at: instant)
            count += 1
        }
        return count
    }
}
