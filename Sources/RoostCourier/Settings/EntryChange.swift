import ControlProtocol

/// What a change was, for the station's events: types of entries, and no options.
struct EntryChange: Hashable, Sendable {
    let section: EntrySection
    let id: String
    let before: String
    let now: String
    let isRemoval: Bool

    /// Details of the event.
    func details(for asker: QuestionAsker) -> [String: String] {
        var details = ["setting": "\(section.rawValue).\(id)", "before": before, "now": now]
        details["actor"] = asker.actor
        return details
    }
}
