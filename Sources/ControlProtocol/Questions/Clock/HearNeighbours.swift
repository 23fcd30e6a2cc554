package struct HearNeighbours: Question {
    package typealias Answer = ClockReport
    package static let about = QuestionFacts(
        "hearNeighbours",
        for: .courier,
        "Weighs the times that stations nearby say."
    )
    /// 0…16.
    package let neighbours: [NeighbourTime]

    package init(_ neighbours: [NeighbourTime]) { self.neighbours = neighbours }

    package func check() throws(ControlFailure) {
        let (count, most) = (neighbours.count, NeighbourTime.countMax)
        if count > most { throw .badRequest("there are \(count) neighbours; \(most) at most") }
    }
}
