/// A cursor that is damaged, of a later version, or of another kind of target.
struct LostCursor: Hashable, Sendable {
    let words: String
    /// Whether samples may be sent twice, so that the target begins by its rule for the backlog.
    ///
    /// Otherwise it begins with samples recorded from now on.
    let mayRepeat: Bool

    init(_ error: OutboxCursorError, _ repetition: SampleTargetTraits.Repetition) {
        words = "\(error)"
        // The cursor of another kind of target (files, drives) says nothing about this one.
        let isOther = if case .otherVersion(2...4) = error { true } else { false }
        mayRepeat = isOther || repetition != .atMostOnce
    }
}
