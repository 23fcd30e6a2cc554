import Core

/// The start of the next page of readings: a reading's number for each ring.
///
/// Readings that left the rings since the last page are skipped; newer readings come at the end.
struct ReadingCursor: Hashable, Sendable {
    /// Number of the next reading, by serial of the ring; bound: `ReadingRing.countMax`.
    private(set) var numbers: [Int: Int]

    /// Returns the cursor at which the newest `limit` readings since an instant begin.
    ///
    /// - Returns: The cursor, and how many older ones are left out.
    static func start(
        of rings: [ReadingRing],
        since start: MonotonicInstant,
        limit: Int
    ) -> (cursor: ReadingCursor, omittedCount: Int) {
        let firsts = rings.map { $0.firstNumber(since: start) }
        let total = zip(rings, firsts).reduce(0) { $0 + $1.0.numbers.upperBound - $1.1 }
        var nexts = firsts
        if total > limit {
            // From the newest backwards: the work is bounded by the limit, not by the day.
            nexts = rings.map(\.numbers.upperBound)
            for _ in 0..<limit {
                let latest = rings.indices.filter { nexts[$0] > firsts[$0] }.max {
                    rings[$0].instant(number: nexts[$0] - 1)
                        < rings[$1].instant(number: nexts[$1] - 1)
                }
                guard let latest else { break }
                nexts[latest] -= 1
            }
        }
        let numbers = zip(rings, nexts).map { ($0.serial, $1) }
        let cursor = ReadingCursor(numbers: Dictionary(uniqueKeysWithValues: numbers))
        return (cursor, max(0, total - limit))
    }

    /// Returns up to `count` readings in order of time, and moves behind them.
    ///
    /// - Returns: The readings; `isOver` is true when fewer than `count` were left.
    mutating func next(_ count: Int, from rings: [ReadingRing]) -> ([Reading], isOver: Bool) {
        var nexts = rings.map { ring in
            max(numbers[ring.serial] ?? ring.numbers.lowerBound, ring.numbers.lowerBound)
        }
        var readings: [Reading] = []
        readings.reserveCapacity(min(count, 256))
        var isOver = false
        while readings.count < count, !isOver {
            let earliest = rings.indices.filter { nexts[$0] < rings[$0].numbers.upperBound }.min {
                rings[$0].instant(number: nexts[$0]) < rings[$1].instant(number: nexts[$1])
            }
            guard let earliest else {
                isOver = true
                break
            }
            readings.append(rings[earliest].reading(number: nexts[earliest]))
            nexts[earliest] += 1
        }
        numbers = Dictionary(uniqueKeysWithValues: zip(rings, nexts).map { ($0.serial, $1) })
        return (readings, isOver)
    }

    private init(numbers: [Int: Int]) { self.numbers = numbers }
}

/// Text form in requests and answers: `3:1200,4:1200`.
extension ReadingCursor {
    init?(_ text: String) {
        numbers = [:]
        for part in text.split(separator: ",") {
            let pair = part.split(separator: ":").compactMap { Int($0) }
            guard pair.count == 2, numbers.count < ReadingRing.countMax else { return nil }
            numbers[pair[0]] = pair[1]
        }
    }

    var text: String {
        numbers.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: ",")
    }
}
