import Core
import Glibc
import Store

/// Asks a history what the measured peers are asked: the last day raw, the year in 500 points.
///
/// Prints one JSON object; the first round is not counted.
struct QueryBenchmark {
    /// Values of the last 24 h, or steps of a year.
    struct Answer: Equatable {
        var rows = 0
        /// Of all values, so that candidates can be compared, and nothing is left out as unused.
        var sum: Int64 = 0
    }

    private let path: String
    private let rounds: Int
    private let now: () -> Double

    init(path: String, rounds: Int, now: @escaping () -> Double) {
        (self.path, self.rounds, self.now) = (path, rounds, now)
    }

    func run() throws -> String {
        let reader = try HistoryReader(path: path)

        let results = [
            ("day", try measure { try day(reader) }),
            ("year", try measure { try year(reader) }),
            ("dayWithOpening", try measure { try day(HistoryReader(path: path)) }),
            ("yearWithOpening", try measure { try year(HistoryReader(path: path)) }),
        ]
        let fields = results.map { name, result in
            """
            "\(name)": {"milliseconds": \(result.median), "best": \(result.best), \
            "rows": \(result.answer.rows), "sum": \(result.answer.sum)}
            """
        }
        return "{" + fields.joined(separator: ", ") + "}"
    }

    private func measure(
        _ body: () throws -> Answer
    ) throws -> (median: Double, best: Double, answer: Answer) {
        let answer = try body()
        var times: [Double] = []
        for _ in 0..<rounds {
            let start = now()
            let again = try body()
            times.append((now() - start) * 1_000)
            precondition(again == answer, "the answer changed")
        }
        times.sort()
        return (times[times.count / 2], times[0], answer)
    }

    /// Every sample of the last 24 h, both channels.
    private func day(_ reader: HistoryReader) throws -> Answer {
        guard let stream = try reader.streams().first else { return Answer() }
        guard let whole = try StreamExtents(reader).spans(of: stream.id).last else {
            return Answer()
        }
        let from = max(whole.from, Tick(tenths: whole.to.tenths - 864_000))
        let span = HistorySpan(boot: whole.boot, from: from, to: whole.to)
        let samples = try RawSamples(reader, stream.id, [span])
        var (answer, rows) = (Answer(), SegmentRows())
        while let piece = try samples.nextRows(into: &rows) {
            answer.rows += piece.range.count
            let values = rows.mantissas
            for index in 2 * piece.range.lowerBound..<2 * piece.range.upperBound {
                answer.sum &+= values[index]
            }
        }
        return answer
    }

    /// PM2.5 of all that is kept, in at most 500 steps: least, mean and most of each.
    private func year(_ reader: HistoryReader) throws -> Answer {
        guard let stream = try reader.streams().first else { return Answer() }
        let axis = HistoryAxis(try StreamExtents(reader).spans(of: stream.id), points: 500)
        var answer = Answer()
        for point in try HistorySeries(reader).points(stream.id, channel: 0, along: axis) {
            answer.rows += 1
            answer.sum &+= point.bucket.sum
        }
        return answer
    }
}
