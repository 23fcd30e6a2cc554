import Profiles
import Store

/// Answers of servers that wrote only a part of a batch.
///
/// - InfluxDB 1 and 2 write what is within the retention and answer 400 or 422: *partial write:
///   points beyond retention policy dropped=N*, newer ones *dropped N points outside retention
///   policy of duration …*. The N are the oldest: either drops what lies before one moment. Another
///   fault of the same batch replaces this message, and is looked for by halves.
/// - InfluxDB 3 refuses nothing for its age, it shows it no more; it answers 400 and names each
///   line that it did not write, 100 at most. Where that is each line, nothing was written.
///
/// - Source: influxdata/influxdb, `coordinator/points_writer.go` (1 and 2), as InfluxDB 1.6.7
///   answers it; InfluxData, *Use the v3 write_lp API*, *Troubleshoot issues writing data*.
enum InfluxPartialWrite {
    private static let lineLimit = 100

    /// - Returns: nil where the answer does not say which samples were written.
    static func outcome(_ answer: OutboundAnswer, of samples: [OutboxSample]) -> DeliveryOutcome? {
        guard [400, 422].contains(answer.status), !answer.isHTML,
            answer.text.contains("partial write")
        else { return nil }
        return byAge(answer, samples) ?? byLines(answer, samples)
    }

    private static func byAge(
        _ answer: OutboundAnswer,
        _ samples: [OutboxSample]
    ) -> DeliveryOutcome? {
        let text = answer.text
        // Samples too far in the future are not refused for their age.
        guard text.contains("retention policy"), !text.contains("Upper Bound"),
            let count = number(after: "dropped=", in: text) ?? number(after: "dropped ", in: text),
            (1...samples.count).contains(count)
        else { return nil }
        let byTime = samples.indices.sorted { left, right in
            let times = (samples[left].time, samples[right].time)
            guard let first = times.0, let second = times.1 else { return false }
            return (first, left) < (second, right)
        }
        return .partly(refused: byTime.prefix(count).sorted(), .tooOld(answer.excerpt))
    }

    private static func byLines(
        _ answer: OutboundAnswer,
        _ samples: [OutboxSample]
    ) -> DeliveryOutcome? {
        guard let lines = WireJSON.parse(answer.body)?["data"]?.elements,
            (1..<lineLimit).contains(lines.count), let first = lines.first
        else { return nil }
        let numbers = Set(lines.compactMap { $0["line_number"]?.integer })
        guard numbers.count == lines.count, numbers.allSatisfy({ 1...samples.count ~= $0 }) else {
            return nil
        }
        let words = first["error_message"]?.string ?? answer.excerpt
        let reason = DeliveryReason("status-\(answer.status)", words)
        guard numbers.count < samples.count else { return .refused(reason) }
        return .partly(refused: numbers.map { $0 - 1 }.sorted(), reason)
    }

    private static func number(after mark: String, in text: String) -> Int? {
        guard let start = text.firstRange(of: mark)?.upperBound else { return nil }
        return Int(text[start...].prefix { $0.isASCII && $0.isNumber })
    }
}
