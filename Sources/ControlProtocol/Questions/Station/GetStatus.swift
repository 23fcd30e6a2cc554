package struct GetStatus: Question {
    package typealias Answer = StatusReport
    package static let about = QuestionFacts("status", for: .readers, "How the station is now.")

    package init() {}
}

package struct GetTree: Question {
    package typealias Answer = TreeReport
    package static let about = QuestionFacts(
        "tree",
        for: .peopleAndDashboard,
        "The supervision tree."
    )

    package init() {}
}
