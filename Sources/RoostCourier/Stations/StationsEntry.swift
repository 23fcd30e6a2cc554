import Profiles

/// Entry `stations` of the configuration: whether the local network is searched for stations.
package struct StationsEntry: Hashable, Sendable {
    /// Whether the file says something of stations; else the owner's setting counts.
    let isGiven: Bool
    let isSearching: Bool
    /// Whether a station on this computer counts, for tests and demonstrations.
    package let isLocal: Bool
    /// Whether other stations are asked for the time while this one does not know it.
    let asksTime: Bool

    init(_ reader: ObjectReader?) {
        guard var reader else {
            (isGiven, isSearching, isLocal, asksTime) = (false, false, false, true)
            return
        }
        isGiven = true
        isSearching = reader.bool("find") ?? true
        isLocal = reader.bool("local") ?? false
        asksTime = reader.bool("time") ?? isSearching
        reader.finish()
    }
}
