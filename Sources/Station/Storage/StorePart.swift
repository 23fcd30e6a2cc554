/// The parts of the store that can fail on their own.
enum StorePart: String {
    case card, history

    var fails: String { self == .card ? "card does not write" : "history not writable" }
    var isWell: String { self == .card ? "card writes again" : "history writable again" }
    var fault: Fault.Kind { self == .card ? .storeNotWriting : .historyNotTaking }
}
