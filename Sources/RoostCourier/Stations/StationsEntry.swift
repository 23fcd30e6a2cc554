import Profiles

/// `stations` of the configuration: whether other stations are looked for on the local network.
package struct StationsEntry: Hashable, Sendable {
    package let isSearching: Bool
    /// Whether a station of this computer counts, for tests and demonstrations.
    package let isLocal: Bool
    /// Whether others are asked what time it is, while this one does not know it.
    package let asksTime: Bool

    init(_ reader: ObjectReader?) {
        guard var reader else {
            (isSearching, isLocal, asksTime) = (false, false, true)
            return
        }
        isSearching = reader.bool("find") ?? true
        isLocal = reader.bool("local") ?? false
        asksTime = reader.bool("time") ?? isSearching
        reader.finish()
    }
}
