/// Why bytes were not a frame.
package enum FrameError: Error, Hashable, Sendable {
    case unexpectedByte(UInt8, at: Int)
    case checksum(expected: UInt8, found: UInt8)
}

/// Finds frames in a byte stream, among noise and in pieces of any size.
///
/// A bad frame costs one byte. No allocation per frame; the state is bounded by one frame.
package protocol FrameDecoder: Sendable {
    associatedtype Frame: Sendable
    typealias Decoded = Result<Frame, FrameError>

    init()

    /// Bytes still missing from the frame that has begun, or from a whole one; ≥ 1.
    var missingByteCount: Int { get }

    /// Feeds bytes; calls `body` for each frame and each rejected head, in stream order.
    mutating func decode(_ bytes: Span<UInt8>, _ body: (Decoded) -> Void)
}

extension FrameDecoder {
    /// Decodes bytes and returns the frames and errors in them.
    ///
    /// For tests and small work.
    package mutating func decode(_ bytes: [UInt8]) -> [Decoded] {
        var results: [Decoded] = []
        decode(bytes.span) { results.append($0) }
        return results
    }
}
