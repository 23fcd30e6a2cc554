/// Why there is no value for a stretch of time; `unexplained` is a cause too.
package enum GapCause: String, Hashable, Sendable, CaseIterable, Codable {
    // Recorded by the sample itself.
    case silent, badFrames, warmingUp, unplugged, unusable, stuck, driverStopped, noFix, notMeasured
    // Recorded by a graph for its derived channel.
    case stale, gated, outOfRange
    /// The user muted the values; recorded by a sample or a mark.
    case muted
    /// The user switched recording off; recorded by a sample.
    case notKept
    /// No file that was imported has it.
    case notImported
    /// The card accepted no writes, and the oldest waiting records were given up.
    case cardDropped
    /// The history had no place for the stream, and the journal needed the room of its samples.
    case noPlace
    /// A damaged block of the journal or of the history held it.
    case damaged
    /// Older than the ring.
    case expired
    /// Time from the start of the node to the first reading of the channel.
    case starting
    /// No process ran: the machine was suspended, or the process stopped.
    case suspended
    case nodeStopped
    /// The process ended without a stop, and came back within the same boot.
    case nodeCrashed
    /// No stop was written, and the next start was in another boot.
    case powerLost
    /// The node was off for a time that no trusted clock measured.
    case clockUnknown
    /// No sample was due: the device is measured on events, or was not configured.
    case notScheduled
    /// The schedule or the range ended before the next sample was due.
    case notDue
    /// A sample came, later than due by less than an interval.
    case late
    case unexplained

    /// The cause that a sample without a value names.
    package init(_ reason: NoData) {
        self =
            switch reason {
            case .replyTimeout: .silent
            case .badFrames: .badFrames
            case .warmingUp: .warmingUp
            case .unplugged: .unplugged
            case .unusable: .unusable
            case .stuck: .stuck
            case .stopped: .driverStopped
            case .noFix: .noFix
            case .notMeasured: .notMeasured
            case .stale: .stale
            case .gated: .gated
            case .outOfRange: .outOfRange
            case .muted: .muted
            case .notKept: .notKept
            }
    }

    /// Text for people.
    package var text: String {
        switch self {
        case .silent: "sensor silent"
        case .badFrames: "frames damaged"
        case .warmingUp: "warming up"
        case .unplugged: "unplugged"
        case .unusable: "unusable"
        case .stuck: "value stuck"
        case .driverStopped: "driver stopped"
        case .noFix: "position unknown"
        case .notMeasured: "part has no such value"
        case .stale: "input missing or old"
        case .gated: "formula does not hold"
        case .outOfRange: "out of range"
        case .muted: "muted by you"
        case .notKept: "not kept, as you asked"
        case .notImported: "not in the files"
        case .cardDropped: "dropped: card stalled"
        case .noPlace: "dropped: no place"
        case .damaged: "lost: block damaged"
        case .expired: "older than the ring"
        case .starting: "node starting"
        case .suspended: "node suspended"
        case .nodeStopped: "node stopped"
        case .nodeCrashed: "node crashed"
        case .powerLost: "power lost"
        case .clockUnknown: "off, clock unknown"
        case .notScheduled: "not scheduled"
        case .notDue: "not due yet"
        case .late: "late"
        case .unexplained: "unexplained"
        }
    }
}
