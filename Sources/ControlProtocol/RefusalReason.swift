/// What exactly was refused, where a program has a sentence of its own for it.
///
/// A refusal's message is for logs and shells; a page has the sentence in its person's language, by
/// this. The key of that sentence is `refusal.` and the raw value.
package enum RefusalReason: String, Hashable, Sendable, CaseIterable {
    /// An import: the kind of the file is not known.
    case importUnknown
    /// An import: periods do not say who measured.
    case importNameless
    /// An import: the file did not arrive as it was sent.
    case importBroken
    /// An import: the file is a whole history.
    case importHistory
    /// An import: the file is a database of another program.
    case importForeign
    /// An import: the file cannot be read.
    case importDamaged
    /// An import: the card has no room for the file.
    case importRoom
    /// An import: another one is under way.
    case importBusy
    /// Settings: a position cannot be read.
    case position
    /// It needs the role of a member.
    case needsMember
    /// It needs the role of an owner.
    case needsOwner
    /// The station has an owner already.
    case hasOwner
    /// A password that was asked for again is another one.
    case wrongPassword
    /// An invitation was used, withdrawn or is too old.
    case invitationGone
    /// A part on I²C: several parts have the address, or several buses.
    case busWhich
    /// A part on I²C: nothing known is at the address.
    case busNothing
    /// A part on I²C: no profile has the name.
    case busName
    /// A part on I²C: the address is in use.
    case busTaken
    /// A part on I²C: the list is full.
    case busFull
    /// One that this build does not know.
    case other
}

extension RefusalReason: Codable {
    /// Reads a reason; one that another build knows and this one does not is `other`.
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        self = RefusalReason(rawValue: text) ?? .other
    }
}
