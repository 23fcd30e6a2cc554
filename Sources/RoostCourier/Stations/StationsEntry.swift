import Profiles

/// `stations` of the configuration: whether other stations are looked for on the local network.
package struct StationsEntry: Hashable, Sendable {
    package let isSearching: Bool
    /// Whether a station of this computer counts, for tests and demonstrations.
    package let isLocal: Bool

    init(_ reader: ObjectReader?) {
        guard var reader else {
            (isSearching, isLocal) = (false, false)
            return
        }
        isSearching = reader.bool("find") ?? true
        isLocal = reader.bool("local") ?? false
        reader.finish()
    }
}
