/// How a child ended.
enum ChildExit: Hashable, Sendable, CustomStringConvertible {
    /// `run()` returned.
    case normal
    /// `start` or `run()` threw; the error as text.
    case failure(String)
    /// It was asked to stop and threw `CancellationError`.
    ///
    /// Thrown by a child that was not asked to stop, it counts as a failure.
    case cancelled

    var description: String {
        switch self {
        case .normal: "returned"
        case .failure(let text): text
        case .cancelled: "stopped"
        }
    }
}

extension ChildSpec.Restart {
    /// Whether a child that ended like this, without being asked to stop, is started again.
    func applies(to exit: ChildExit) -> Bool {
        switch self {
        case .permanent: true
        case .transient: exit != .normal
        case .temporary: false
        }
    }
}
