import Core

/// The meaning of a gap's cause, in a sentence, and what to do about it.
///
/// The same as in `docs/reference/ledger.md`.
package struct GapAdvice: Hashable, Sendable {
    package let words: String
    /// The next step; nil where nothing is to be done.
    package let next: String?

    package init(_ cause: GapCause) {
        (words, next) =
            cause.sensorAdvice ?? cause.stationAdvice ?? cause.cardAdvice
            ?? ("Nothing recorded says why.", "Report it: this should not happen.")
    }
}

extension GapCause {
    /// Whether values are missing that should be there.
    package var isLoss: Bool { self != .notScheduled && self != .notDue }

    fileprivate var sensorAdvice: (words: String, next: String?)? {
        switch self {
        case .silent:
            (
                "The part was asked, or should have sent, and nothing came.",
                "Check plug and power; see Health."
            )
        case .badFrames:
            (
                "Bytes came, and none of them was a good frame.",
                "See that it is the wanted part at its speed; use a shorter or better cable."
            )
        case .warmingUp: ("Laser or heater ran, and the first values do not count.", nil)
        case .unplugged:
            ("The adapter or the device was not there.", "Plug it in; its name comes back with it.")
        case .unusable:
            (
                "It was there and could not be used: busy, forbidden, its bus hung, or it "
                    + "reported a fault of its own.",
                "`roost devices` says what keeps it from its work."
            )
        case .stuck:
            (
                "The part repeated the same frame for too long.",
                "Unplug it once; replace it if it comes back."
            )
        case .notMeasured: ("The part did not measure this channel.", nil)
        case .noFix:
            ("A GPS receiver had no position.", "Give it a free view of the sky.")
        case .driverStopped:
            ("The driver hung or was being restarted.", "Look at the events around it.")
        case .stale:
            (
                "A channel that it is computed from had no fresh value.",
                "Look at the gaps of that channel."
            )
        case .gated:
            ("The calculation does not hold there: in fog, in thin air, or near a tube's end.", nil)
        case .outOfRange:
            ("An input, or the result, is a value that cannot be.", "Look at the inputs.")
        default: nil
        }
    }

    fileprivate var stationAdvice: (words: String, next: String?)? {
        switch self {
        case .muted: ("It was muted.", "Unmute it when it shall count again.")
        case .notKept:
            ("Recording was switched off: values were shown and not kept.", "Switch it on again.")
        case .notScheduled:
            ("Nothing was to be measured: events only, not configured, or forgotten.", nil)
        case .notImported:
            ("The files that were imported have no sample there.", "Import the missing files.")
        case .starting: ("The station started, and the first reading had not come.", nil)
        case .nodeStopped: ("The station was stopped in order.", nil)
        case .nodeCrashed:
            (
                "The station's program ended without a stop and came back.",
                "Look at the events and the log, and report it."
            )
        case .suspended:
            ("The machine slept, or the process was held.", "See Health if it was not on purpose.")
        case .powerLost:
            (
                "The machine went off without a stop.",
                "Use a better supply, or an uninterruptible one."
            )
        case .clockUnknown:
            (
                "It was off, and no clock says for how long.",
                "Give it a network with a time server, or a clock module."
            )
        case .late: ("The sample came, less than one interval late.", nil)
        case .notDue: ("The time ends before the next sample was due.", nil)
        default: nil
        }
    }

    fileprivate var cardAdvice: (words: String, next: String?)? {
        switch self {
        case .cardDropped:
            (
                "The card took no writes until the memory for them was full.",
                "Replace the card; see Health."
            )
        case .noPlace:
            (
                "The history had no place for one more channel.",
                "Make a larger history: roost store compact-copy."
            )
        case .damaged:
            (
                "What held it on the card is damaged.",
                "Run roost store check, and replace the card."
            )
        case .expired:
            (
                "The history no longer reaches back so far.",
                "roost store plan shows what more space gives."
            )
        default: nil
        }
    }
}
