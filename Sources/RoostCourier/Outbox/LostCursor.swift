/// A cursor that cannot be read: of another kind of target with the same name, of a later version,
/// or damaged.
struct LostCursor: Hashable, Sendable {
    let words: String
    /// Whether samples may be sent twice: then the target begins by its rule for the backlog, else
    /// with samples recorded from now on.
    let mayRepeat: Bool

    init(_ error: OutboxCursorError, _ repetition: SampleTargetTraits.Repetition) {
        words = "\(error)"
        // The cursor of another kind of target (files, drives) says nothing about this one.
        let isOther = if case .otherVersion(2...4) = error { true } else { false }
        mayRepeat = isOther || repetition != .atMostOnce
    }
}
