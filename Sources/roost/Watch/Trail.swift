/// The last values of one channel, for a line of bars.
///
/// Bound: `limit` points, the oldest goes.
struct Trail: Hashable {
    static let limit = 1_000
    /// The longest time that is shown of a channel that speaks every few seconds.
    static let shortSpan = 600.0
    /// The longest time that is shown of one that speaks every few minutes.
    static let longSpan = 86_400.0

    private struct Point: Hashable {
        let seconds: Double
        let value: Double?
    }

    private var points: [Point] = []

    /// Adds a reading; nil is one without a value.
    ///
    /// One that is not newer is left out.
    mutating func append(_ value: Double?, at seconds: Double) {
        guard points.last.map({ $0.seconds < seconds }) ?? true else { return }
        if points.count == Self.limit { points.removeFirst() }
        points.append(Point(seconds: seconds, value: value))
    }

    /// Usual time between two readings; nil before there are two.
    private var interval: Double? {
        guard points.count > 1 else { return nil }
        let gaps = zip(points, points.dropFirst()).map { $1.seconds - $0.seconds }.sorted()
        return max(gaps[gaps.count / 2], 0.1)
    }

    /// How much time so many bars show: all there is, as far as it makes sense.
    func span(columns: Int) -> Double {
        guard let first = points.first, let last = points.last, let interval else { return 0 }
        let longest = interval < 30 ? Self.shortSpan : Self.longSpan
        let all = last.seconds - first.seconds + interval
        return min(max(all, interval * Double(columns)), longest)
    }

    /// Returns one bar for each column: the mean of its time, or a blank where no reading came.
    ///
    /// The lowest bar is the least value shown, the highest the greatest; where they are nearly the
    /// same, all are low.
    func bars(columns: Int) -> String {
        let span = span(columns: columns)
        guard columns > 0, span > 0, let last = points.last else { return "" }
        func column(_ seconds: Double) -> Int {
            columns - 1 - Int(max(0, last.seconds - seconds) / span * Double(columns))
        }
        var sums = [(total: Double, count: Int)](repeating: (0, 0), count: columns)
        for (index, point) in points.enumerated() {
            guard let value = point.value else { continue }
            // A value holds until the next one comes, or should have come.
            let due = point.seconds + (interval ?? 0) * 1.5
            let next = index + 1 < points.count ? points[index + 1].seconds : point.seconds
            let from = column(point.seconds)
            let to = max(from, next <= due ? column(next) - 1 : column(due))
            guard to >= 0 else { continue }
            for column in max(from, 0)...to {
                sums[column].total += value
                sums[column].count += 1
            }
        }
        let means = sums.map { $0.count > 0 ? $0.total / Double($0.count) : nil }
        let known = means.compactMap(\.self)
        guard let least = known.min(), let most = known.max() else { return "" }
        let range = max(most - least, max(abs(most), 1) / 50)
        let steps = Array("▁▂▃▄▅▆▇█")
        return String(
            means.map { mean in
                mean.map { steps[min(7, Int(($0 - least) / range * 7.99))] } ?? " "
            }
        )
    }
}
