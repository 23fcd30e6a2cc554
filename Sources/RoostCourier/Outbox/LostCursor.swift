/// A cursor that cannot be read: of another kind of target under this name, of a later version, or
/// damaged.
struct LostCursor: Hashable, Sendable {
    let words: String
    /// Whether the target may be sent what it may have: then it begins by the rule of its backlog,
    /// else with what is recorded from now on.
    let mayRepeat: Bool

    init(_ error: OutboxCursorError, _ repetition: SampleTargetTraits.Repetition) {
        words = "\(error)"
        // A cursor of another kind of target (files, drives, notices) says nothing about it.
        let isOther = if case .otherVersion(2...4) = error { true } else { false }
        mayRepeat = isOther || repetition != .atMostOnce
    }
}
