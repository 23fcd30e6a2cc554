import Core

/// The parts of the store that can fail on their own.
enum StorePart: String {
    case card, history

    var fails: EventKind.Plain { self == .card ? .cardFails : .historyFails }
    var isWell: EventKind.Plain { self == .card ? .cardWrites : .historyWrites }
    var fault: Fault.Kind { self == .card ? .storeNotWriting : .historyNotTaking }
}
