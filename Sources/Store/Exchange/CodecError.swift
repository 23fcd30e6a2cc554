/// Bytes of the store that cannot be read: what is wrong, and with which byte.
///
/// For everything the store encodes itself, segments and journal records alike.
package struct CodecError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        /// The bytes end before the announced length.
        case truncated
        /// Written by a newer version, or not written by us.
        case unknownVersion(UInt8)
        /// A kind, reason or operation without a meaning.
        case unknownCode(UInt8)
        /// A number beyond its bound.
        case outOfRange
        /// A well-formed part where it may not stand.
        case unexpected
        /// The segment was made for other channels or decimals than the reader's.
        case otherChannels
        /// More bytes than the content needs.
        case trailingBytes
        /// Anything else that is impossible, as text.
        case invalid(String)
    }

    package let reason: Reason
    /// The byte, counted from the start of the input.
    package let offset: Int

    package init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    package var description: String {
        let text =
            switch reason {
            case .truncated: "ends too early"
            case .unknownVersion(let version): "unknown version \(version)"
            case .unknownCode(let code): "unknown code \(code)"
            case .outOfRange: "number out of range"
            case .unexpected: "out of place"
            case .otherChannels: "written for other channels"
            case .trailingBytes: "more bytes than content"
            case .invalid(let what): what
            }
        return "\(text) at byte \(offset)"
    }
}

extension CodecError {
    /// More bytes were announced than there are.
    package static func truncated(at offset: Int) -> CodecError {
        CodecError(.truncated, at: offset)
    }

    /// An error for a value at `offset` that the format does not allow.
    package static func invalid(_ what: String, at offset: Int) -> CodecError {
        CodecError(.invalid(what), at: offset)
    }
}
