import Core
import Store
import StoreQueries

/// Means from one day to another, two weeks at most and not older than two weeks.
///
/// A station is in one place, so it is one cluster.
struct FortnightFace: Sendable {
    private static let dayMax = 14

    private let sources: FaceSources

    init(_ sources: FaceSources) { self.sources = sources }

    var face: Face {
        Face(name: .history, places: [Face.Place(path: "") { try await answer($0) }])
    }

    private func answer(_ request: WebRequest) async throws -> WebResponse {
        try request.query.allow(only: sources.isSimulated ? ["start", "end", "now"] : Self.keys)
        let (start, end) = (try Self.day("start", request), try Self.day("end", request))
        guard let start, let end else {
            return Face.refusal("start and end are days such as 23/05/2020")
        }
        let now = try request.query.one("now").flatMap { WallTime(iso8601: $0) }?.wholeSeconds
        let (zone, moment) = (await sources.zone(), now ?? Int(WebClock.system.seconds()))
        if let words = Self.refusal(start, end, today: FriendlyDate(moment, in: zone).day) {
            return Face.refusal(words)
        }
        let range = Self.midnight(start, zone)..<Self.midnight(end + 1, zone)
        let (first, last) = (Self.text(start), Self.text(end))
        let text = try await sources.history.read { history in
            try Self.json(history, range, first, last)
        }
        return .json(text)
    }

    private static let keys: Set = ["start", "end"]

    /// Why there is no answer for these days, counted from 1970-01-01; nil when there is one.
    static func refusal(_ start: Int, _ end: Int, today: Int) -> String? {
        if end < start { return "The end date is before the start date." }
        if end - start > dayMax {
            return "The dates are more than \(dayMax) days apart."
        }
        if today - start > dayMax {
            return "The start date is more than \(dayMax) days ago."
        }
        return nil
    }

    private static func json(
        _ history: OpenHistory,
        _ range: Range<Int>,
        _ start: String,
        _ end: String
    ) throws -> String {
        let channels = try StoreChannel.all(history.reader).filter { !$0.stream.id.isImported }
        let bin = LocalBins.Bin(from: range.lowerBound, to: range.upperBound, label: start)
        var means: [(StoreChannel, ChannelMeans.Mean)] = []
        for channel in channels {
            let found = try ChannelMeans(
                channel,
                history.reader,
                history.times,
                LocalBins(bin),
                from: .minute
            )
            if let mean = found.means.first { means.append((channel, mean)) }
        }
        var json = JSONTextBuilder()
        json.object { json in
            json.member("start", start)
            json.member("end", end)
            json.array("items", means) { json, item in
                let (channel, mean) = item
                json.object { json in
                    json.member("channel", channel.name)
                    json.member("cluster", 0)
                    json.member("unit", channel.quantity.unit)
                    json.member(
                        "mean",
                        mean.bucket.mean.map { channel.number($0) },
                        decimals: channel.decimals + 1
                    )
                    json.member("n", Int(mean.bucket.count))
                    json.member("coverage", mean.coverage, decimals: 3)
                }
            }
        }
        return json.text
    }

    // MARK: Days

    /// Parses a day as `23/05/2020`, to days since 1970-01-01; nil when it is none.
    private static func day(_ key: String, _ request: WebRequest) throws -> Int? {
        try request.query.one(key).flatMap(day)
    }

    static func day(_ text: String) -> Int? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count <= 2, parts[1].count <= 2, parts[2].count == 4,
            let day = UInt8(parts[0]), let month = UInt8(parts[1]), let year = UInt16(parts[2])
        else { return nil }
        func two(_ number: UInt8) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let date = WallTime(iso8601: "\(year)-\(two(month))-\(two(day))T00:00:00Z")
        return date.map { $0.wholeSeconds.flooredDivision(by: 86_400).quotient }
    }

    private static func text(_ day: Int) -> String {
        let date = CivilDate(daysSince1970: day)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(two(date.day))/\(two(date.month))/\(date.year)"
    }

    private static func midnight(_ day: Int, _ zone: Zone) -> Int {
        zone.moments(WallTime(seconds: day * 86_400), "").first.wholeSeconds
    }
}
