/// The state of a journal's file.
package enum JournalOpening: Hashable, Sendable, CustomStringConvertible {
    case found
    /// Zeros, or made just now.
    case blank
    /// Zeros, in place of a ring elsewhere that lies at `former` now; what waited there was taken.
    case moved(former: String)
    /// The file could not be used and is at `path` now; its whole blocks that waited were copied
    /// from it.
    case setAside(path: String, because: String, salvaged: Int)

    package var description: String {
        switch self {
        case .found: "the journal as it was"
        case .blank: "an empty journal"
        case .moved(let former): "an empty journal, after the one that lies at \(former)"
        case .setAside(let path, let because, let salvaged):
            "a new journal; the one before lies at \(path), because \(because); "
                + "\(salvaged) of its blocks were saved"
        }
    }
}
