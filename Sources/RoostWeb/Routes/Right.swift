/// Who may use a route.
package enum Right: String, Hashable, Sendable, CaseIterable, Comparable {
    /// Each visitor who reaches the station.
    case anyone
    /// Only while no account exists.
    case unclaimed
    case viewer
    case member
    case owner

    /// Who has the later right has the earlier ones too; `unclaimed` is apart.
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

/// What a token may be used for.
package enum TokenScope: String, Hashable, Sendable, CaseIterable, Codable {
    case read, write, metrics
}
