/// The right that a route requires.
package enum Right: String, Hashable, Sendable, CaseIterable, Comparable, Codable {
    /// Each visitor who reaches the station.
    case anyone
    /// Only while no account exists.
    case unclaimed
    case viewer
    case member
    case owner

    /// Order of the rights: a later one includes the earlier ones; `unclaimed` is apart.
    private var rank: Int {
        switch self {
        case .anyone: 0
        case .viewer: 1
        case .member: 2
        case .owner: 3
        case .unclaimed: 4
        }
    }

    package static func < (left: Right, right: Right) -> Bool { left.rank < right.rank }
}

/// The use that a token permits.
package enum TokenScope: String, Hashable, Sendable, CaseIterable, Codable {
    case read, write, metrics
}
