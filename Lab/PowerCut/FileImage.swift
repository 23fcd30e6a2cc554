import Core

/// The bytes of a file in pieces that its copies share, with a hash that is kept up with them.
///
/// Thousands of states of one card differ in a few pages: a copy costs one reference a piece, and
/// two images are compared without their bytes being looked at.
struct FileImage: Sendable {
    /// Bytes of a piece: a page of SQLite, a block of the journal.
    static let pieceSize = 4_096

    private static let zeros = Piece([UInt8](repeating: 0, count: pieceSize))

    struct Piece: Sendable {
        fileprivate(set) var bytes: [UInt8]
        fileprivate(set) var hash: UInt64

        fileprivate init(_ bytes: [UInt8]) {
            self.bytes = bytes
            hash = bytes.withUnsafeBytes { FileImage.hash($0) }
        }
    }

    /// Whole ones; behind the end of the file they hold zeros.
    private(set) var pieces: [Piece] = []
    private(set) var byteCount = 0
    /// Sum over the pieces, so that one of them changes it in one step.
    private var sum: UInt64 = 0

    /// Hash of bytes and length; two images with the same hash count as equal.
    var digest: UInt64 { Self.mixed(sum ^ UInt64(truncatingIfNeeded: byteCount) &* 0x9E37) }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(pieces.count * Self.pieceSize)
        for piece in pieces { bytes += piece.bytes }
        bytes.removeLast(bytes.count - byteCount)
        return bytes
    }

    mutating func write(_ bytes: [UInt8], at offset: Int) {
        if offset + bytes.count > byteCount { resize(offset + bytes.count) }
        var done = 0
        while done < bytes.count {
            let (index, start) = (offset + done).quotientAndRemainder(dividingBy: Self.pieceSize)
            let count = min(Self.pieceSize - start, bytes.count - done)
            if count == Self.pieceSize {
                replace(index, Piece(Array(bytes[done..<done + count])))
            } else {
                var piece = pieces[index].bytes
                piece.replaceSubrange(start..<start + count, with: bytes[done..<done + count])
                replace(index, Piece(piece))
            }
            done += count
        }
    }

    /// Cuts the file, or makes it longer with zeros.
    mutating func resize(_ wanted: Int) {
        let count = (wanted + Self.pieceSize - 1) / Self.pieceSize
        while pieces.count > count {
            sum &-= Self.share(pieces[pieces.count - 1], pieces.count - 1)
            pieces.removeLast()
        }
        while pieces.count < count {
            pieces.append(Self.zeros)
            sum &+= Self.share(Self.zeros, pieces.count - 1)
        }
        let end = wanted % Self.pieceSize
        if wanted < byteCount, end > 0 {
            let kept = pieces[count - 1].bytes.prefix(end)
            replace(count - 1, Piece(kept + [UInt8](repeating: 0, count: Self.pieceSize - end)))
        }
        byteCount = wanted
    }

    private mutating func replace(_ index: Int, _ piece: Piece) {
        sum = sum &- Self.share(pieces[index], index) &+ Self.share(piece, index)
        pieces[index] = piece
    }

    private static func share(_ piece: Piece, _ index: Int) -> UInt64 {
        mixed(piece.hash ^ UInt64(truncatingIfNeeded: index + 1) &* 0xD6E8_FEB8_6659_FD93)
    }

    /// 64 bits of any bytes, good within this process and fast: eight bytes a step.
    static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var (first, second): (UInt64, UInt64) = (0x243F_6A88_85A3_08D3, 0x1319_8A2E_0370_7344)
        var place = 0
        while place + 16 <= bytes.count {
            let low = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            let high = bytes.loadUnaligned(fromByteOffset: place + 8, as: UInt64.self)
            first = (first ^ low) &* 0x9FB2_1C65_1E98_DF25
            second = (second ^ high) &* 0xD6E8_FEB8_6659_FD93
            first ^= first >> 32
            second ^= second >> 29
            place += 16
        }
        for byte in bytes[place...] { first = (first ^ UInt64(byte)) &* 0x9FB2_1C65_1E98_DF25 }
        return mixed(first ^ mixed(second ^ UInt64(bytes.count)))
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var random = SplitMix64(seed: value)
        return random.next()
    }
}

extension FileImage: Hashable, ExpressibleByArrayLiteral {
    init(_ bytes: [UInt8]) { write(bytes, at: 0) }

    init(arrayLiteral bytes: UInt8...) { self.init(bytes) }

    static func == (left: FileImage, right: FileImage) -> Bool {
        left.byteCount == right.byteCount && left.digest == right.digest
    }

    func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}

/// A fast hash, good within this process.
package enum PowerCutHash {
    package static func of(_ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { Int(truncatingIfNeeded: FileImage.hash($0)) }
    }
}
