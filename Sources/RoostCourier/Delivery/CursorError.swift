/// Why bytes are not a cursor, or why none can be encoded.
enum CursorError: Error, Hashable, Sendable {
    case otherVersion(UInt64)
    case malformed
    case tooManyStreams(Int)
}

extension CursorError: CustomStringConvertible {
    var description: String {
        switch self {
        case .otherVersion(let version):
            "the cursor has version \(version), which this program does not know for such a target"
        case .malformed: "the cursor is damaged"
        case .tooManyStreams(let count):
            "\(count) streams do not fit into one cursor: give the target fewer with `streams`"
        }
    }
}
