import ControlProtocol
import Core
import Store

/// A service whose values the courier fetches.
package enum FeedKind: Hashable, Sendable {
    /// PSI and PM2.5 of Singapore's regions; names of its publications: `psi`, `pm25`.
    case singapore(data: [String])
    /// Values of single sensors in Lombardy, by `idsensore`.
    case arpa(sensors: [ARPASensor], token: SecretName?)
    /// Channels of another station's dashboard; `name` is the source of its values.
    case peer(name: String, channels: [String], token: SecretName?)

    private static let registry = "/resource/ib47-atvt.json"

    package static let names = ["data.gov.sg", "arpa-lombardia", "peer"]

    /// Name of the type in the configuration.
    package var name: String {
        switch self {
        case .singapore: "data.gov.sg"
        case .arpa: "arpa-lombardia"
        case .peer: "peer"
        }
    }

    /// URL of the service, unless the configuration gives another.
    var standardURL: String? {
        switch self {
        case .singapore: "https://api-open.data.gov.sg"
        case .arpa: "https://www.dati.lombardia.it"
        case .peer: nil
        }
    }

    /// Prefix of the source's device names at the station, before a colon.
    var source: String {
        switch self {
        case .singapore: SingaporeRows.source
        case .arpa: ARPARows.source
        case .peer(let name, _, _): name
        }
    }

    /// Whether a request names one whole day, or no time at all for the newest values.
    ///
    /// The other kinds of source name the begin of a time range.
    var asksByDay: Bool { if case .singapore = self { true } else { false } }

    /// Parts that are fetched independently; empty where only another station's status is wanted.
    package var parts: [FeedPart] {
        switch self {
        case .singapore(let data): data.map { .publication($0) }
        case .arpa(let sensors, _): [.sensors(sensors)]
        case .peer(_, let channels, _): channels.map { .channel($0) }
        }
    }

    /// Time without new values that is normal for the source: a few of its own intervals.
    var silenceLimit: Duration {
        switch self {
        case .singapore: .seconds(3 * 3_600)
        // Lombardy publishes the hours of a day on the next.
        case .arpa: .seconds(2 * 86_400)
        case .peer: .seconds(86_400)
        }
    }

    var secrets: [SecretName] {
        switch self {
        case .singapore: []
        case .arpa(_, let token), .peer(_, _, let token): token.map { [$0] } ?? []
        }
    }

    /// How far back each request reaches, since the services correct earlier values.
    private static let reach: Duration = .seconds(3 * 86_400)
    /// How far back a request reaches at most after an outage; earlier days are counted as missed.
    private static let reachMax: Duration = .seconds(14 * 86_400)
    /// The same limit for Singapore, in days: 16 requests, and 2 000 new values an hour.
    private static let singaporeDays = 7
    private static let peerReach: Duration = .seconds(86_400)
    private static let peerOverlap: Duration = .seconds(7_200)
    /// Rows in one page.
    private static let (arpaRowCount, peerRowCount) = (2_000, 500)

    /// Returns the paths of the first pages to ask for, of all parts.
    package func paths(at now: WallTime?, since last: WallTime?) -> [String] {
        parts.flatMap { paths(of: $0, at: now, since: last) }
    }

    /// Returns the paths of the first pages to ask for, to be appended to `standardURL`.
    ///
    /// - Parameters:
    ///   - now: nil while the time is not known; Singapore then says what is newest.
    ///   - last: Time up to which its values are there; nil for none.
    /// - Returns: None while the service cannot be asked without the time.
    package func paths(
        of part: FeedPart,
        at now: WallTime?,
        since last: WallTime?
    ) -> [String] {
        switch part {
        case .publication(let name):
            let path = "/v2/real-time/api/\(name)"
            guard let now else { return [path] }
            // Oldest first: what comes after newer values would look like a correction.
            let days = Self.days(at: now, since: last).suffix(Self.singaporeDays + 1)
            return days.map { "\(path)?date=\($0)" }
        case .sensors(let sensors):
            guard let now else { return [] }
            let since = min(last ?? now, now).advanced(by: .zero - Self.reach)
            let first = max(since, now.advanced(by: .zero - Self.reachMax))
            // Lombardy's times are solar time (UTC+1), in summer too.
            let from = first.advanced(by: .seconds(3_600)).iso8601.prefix(10)
            let ids = sensors.map { "'\($0.id)'" }.joined(separator: ",")
            let wanted = "idsensore in(\(ids)) and data >= '\(from)T00:00:00'"
            // Sorted by sensor too: pages without a total order may miss rows.
            return [
                "/resource/nicp-bhqi.json?$where=\(URLText.encoded(wanted))"
                    + "&$order=data,idsensore&$limit=\(Self.arpaRowCount)"
            ]
        case .channel(let channel):
            guard let now else { return [] }
            // A sample of another station with a future date says nothing about the time before.
            let since =
                last.map { min($0, now).advanced(by: .zero - Self.peerOverlap) }
                ?? now.advanced(by: .zero - Self.peerReach)
            let from = max(since, now.advanced(by: .zero - Self.reachMax))
            return [
                "/api/v1/readings?channel=\(URLText.encoded(channel))"
                    + "&from=\(URLText.encoded(from.iso8601))&limit=\(Self.peerRowCount)"
            ]
        }
    }

    /// Counts the days that lie too far back to be asked for after an outage.
    package func missedDays(at now: WallTime, since last: WallTime) -> Int {
        switch self {
        case .singapore: max(0, Self.days(at: now, since: last).count - Self.singaporeDays - 1)
        case .arpa:
            max(
                0,
                Self.wholeDays(
                    .milliseconds((now.tenths - last.tenths) * 100) - Self.reachMax
                        + Self.reach
                )
            )
        case .peer:
            max(0, Self.wholeDays(.milliseconds((now.tenths - last.tenths) * 100) - Self.reachMax))
        }
    }

    private static func wholeDays(_ length: Duration) -> Int {
        Int(length.components.seconds / 86_400)
    }

    /// Returns Singapore's days from the last answer on.
    ///
    /// Until two in the morning the day before belongs to them: it may still be corrected.
    private static func days(at now: WallTime, since last: WallTime?) -> [String] {
        let newest = now.advanced(by: .seconds(8 * 3_600))
        var day = min(last ?? now, now).advanced(by: .seconds(6 * 3_600))
        var days: [String] = []
        let end = String(newest.iso8601.prefix(10))
        // A clock that was moved by years has no missed days.
        while days.count < 400 {
            let date = String(day.iso8601.prefix(10))
            days.append(date)
            if date >= end { break }
            day = day.advanced(by: .seconds(86_400))
        }
        return days
    }

    /// Path of the request for the places of the source's stations; nil where there is none.
    var registryPath: String? {
        guard case .arpa(let sensors, _) = self else { return nil }
        let ids = sensors.map { "'\($0.id)'" }.joined(separator: ",")
        let wanted = URLText.encoded("idsensore in(\(ids))")
        return "\(Self.registry)?$where=\(wanted)&$order=idsensore&$limit=\(sensors.count)"
    }

    /// Returns the path of the page that follows another.
    package func path(_ path: String, continuedBy next: String) -> String {
        let key =
            switch self {
            case .singapore: "paginationToken"
            case .arpa: Self.offsetKey
            case .peer: "cursor"
            }
        return "\(path)\(path.contains("?") ? "&" : "?")\(key)=\(URLText.encoded(next))"
    }

    private static let offsetKey = "$offset"

    /// Returns how many rows came before a page of Lombardy.
    private static func offset(of path: String) -> Int {
        path.ranges(of: "&\(offsetKey)=").last.flatMap { Int(path[$0.upperBound...]) } ?? 0
    }

    /// Parses an answer.
    ///
    /// - Parameters:
    ///   - bytes: The body as it came.
    ///   - part: The part that was asked for; nil for the registry.
    /// - Returns: The rows of the answer.
    package func decode(
        _ bytes: [UInt8],
        of path: String,
        _ part: FeedPart?
    ) throws(FeedFault) -> FeedRows {
        switch (self, part) {
        case (.arpa(let sensors, _), nil): try ARPASensor.places(bytes, for: sensors)
        case (.arpa(let sensors, _), _):
            try ARPARows.decode(
                bytes,
                Dictionary(sensors.map { ($0.id, $0) }) { first, _ in first },
                from: Self.offset(of: path),
                pageSize: Self.arpaRowCount
            )
        case (.peer(let name, _, _), _):
            try PeerRows.decode(bytes, from: name, of: part?.name ?? "")
        case (.singapore, _): try SingaporeRows.decode(bytes)
        }
    }
}

/// Splits rows into requests of `imports`, by time; rows of one time stay together if they fit.
///
/// Quantities that arrive together share a stream of the history, so they stay together.
enum FeedBatches {
    static func split(_ rows: [ImportRow]) -> [[ImportRow]] {
        let sorted = rows.enumerated().sorted {
            ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
        }
        var (batches, batch, moment) = ([[ImportRow]](), [ImportRow](), [ImportRow]())
        func close() {
            if batch.count + moment.count > ImportRow.countMax, !batch.isEmpty {
                batches.append(batch)
                batch = []
            }
            batch += moment
            while batch.count > ImportRow.countMax {
                batches.append(Array(batch.prefix(ImportRow.countMax)))
                batch = Array(batch.dropFirst(ImportRow.countMax))
            }
            moment = []
        }
        for (_, row) in sorted {
            if let last = moment.last, last.time != row.time { close() }
            moment.append(row)
        }
        close()
        return batch.isEmpty ? batches : batches + [batch]
    }
}
