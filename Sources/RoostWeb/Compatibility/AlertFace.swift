import Core
import HTTPTypes
import Store
import StoreQueries

/// Says whether a file that a client has not seen yet has a value above the limits.
///
/// The newest file grows: its rows are judged as they come, each once for a client. What a client
/// has seen moves by its own questions alone, not by those that a page makes a browser ask.
struct AlertFace: Sendable {
    /// Names of files in an answer, at most; the newest.
    private static let seenMax = 1_000
    /// Length of new record, a day, from which rollups decide which files are worth reading.
    private static let rollupSeconds = 86_400

    private let cache: PeriodFileCache
    private let cursors: AlertCursors

    init(_ sources: FaceSources, _ cache: PeriodFileCache) {
        self.cache = cache
        cursors = AlertCursors(sources.database, sources.logger)
    }

    var face: Face {
        Face(name: .alert, places: [Face.Place(path: "") { try await answer($0) }])
    }

    private struct Answer {
        var alert: LastExceedanceFinder.Alert?
        var seen: [String] = []
        var hasSkipped = false
    }

    private func answer(_ request: WebRequest) async throws -> WebResponse {
        try request.query.allow(only: ["client"])
        let client = try request.query.one("client") ?? ""
        guard client.utf8.count <= 64 else {
            throw Problem.outOfRange("client", "a client's name has at most 64 bytes")
        }
        try await cursors.load()
        let (cursors, isRemembered) = (cursors, !request.isFromBrowser)
        let text = try await cache.read { files, history in
            var answer = Answer()
            // On the history's thread: two questions of a client come one after the other.
            if let files {
                var cursor = cursors[client] ?? AlertCursor(judgedTo: files.origin)
                // A clock that was ahead must not silence the client until the day it showed.
                cursor.judgedTo = min(cursor.judgedTo, files.end)
                let list = files.files(.hourly)
                answer.hasSkipped = cursor.hasSkipped || list.contains { $0.isSeen(cursor) }
                answer.alert = try Self.lastExceedance(list, cursor, files, history)
                answer.seen = list.suffix(Self.seenMax).map { "hourly/" + $0.name }
                guard isRemembered else { return Self.json(answer) }
                cursors.remember(
                    client,
                    AlertCursor(
                        judgedTo: files.end,
                        completeTo: list.last { $0.isComplete }?.range.upperBound ?? files.origin,
                        hasSkipped: answer.hasSkipped
                    )
                )
            }
            return Self.json(answer)
        }
        if isRemembered { await cursors.save(client) }
        return .json(text)
    }

    /// The last row above a limit, in the order of the files' names.
    private static func lastExceedance(
        _ list: [PeriodFiles.File],
        _ cursor: AlertCursor,
        _ files: PeriodFiles,
        _ history: OpenHistory
    ) throws -> LastExceedanceFinder.Alert? {
        var waiting = list.filter { $0.range.upperBound > cursor.judgedTo }
        guard let first = waiting.first, let last = waiting.last else { return nil }
        if last.range.upperBound - first.range.lowerBound > rollupSeconds {
            let range = first.range.lowerBound..<last.range.upperBound
            let quarters = try suspicious(range, files, history)
            waiting = waiting.filter { quarters.overlaps($0.range) }
        }
        for file in waiting.sorted(by: { $0.name > $1.name }) {
            var finder = LastExceedanceFinder()
            let range = max(file.range.lowerBound, cursor.judgedTo)..<file.range.upperBound
            try files.each(range, history.reader) { finder.append($0) }
            if let found = finder.last(time: files.time) { return found }
        }
        return nil
    }

    /// The quarter hours in which a value may be above its limit.
    private static func suspicious(
        _ range: Range<Int>,
        _ files: PeriodFiles,
        _ history: OpenHistory
    ) throws -> QuarterHours {
        var quarters = QuarterHours()
        let pairs = files.pairs
        let spans = pairs.spans(from: range.lowerBound, to: range.upperBound)
        let series = HistorySeries(history.reader)
        let channels = pairs.channels
        for (channel, limit) in [
            (channels.pm25, LastExceedanceFinder.limits.pm25),
            (channels.pm10, LastExceedanceFinder.limits.pm10),
        ] {
            let least = limit * pairs.stream.quantities[channel].scale
            try series.eachBucket(pairs.stream.id, channel: channel, spans, of: .quarterHour) {
                boot,
                tick,
                bucket in
                guard bucket.count > 0, Double(bucket.maximum) >= least,
                    let wall = history.times.clock.time(boot, tick)?.wall
                else { return }
                quarters.insert(wall.wholeSeconds)
            }
        }
        return quarters
    }

    /// As Flask writes it: keys in order, no spaces, a line's end.
    private static func json(_ answer: Answer) -> String {
        let alert = answer.alert
        var json = JSONTextBuilder()
        json.object { json in
            json.member("alert", alert != nil)
            json.array("files_seen", answer.seen) { $0.add($1) }
            json.member("pollutant", alert?.pollutant ?? "")
            json.member("prev_files_skipped", answer.hasSkipped)
            json.member("time", alert?.time ?? "")
            json.member("value", json: CSVWriter.pythonWords(alert?.value ?? 0))
        }
        return json.text + "\n"
    }
}

extension PeriodFiles.File {
    /// Whether a client has seen any of it.
    fileprivate func isSeen(_ cursor: AlertCursor) -> Bool { range.lowerBound < cursor.judgedTo }
}

extension Quantity {
    fileprivate var scale: Double { (0..<decimals).reduce(1) { scale, _ in scale * 10 } }
}

/// Quarter hours by the wall clock, each with one on either side: buckets begin at ticks of a boot.
private struct QuarterHours {
    private var places: Set<Int> = []

    mutating func insert(_ second: Int) {
        let place = second.flooredDivision(by: 900).quotient
        places.insert(place)
        places.insert(place + 1)
    }

    func overlaps(_ range: Range<Int>) -> Bool {
        let first = range.lowerBound.flooredDivision(by: 900).quotient
        let last = (range.upperBound - 1).flooredDivision(by: 900).quotient
        return (first...last).contains { places.contains($0) }
    }
}
