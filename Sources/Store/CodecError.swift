/// Why stored bytes could not be understood, and at which of them.
package enum CodecError: Error, Hashable, Sendable, CustomStringConvertible {
    /// More bytes were announced than there are.
    case truncated(at: Int)
    /// What stands at a byte cannot be.
    case invalid(String, at: Int)

    package var description: String {
        switch self {
        case .truncated(let offset): "ends too early, at byte \(offset)"
        case .invalid(let what, let offset): "\(what), at byte \(offset)"
        }
    }
}
