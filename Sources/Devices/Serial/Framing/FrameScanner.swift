/// Finds frames whose length their own bytes tell, however the stream is cut.
///
/// A bad head costs one byte. Between calls it keeps the start of one frame, at most `limit` bytes.
struct FrameScanner: Sendable {
    enum Verdict {
        /// The frame is incomplete: by its head it has this many bytes.
        case needs(Int)
        /// The first bytes are one frame.
        case frame(byteCount: Int)
        /// No frame begins here.
        case bad(String)
    }

    /// Bytes of the longest frame; `needs` never asks for more.
    let limit: Int
    /// Bytes of the shortest frame.
    let shortest: Int
    private var pending: [UInt8] = []
    private var needed: Int

    init(shortest: Int, limit: Int) {
        precondition(0 < shortest && shortest <= limit)
        self.shortest = shortest
        self.limit = limit
        needed = shortest
        pending.reserveCapacity(limit + 256)
    }

    var missingByteCount: Int { max(1, needed - pending.count) }

    /// Appends bytes and reports each frame in them.
    ///
    /// - Parameters:
    ///   - bytes: In stream order.
    ///   - heads: First bytes of frames; other bytes are skipped silently.
    ///   - classify: Classifies the bytes that have begun.
    ///   - found: Given each frame, or why a head was none.
    mutating func scan(
        _ bytes: Span<UInt8>,
        heads: [UInt8],
        classify: (ArraySlice<UInt8>) -> Verdict,
        found: (Result<ArraySlice<UInt8>, Rejection>) -> Void
    ) {
        var (index, start) = (0, 0)
        while index < bytes.count || start < pending.count {
            // A piece at a time, so that what is kept stays bounded.
            let end = min(bytes.count, index + 256)
            while index < end {
                pending.append(bytes[index])
                index += 1
            }
            start = settle(from: start, heads: heads, classify: classify, found: found)
            pending.removeFirst(start)
            start = 0
            if index == bytes.count { return }
        }
    }

    /// Judges all that is there; returns where the frame that is not complete begins.
    private mutating func settle(
        from first: Int,
        heads: [UInt8],
        classify: (ArraySlice<UInt8>) -> Verdict,
        found: (Result<ArraySlice<UInt8>, Rejection>) -> Void
    ) -> Int {
        var start = first
        while start < pending.count {
            guard heads.contains(pending[start]) else {
                start += 1
                continue
            }
            switch classify(pending[start...]) {
            case .needs(let count):
                precondition(count > pending.count - start && count <= limit)
                needed = count
                return start
            case .frame(let count):
                found(.success(pending[start..<(start + count)]))
                start += count
            case .bad(let words):
                found(.failure(Rejection(words: words)))
                start += 1
            }
        }
        needed = shortest
        return start
    }

    struct Rejection: Error {
        let words: String
    }
}
