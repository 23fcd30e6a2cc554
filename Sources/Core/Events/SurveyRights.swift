/// Whether what a survey measures may leave the station.
package enum SurveyRights: Hashable, Sendable {
    case open
    /// Its owner keeps it from uploads.
    case kept

    private static let key = "upload"

    /// Reads the rights from the event of a survey's beginning.
    ///
    /// A word that is not known keeps it: what has left does not come back.
    package init(_ event: Event) {
        switch event[Self.key] {
        case nil, "yes": self = .open
        case .some: self = .kept
        }
    }

    /// Details for the event of a survey's beginning.
    package var details: [Event.Detail] {
        switch self {
        case .open: []
        case .kept: [Event.Detail(Self.key, "no")]
        }
    }
}
