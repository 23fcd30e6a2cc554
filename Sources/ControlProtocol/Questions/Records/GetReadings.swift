package struct GetReadings: Question {
    package typealias Answer = ReadingsReport
    package static let about = QuestionFacts(
        "readings",
        for: .peopleAndDashboard,
        "A page of the readings of the last hours."
    )
    /// How far back, > 0 s; nil is everything kept.
    package var lastSeconds: Double?
    /// At most this many, the newest, 1…10 000.
    package var limit: Int?
    /// `next` of the page before; nil asks for the first.
    package var from: String?

    package init(lastSeconds: Double? = nil, limit: Int? = nil, from: String? = nil) {
        self.lastSeconds = lastSeconds
        self.limit = limit
        self.from = from
    }
}

package struct GetEvents: Question {
    package typealias Answer = EventsReport
    package static let about = QuestionFacts(
        "events",
        for: .readers,
        "A page of the events of the last hours."
    )
    /// How far back, > 0 s; nil is everything kept.
    package var lastSeconds: Double?
    /// At most this many, the newest, 1…10 000.
    package var limit: Int?
    /// `next` of the page before; nil asks for the first.
    package var from: String?

    package init(lastSeconds: Double? = nil, limit: Int? = nil, from: String? = nil) {
        self.lastSeconds = lastSeconds
        self.limit = limit
        self.from = from
    }
}
