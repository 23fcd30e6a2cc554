/// What can fail by itself.
enum StorePart: String {
    case card, history

    var fails: String { self == .card ? "card does not write" : "history takes nothing" }
    var isWell: String { self == .card ? "card writes again" : "history takes again" }
    var fault: Fault.Kind { self == .card ? .storeNotWriting : .historyNotTaking }
}
