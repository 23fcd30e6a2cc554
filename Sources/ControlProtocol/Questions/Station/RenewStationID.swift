/// Makes another id for a station that was made of another one's card; it needs a shell there.
package struct RenewStationID: Question {
    package typealias Answer = StatusReport
    package static let about = QuestionFacts(
        "newStationID",
        for: .people,
        "Makes another id for the station."
    )

    package init() {}
}
