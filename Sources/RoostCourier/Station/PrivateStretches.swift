import Core

/// Stretches of time in which the owner keeps surveys from uploads.
struct PrivateStretches: Sendable {
    private struct Stretch {
        let name: String
        let from: OutboxPosition
        var to: OutboxPosition?
    }

    /// Newest `limit` stretches: samples of older ones have left the ring long before.
    private var stretches: [Stretch] = []
    private static let limit = 1_000

    static func isMark(_ event: Event) -> Bool {
        if case .surveyBegun = event.kind { true } else { event.kind == .plain(.surveyEnded) }
    }

    /// Records the events that begin, mark or end a survey, in the order of time.
    mutating func apply(_ event: Event, at place: OutboxPosition) {
        switch event.kind {
        case .surveyBegun(let survey) where !survey.isForUpload:
            end(at: place)
            stretches.append(Stretch(name: survey.name, from: place))
            if stretches.count > Self.limit { stretches.removeFirst() }
        case .surveyBegun, .plain(.surveyEnded):
            end(at: place)
        default: return
        }
    }

    /// Ends the open stretch when the station starts anew: a survey does not outlive a run.
    mutating func end(at place: OutboxPosition) {
        for index in stretches.indices where stretches[index].to == nil {
            stretches[index].to = place
        }
    }

    func contains(_ place: OutboxPosition) -> Bool {
        stretches.contains { stretch in
            stretch.from <= place && (stretch.to.map { place <= $0 } ?? true)
        }
    }
}
