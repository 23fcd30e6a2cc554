import Core
import HardwareIO
import Profiles
import Store

/// Reads the values on a server by InfluxQL, which all three versions answer at `/query`.
struct InfluxReader: Sendable {
    /// Request up to its `q=`, with the log-in.
    let request: OutboundRequest
    let format: LineProtocol

    /// Counts and sums values as `ProvableTarget.holdings` does.
    func holdings(
        of device: String,
        _ quantities: [String],
        in range: Range<WallTime>,
        over network: any CourierNetwork
    ) async throws -> [ValueSum]? {
        let fields = quantities.map { name in
            let field = Self.quoted(name, with: "\"")
            return "count(\(field)),sum(\(field))"
        }
        let tags = (format.tags.map { ($0, $1) } + [("device", device)]).sorted { $0.0 < $1.0 }
            .map { "\(Self.quoted($0, with: "\""))=\(Self.quoted($1, with: "'"))" }
        let (from, to) = (range.lowerBound.nanoseconds, range.upperBound.nanoseconds)
        let query =
            "SELECT \(fields.joined(separator: ",")) FROM "
            + "\(Self.quoted(format.measurement, with: "\"")) WHERE "
            + tags.joined(separator: " AND ") + " AND time >= \(from) AND time < \(to)"
        let answer = try await network.exchange(question(query))
        guard answer.isSuccess, !answer.isHTML, let json = WireJSON.parse(answer.body),
            case .array(let results)? = json["results"], let result = results.first,
            result["error"] == nil
        else { return nil }
        guard case .array(let series)? = result["series"], let first = series.first else {
            // The server understood the question and has no values.
            return quantities.map { _ in ValueSum() }
        }
        guard case .array(let rows)? = first["values"], case .array(let row)? = rows.first,
            row.count == 1 + 2 * quantities.count
        else { return nil }
        return quantities.indices.map { index in
            let count = Self.number(row[1 + 2 * index]) ?? 0
            return ValueSum(count: Int(count), sum: Self.number(row[2 + 2 * index]) ?? 0)
        }
    }

    private func question(_ query: String) -> OutboundRequest {
        var question = request
        question.url = "\(request.url)&q=\(URLText.encoded(query))"
        return question
    }

    private static func number(_ value: JSONValue) -> Double? {
        guard case .number(let number) = value else { return nil }
        return number
    }

    /// Quotes a text for InfluxQL: names in double quotes, texts in single ones.
    private static func quoted(_ text: String, with quote: Character) -> String {
        var out = "\(quote)"
        for letter in text {
            if letter == quote || letter == "\\" { out += "\\" }
            out.append(letter)
        }
        return out + "\(quote)"
    }
}
