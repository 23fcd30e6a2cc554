import ArgumentParser
import RoostCourier
import StoreQueries

/// Argument with a moment; without a zone it is on this machine's clocks.
struct MomentArgument: ExpressibleByArgument {
    private let moment: MomentText

    init?(argument: String) {
        guard let moment = MomentText(argument, in: .system) else { return nil }
        self.moment = moment
    }

    /// The moment in UTC, ISO 8601.
    var text: String { moment.text }

    /// Explanation of a time within a change of the clocks; nil elsewhere.
    var note: String? { moment.note }
}
