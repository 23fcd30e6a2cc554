/// Asks for records that the history's file does not have yet.
///
/// From a follower's position: the records after it. Its answer waits up to `waitSeconds` for
/// `samples`; an alert, a motion, or an event from `warning` on, is answered at once.
package struct GetTail: Question {
    package static let waitMax = 600.0
    /// Records that the station keeps in memory for followers, at most.
    package static let recordMax = 2_048

    package typealias Answer = TailReport
    package static let about = QuestionFacts(
        "tail",
        for: .readers,
        "Records that the history's file does not have yet, or those after a position."
    )
    /// `next` of the page before, or `end`; nil asks for the first page.
    package var from: String?
    /// A follower's records at most, the oldest, 1…2 048; nil is 500.
    package var limit: Int?
    /// How long a follower's answer may take, 0…600 s; nil answers at once.
    package var waitSeconds: Double?
    /// Which samples are worth a follower's answer; nil is the first.
    package var samples: TailCondition?

    package init(
        from: String? = nil,
        limit: Int? = nil,
        waitSeconds: Double? = nil,
        samples: TailCondition? = nil
    ) {
        (self.from, self.limit) = (from, limit)
        (self.waitSeconds, self.samples) = (waitSeconds, samples)
    }

    package func check() throws(ControlFailure) {
        guard (0...Self.waitMax).contains(waitSeconds ?? 0) else {
            throw .badRequest("waitSeconds is 0 to \(Self.waitMax)")
        }
        guard let samples else { return }
        guard (1...Self.recordMax).contains(samples.atLeast),
            (0...86_400).contains(samples.orAfterSeconds ?? 0)
        else {
            throw .badRequest(
                "samples.atLeast is 1 to \(Self.recordMax), the most that the station keeps in "
                    + "memory, and samples.orAfterSeconds 0 to 86 400"
            )
        }
    }
}
