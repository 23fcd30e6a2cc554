import ControlProtocol
import Core

/// Reasons why the newest motions have no picture, by the motion's time, for the page of records.
///
/// Bound: `EyesReport.Lack.limit`; the oldest goes. A motion without a sure time is left out.
package struct MissedPictures: Sendable {
    package private(set) var all: [EyesReport.Lack] = []

    package init() {}

    package mutating func add(
        _ motion: SeenMotion,
        _ reason: EyesReport.Lack.Reason,
        _ words: String? = nil
    ) {
        guard let time = motion.time else { return }
        if all.count == EyesReport.Lack.limit { all.removeFirst() }
        all.append(
            EyesReport.Lack(
                source: motion.source,
                time: time.nanoseconds,
                reason: reason,
                words: words
            )
        )
    }
}
