import ControlProtocol
import Core
import Store

/// Notes that people wrote, newest first: the answer of `/notes`.
package struct NotesReport: Codable, Hashable, Sendable {
    /// Notes that are searched at most; the newest ones.
    private static let readMax = 2_000

    package struct Note: Codable, Hashable, Sendable {
        package let id: String
        /// Where its author put it, else when it was written; ISO 8601.
        package let at: String?
        package let text: String?
        package let author: String?
        package let channel: String?
    }

    package var items: [Note]

    /// - Parameter range: Of the notes; one without a time is in every range.
    /// - Throws: `StoreError.database`.
    package init(_ reader: HistoryReader, _ times: StoreTimes, _ range: TimeRange) throws {
        var filter = EventFilter()
        filter.kinds = ["note"]
        let page = try StoreEvents(reader, times, filter, after: nil, limit: Self.readMax)
        items = page.items.compactMap { item in
            func detail(_ key: String) -> String? {
                item.event.details.first { $0.key == key }?.value
            }
            let wall = detail("at").flatMap { WallTime(iso8601: $0) } ?? item.time?.wall
            if let wall, !range.contains(wall) { return nil }
            return Note(
                id: item.id.description,
                at: wall?.iso8601,
                text: detail("text"),
                author: detail("author"),
                channel: detail("channel")
            )
        }
    }
}

/// Surveys, newest first: the answer of `/surveys`.
package struct SurveysReport: Codable, Hashable, Sendable {
    package struct Survey: Codable, Hashable, Sendable {
        package let name: String
        /// ISO 8601; nil while nothing dates it.
        package let from: String?
        /// ISO 8601; nil while it goes on.
        package let to: String?
        /// Whether it is kept from uploads.
        package let isPrivate: Bool
    }

    package let items: [Survey]

    /// - Throws: `StoreError.database`.
    package init(_ reader: HistoryReader, _ times: StoreTimes) throws {
        items = try StoredSurvey.all(reader, times).reversed().map { survey in
            Survey(
                name: survey.name,
                from: survey.range.from?.iso8601,
                to: survey.range.to?.iso8601,
                isPrivate: survey.isPrivate
            )
        }
    }
}
