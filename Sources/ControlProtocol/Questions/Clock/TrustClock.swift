import Core

/// Confirms the time; it needs a shell on the station.
package struct TrustClock: Question {
    package typealias Answer = ClockReport
    package static let about = QuestionFacts(
        "trustClock",
        for: .people,
        "Confirms that the system clock is right, or says what time it is."
    )
    /// The time, ISO 8601; nil uses the system clock.
    package var time: String?

    package init(_ time: String? = nil) { self.time = time }

    package func check() throws(ControlFailure) {
        if let time, WallTime(iso8601: time) == nil { throw OfferTime.noTime }
    }
}

package struct OfferTime: Question {
    package typealias Answer = ClockReport
    package static let about = QuestionFacts(
        "offerTime",
        for: .peopleAndDashboard,
        "Time by the clock of an owner's browser; it counts while nothing better is known."
    )
    /// The time, ISO 8601.
    package let time: String

    package init(_ time: String) { self.time = time }

    package func check() throws(ControlFailure) {
        if WallTime(iso8601: time) == nil { throw Self.noTime }
    }

    package static let noTime = ControlFailure.badRequest("time is as in 2026-11-21T07:15:00Z")
}
