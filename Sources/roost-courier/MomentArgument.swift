import ArgumentParser
import RoostCourier
import StoreQueries

/// A moment, on this machine's clocks where it names no zone.
struct MomentArgument: ExpressibleByArgument {
    private let moment: MomentText

    init?(argument: String) {
        guard let moment = MomentText(argument, in: .system) else { return nil }
        self.moment = moment
    }

    /// In UTC, ISO 8601.
    var text: String { moment.text }

    /// Explanation of a time within a change of the clocks; nil elsewhere.
    var note: String? { moment.note }
}
