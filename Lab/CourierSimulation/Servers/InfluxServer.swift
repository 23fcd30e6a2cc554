import Core
import RoostCourier
import Synchronization

/// InfluxDB of the simulated world: points overwrite by series and time.
///
/// Version 1 writes the good lines of a batch with a bad one, version 2 none of them. Both write
/// the points within the retention, and say how many were not.
final class InfluxServer: SimulatedServer {
    enum Version: Sendable { case one, two }

    private let version: Version
    private let token: String
    private let points = Mutex<[String: [String: String]]>([:])
    /// Age beyond which points are dropped; nil keeps all.
    private let keeps: Duration?
    private let now: @Sendable () -> WallTime

    /// - Parameters:
    ///   - version: 1 or 2.
    ///   - token: Expected content of `Authorization` after its scheme; empty for none.
    ///   - keeps: The retention; nil keeps all.
    ///   - now: The time by the server's clock.
    init(
        _ version: Version,
        token: String = "",
        keeps: Duration? = nil,
        now: @escaping @Sendable () -> WallTime = { WallTime(nanoseconds: 0) }
    ) {
        (self.version, self.token) = (version, token)
        (self.keeps, self.now) = (keeps, now)
    }

    /// Fields of each point, by `series time`.
    var stored: [String: [String: String]] { points.withLock { $0 } }

    func answer(_ request: OutboundRequest) async -> OutboundAnswer {
        let path = request.path
        let isWrite = version == .one ? path == "/write" : path == "/api/v2/write"
        guard request.method == .post, isWrite else {
            return OutboundAnswer(404, text: "404 page not found")
        }
        guard token.isEmpty || request.field("authorization")?.hasSuffix(token) == true else {
            let text = #"{"code":"unauthorized","message":"unauthorized access"}"#
            return OutboundAnswer(401, text: text)
        }
        guard (request.query["precision"] ?? "") == "ms" else {
            return OutboundAnswer(400, text: #"{"error":"invalid precision"}"#)
        }
        let lines = request.text.split(separator: "\n").map(Self.parse)
        guard lines.count <= 5_000 else { return OutboundAnswer(413, text: "too large") }
        if version == .two, lines.contains(where: { $0 == nil }) { return refusal }
        let good = lines.compactMap(\.self)
        let oldest = keeps.map { now().nanoseconds / 1_000_000 - $0.inMilliseconds } ?? .min
        let kept = good.filter { $0.time >= oldest }
        points.withLock { points in
            for line in kept { points[line.key, default: [:]].merge(line.fields) { $1 } }
        }
        if kept.count < good.count { return dropped(good.count - kept.count) }
        return lines.contains { $0 == nil } ? refusal : OutboundAnswer(204)
    }

    /// Makes the answer to dropped points, in the words of version 1.6 or 2.7.
    private func dropped(_ count: Int) -> OutboundAnswer {
        let words =
            version == .one
            ? "partial write: points beyond retention policy dropped=\(count)"
            : "failure writing points to database: partial write: dropped \(count) points outside "
                + "retention policy of duration 2h0m0s"
        let key = version == .one ? "error" : "message"
        let status = version == .one ? 400 : 422
        return OutboundAnswer(
            status,
            ["content-type": "application/json"],
            text: "{\"\(key)\":\"\(words)\"}"
        )
    }

    private var refusal: OutboundAnswer {
        OutboundAnswer(
            400,
            ["content-type": "application/json"],
            text: #"{"error":"unable to parse 'x': missing fields"}"#
        )
    }

    /// Parses the point of a line; nil when it is malformed.
    private static func parse(
        _ line: Substring
    ) -> (key: String, fields: [String: String], time: Int64)? {
        let parts = split(line, at: " ")
        guard parts.count == 3, let time = Int64(parts[2]) else { return nil }
        let series = split(Substring(parts[0]), at: ",")
        let tags = series.dropFirst().map { split(Substring($0), at: "=") }
        guard !series.isEmpty, tags.allSatisfy({ $0.count == 2 && !$0[1].isEmpty }) else {
            return nil
        }
        var fields: [String: String] = [:]
        for field in split(Substring(parts[1]), at: ",") {
            let pair = split(Substring(field), at: "=")
            guard pair.count == 2, pair[1].hasPrefix("\"") || Double(pair[1]) != nil else {
                return nil
            }
            fields[pair[0]] = pair[1]
        }
        return fields.isEmpty ? nil : ("\(parts[0]) \(parts[2])", fields, time)
    }

    /// Splits at marks that are neither escaped nor within quotes; the parts keep their escapes.
    private static func split(_ text: Substring, at mark: Character) -> [String] {
        var parts = [""]
        var (isEscaped, isQuoted) = (false, false)
        for character in text {
            if character == mark, !isEscaped, !isQuoted {
                parts.append("")
                continue
            }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = character == "\\" && !isEscaped
            parts[parts.count - 1].append(character)
        }
        return parts
    }
}

extension Duration {
    fileprivate var inMilliseconds: Int64 {
        components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    }
}
