import Profiles

/// Location of the journal, from the key `journal` of `store`.
package enum JournalSetting: Hashable, Sendable {
    /// A file in the store's folder.
    case folder
    /// The partition that `roost store partition` marked, and a file while there is none.
    case auto
    /// A partition, or a file, that is named.
    case path(String)

    init(_ reader: inout ObjectReader) {
        guard let word = reader.string("journal") else {
            self = .folder
            return
        }
        guard word != "auto" else {
            self = .auto
            return
        }
        self = reader.absolutePath("journal").map { .path($0) } ?? .folder
    }
}
