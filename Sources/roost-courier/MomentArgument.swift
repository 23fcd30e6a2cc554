import ArgumentParser
import RoostCourier
import StoreQueries

/// An argument with a date and time; one without a zone is in this machine's time zone.
struct MomentArgument: ExpressibleByArgument {
    private let moment: MomentText

    init?(argument: String) {
        guard let moment = MomentText(argument, in: .system) else { return nil }
        self.moment = moment
    }

    /// The moment in UTC, ISO 8601.
    var text: String { moment.text }

    /// Explanation of a local time that a clock change skips or repeats; nil for any other.
    var note: String? { moment.note }
}
