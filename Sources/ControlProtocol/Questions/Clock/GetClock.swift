import HardwareIO

package struct GetClock: Question {
    package typealias Answer = ClockReport
    package static let about = QuestionFacts(
        "clock",
        for: .readers.union([.camera]),
        "The station's time, and how far it can be trusted."
    )

    package init() {}
}
