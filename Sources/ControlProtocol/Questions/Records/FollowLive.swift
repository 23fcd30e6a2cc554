import HardwareIO

/// Asks for a stream: one `LiveItem` a line until either side closes.
package struct FollowLive: Question {
    package typealias Answer = LiveItem
    package static let about = QuestionFacts(
        "live",
        for: .peopleAndDashboard.union([.camera]),
        "A stream of readings and events as they come."
    )

    package init() {}
}
