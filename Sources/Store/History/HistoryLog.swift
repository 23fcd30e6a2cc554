import Glibc

/// The write-ahead log beside a history, checked before SQLite opens it.
///
/// SQLite reads it up to the last transaction whose frames are all whole, and drops the rest
/// silently. Every transaction is synced before the next one begins, so a loss of power can leave
/// the last one in part; where more of them are not whole, something rotted.
///
/// - Source: SQLite, *WAL-mode File Format*: 32 bytes of header, then frames of 24 and a page.
struct HistoryLog {
    private static let headerByteCount = 32
    private static let frameHeaderByteCount = 24
    /// Frames looked at, 64 MiB: beyond any log that this store writes.
    private static let frameCountMax = 16_384

    /// Frames of this log, whole or not, and how many of them count.
    private(set) var frames = 0
    private(set) var wholeFrames = 0
    /// Transactions behind them; 0 without a header, as nothing says how many.
    private var brokenCount = 0
    private let path: String

    /// Checks the log of the history at `path`; without one there are no frames.
    init(of path: String) {
        self.path = path + "-wal"
        var status = stat()
        guard stat(self.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            Int(status.st_size) > Self.headerByteCount
        else { return }
        let descriptor = open(self.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        scan(descriptor, byteCount: Int(status.st_size))
    }

    /// Whether the last write alone is not whole, as after a loss of power.
    ///
    /// Bit rot in the last write looks the same. Its content is copied from the journal again.
    var isCutShort: Bool { brokenCount == 1 }

    /// The damage, in a sentence; nil when every transaction but the last is whole.
    var damage: String? {
        guard frames > wholeFrames, !isCutShort else { return nil }
        return "the log of the history is damaged behind \(wholeFrames) of \(frames) pages: what "
            + "they held is copied from the journal again"
    }

    private mutating func scan(_ descriptor: Int32, byteCount: Int) {
        let header = Self.bytes(descriptor, at: 0, count: Self.headerByteCount)
        let pageSize = Int(Self.word(header, 8))
        guard pageSize == HistorySchema.pageSize else {
            // It cannot be read: as many frames as its length allows.
            frames = byteCount / (HistorySchema.pageSize + Self.frameHeaderByteCount)
            return
        }
        let isBigEndian = Self.word(header, 0) & 1 == 1
        var sum = Self.sum(header[..<24], (0, 0), isBigEndian)
        let isWhole = sum == (Self.word(header, 24), Self.word(header, 28))
        let frameSize = pageSize + Self.frameHeaderByteCount
        let count = min((byteCount - Self.headerByteCount) / frameSize, Self.frameCountMax)
        guard isWhole else {
            // The owner of these frames is not known any more.
            frames = count
            return
        }
        var isIntact = true
        for index in 0..<count {
            let offset = Self.headerByteCount + index * frameSize
            let frame = Self.bytes(descriptor, at: offset, count: frameSize)
            // Frames of an earlier turn of the log have other salts.
            guard frame[8..<16] == header[16..<24] else {
                isIntact = false
                continue
            }
            if isIntact {
                sum = Self.sum(frame[..<8], sum, isBigEndian)
                sum = Self.sum(frame[24...], sum, isBigEndian)
                isIntact = sum == (Self.word(frame, 16), Self.word(frame, 20))
            }
            // A transaction counts when its last frame, which has the size of the file, is whole.
            guard Self.word(frame, 4) > 0 else { continue }
            frames = index + 1
            if isIntact { wholeFrames = index + 1 } else { brokenCount += 1 }
        }
    }

    private static func sum(
        _ bytes: ArraySlice<UInt8>,
        _ start: (UInt32, UInt32),
        _ isBigEndian: Bool
    ) -> (UInt32, UInt32) {
        var (one, two) = start
        var offset = bytes.startIndex
        func next() -> UInt32 {
            let word = bytes[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            offset += 4
            return isBigEndian ? word : word.byteSwapped
        }
        while offset < bytes.endIndex {
            one = one &+ next() &+ two
            two = two &+ next() &+ one
        }
        return (one, two)
    }

    private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Zeros where nothing can be read.
    private static func bytes(_ descriptor: Int32, at offset: Int, count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        _ = pread(descriptor, &bytes, count, off_t(offset))
        return bytes
    }
}
