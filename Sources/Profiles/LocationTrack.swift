import Core

/// A place on Earth, in counts of 10⁻⁷ degree: 1.1 cm at the equator.
package struct Position: Hashable, Sendable {
    static let degree: Int64 = 10_000_000

    /// −90°…90°, north positive.
    package let latitude: Int64
    /// −180°…180° without 180° itself, east positive.
    package let longitude: Int64

    /// A place; nil beyond a pole, or beyond 180° either way.
    package init?(latitude: Int64, longitude: Int64) {
        guard latitude.magnitude <= 90 * Self.degree, longitude.magnitude <= 180 * Self.degree
        else { return nil }
        self.init(checkedLatitude: latitude, longitude)
    }

    /// A place from two readings; nil also when they have more than seven digits after the point.
    package init?(_ latitude: FixedPoint, _ longitude: FixedPoint) {
        guard let latitude = latitude.mantissa(atDecimals: 7),
            let longitude = longitude.mantissa(atDecimals: 7)
        else { return nil }
        self.init(latitude: latitude, longitude: longitude)
    }

    fileprivate init(checkedLatitude latitude: Int64, _ longitude: Int64) {
        self.latitude = latitude
        self.longitude = Self.wrapped(longitude)
    }

    /// Normalises a longitude to −180°..<180°.
    fileprivate static func wrapped(_ longitude: Int64) -> Int64 {
        let turn = 360 * degree
        let rest = (longitude + turn / 2) % turn
        return (rest < 0 ? rest + turn : rest) - turn / 2
    }

    /// As two readings with seven decimals.
    package var readings: (latitude: FixedPoint, longitude: FixedPoint) {
        (FixedPoint(latitude, decimals: 7), FixedPoint(longitude, decimals: 7))
    }
}

/// Track of a device: the last fixes of a receiver, and interpolated positions between them.
///
/// What a receiver said without a fix counts too: no place is made up beyond it. Whole numbers
/// only, so every CPU agrees. Bound: 4 096 of both, over an hour of 1 Hz; the oldest goes.
package struct LocationTrack: Sendable {
    static let fixLimit = 4_096

    /// Position of the device at an instant.
    package enum Answer: Hashable, Sendable {
        /// `estimated` unless the receiver said so at that very instant.
        case at(Position, Quality)
        case noData(NoData)
    }

    private struct Fix {
        let instant: MonotonicInstant
        let position: Position
    }

    /// Report of a receiver; without a position it had no fix.
    private struct Entry {
        let instant: MonotonicInstant
        let position: Position?

        var fix: Fix? { position.map { Fix(instant: instant, position: $0) } }
    }

    /// Nearer than this to a pole interpolation fails, and the nearer fix is used unchanged.
    private static let polarLatitude = 89 * Position.degree

    private let gapLimit: Duration
    private let holdLimit: Duration
    private var entries: [Entry] = []
    /// Place of the oldest once the ring is full.
    private var head = 0

    /// An empty track.
    ///
    /// - Parameters:
    ///   - gapLimit: Fixes further apart are not joined.
    ///   - holdLimit: How long the nearest fix stands before the first, after the last, or beside a
    ///     gap.
    package init(gapLimit: Duration = .seconds(60), holdLimit: Duration = .seconds(30)) {
        (self.gapLimit, self.holdLimit) = (gapLimit, holdLimit)
    }

    package var count: Int { entries.count }

    /// Adds a fix.
    ///
    /// - Returns: false when it is not later than the last one, which stands; after a new boot,
    ///   `reset` comes first.
    @discardableResult
    package mutating func append(_ position: Position, at instant: MonotonicInstant) -> Bool {
        append(Entry(instant: instant, position: position))
    }

    /// Records that the receiver had no fix: no earlier position is held or interpolated beyond it.
    ///
    /// - Returns: As `append`.
    @discardableResult
    package mutating func lose(at instant: MonotonicInstant) -> Bool {
        append(Entry(instant: instant, position: nil))
    }

    private mutating func append(_ entry: Entry) -> Bool {
        if let last = entries.isEmpty ? nil : self[entries.count - 1],
            entry.instant <= last.instant
        {
            return false
        }
        if entries.count < Self.fixLimit {
            entries.append(entry)
        } else {
            entries[head] = entry
            head = (head + 1) % Self.fixLimit
        }
        return true
    }

    /// Forgets all fixes: the node's clock began anew.
    package mutating func reset() { (entries, head) = ([], 0) }

    /// The place at an instant: a fix, between two, or near one; else `noFix` where the receiver
    /// had none, and `stale`.
    package func position(at instant: MonotonicInstant) -> Answer {
        let next = firstIndex(from: instant)
        let nextEntry = next < entries.count ? self[next] : nil
        if let nextEntry, nextEntry.instant == instant {
            return nextEntry.position.map { .at($0, []) } ?? .noData(.noFix)
        }
        let lastEntry = next > 0 ? self[next - 1] : nil
        let (before, after) = (lastEntry?.fix, nextEntry?.fix)
        if let before, let after, before.instant.duration(to: after.instant) <= gapLimit {
            return .at(Self.between(before, after, instant), .estimated)
        }
        guard let nearest = Self.nearer(before, after, instant),
            Self.distance(nearest, instant) <= holdLimit
        else {
            let isLost = lastEntry.map { $0.position == nil } ?? false
            return .noData(isLost ? .noFix : .stale)
        }
        return .at(nearest.position, .estimated)
    }

    /// The `index`th oldest.
    private subscript(index: Int) -> Entry { entries[(head + index) % entries.count] }

    /// The first that is not before an instant; `count` when there is none.
    private func firstIndex(from instant: MonotonicInstant) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].instant < instant { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func distance(_ fix: Fix, _ instant: MonotonicInstant) -> Duration {
        fix.instant < instant
            ? fix.instant.duration(to: instant) : instant.duration(to: fix.instant)
    }

    /// The earlier one when both are equally near.
    private static func nearer(_ left: Fix?, _ right: Fix?, _ instant: MonotonicInstant) -> Fix? {
        guard let left, let right else { return left ?? right }
        return distance(right, instant) < distance(left, instant) ? right : left
    }

    /// A share of the way by time: latitude and longitude each in a straight line, the shorter way
    /// round.
    private static func between(_ from: Fix, _ to: Fix, _ instant: MonotonicInstant) -> Position {
        let latitudes = (from.position.latitude, to.position.latitude)
        let turn = Position.wrapped(to.position.longitude - from.position.longitude)
        let isPolar = max(abs(latitudes.0), abs(latitudes.1)) >= polarLatitude
        // On opposite meridians there is no shorter way.
        guard !isPolar, turn != -180 * Position.degree else {
            return (nearer(from, to, instant) ?? from).position
        }
        let elapsed = Int128(instant.nanoseconds) - Int128(from.instant.nanoseconds)
        let span = Int128(to.instant.nanoseconds) - Int128(from.instant.nanoseconds)
        func share(_ whole: Int64) -> Int64 {
            // Rounded, halves away from zero.
            let (quotient, rest) = (Int128(whole) * elapsed).quotientAndRemainder(dividingBy: span)
            guard rest.magnitude >= span.magnitude - rest.magnitude else { return Int64(quotient) }
            return Int64(rest < 0 ? quotient - 1 : quotient + 1)
        }
        return Position(
            checkedLatitude: latitudes.0 + share(latitudes.1 - latitudes.0),
            from.position.longitude + share(turn)
        )
    }
}
