import Core
import HTTPTypes
import Store
import StoreQueries

/// The parameters of an export request.
struct ExportQuestion: Sendable {
    static let query =
        [
            QueryKey.list("channel"), .choice("format", of: TextFormat.self), QueryKey("survey"),
            QueryKey("without"),
        ] + QueryKey.range
    /// Channels that one export may name.
    private static let channelMax = 16

    let format: TextFormat
    /// Names of the channels; empty for all.
    let names: [String]
    /// Values with one of these flags are left out.
    let without: Quality
    private let survey: String?
    private let query: HistoryQuery
    /// Tag of an answer that the client wants the rest of; nil for a new export.
    let known: ExportTag?

    /// Reads a request.
    ///
    /// - Throws: `Problem`.
    init(_ request: WebRequest) throws {
        query = HistoryQuery(request)
        format = try Self.format(request.query)
        let hasChannels = request.query.keys.contains("channel")
        names = hasChannels ? try query.channels(atMost: Self.channelMax) : []
        without = try Self.flags(request.query)
        survey = try request.query.one("survey")
        if survey != nil, query.hasRange {
            throw Problem.badRequest("survey, or from, to and last, not both")
        }
        known = request.headers[.ifRange].flatMap { ExportTag($0) }
    }

    /// Returns the range; it has an end if it has a beginning or a present is known.
    ///
    /// - Throws: `Problem` `not-found` for a survey that is not there.
    func range(_ history: OpenHistory) throws -> TimeRange {
        if let survey {
            guard let found = try StoredSurvey.newest(named: survey, history.reader, history.times)
            else {
                throw Problem.notFound("there is no survey \(survey.prefix(60))")
            }
            return TimeRange(from: found.range.from, to: found.range.to ?? present(history))
        }
        var range = try query.range(history, standard: nil, now: present(history))
        // Samples that arrive while it is sent belong to the next export.
        if range.from != nil || range.to != nil { range.to = range.to ?? present(history) }
        return range
    }

    /// End of the resumed export without a range; nil for a new one.
    var end: ExportTag.Position? {
        guard case .position(let position)? = known?.end else { return nil }
        return position
    }

    private func present(_ history: OpenHistory) -> WallTime? {
        guard case .wall(let tenths)? = known?.end else { return history.now }
        return WallTime(tenths: tenths)
    }

    private static func format(_ query: WebQuery) throws -> TextFormat {
        guard let text = try query.one("format") else { return .csv }
        guard let format = TextFormat(rawValue: text) else {
            let known = TextFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem.outOfRange("format", "format is one of \(known), not \(text.prefix(40))")
        }
        return format
    }

    /// `without=humid,jump`, or the key several times.
    private static func flags(_ query: WebQuery) throws -> Quality {
        var flags: Quality = []
        for name in query.all("without").flatMap({ $0.split(separator: ",") }) {
            guard let flag = Quality(named: String(name)) else {
                let names = Quality.everyName.joined(separator: ", ")
                throw Problem.outOfRange(
                    "without",
                    "without takes \(names), not \(name.prefix(40))"
                )
            }
            flags.formUnion(flag)
        }
        return flags
    }
}
