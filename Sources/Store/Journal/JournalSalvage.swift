import Glibc
import HardwareIO

/// Reads the blocks of a journal whose file has changed: cut short, grown, or with another block
/// size.
///
/// Checks every place where a block can begin, for any earlier size of the ring. Memory: 16 bytes a
/// block, and one batch.
struct JournalSalvage {
    /// Bytes looked at, the largest ring there is.
    private static let byteLimit = Journal.slotLimit * 4_096

    private let path: String
    private var blockSize: Int
    /// Whole blocks by their sequence.
    private var offsets: [UInt64: Int] = [:]

    /// Scans the file; one that cannot be read holds nothing.
    init(_ path: String, blockSize: Int) {
        (self.path, self.blockSize) = (path, blockSize)
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        let byteCount = min(Int(status.st_size), Self.byteLimit)
        guard let file = fopen(path, "re") else { return }
        defer { fclose(file) }
        self.blockSize = Self.blockSize(in: file, byteCount) ?? blockSize
        let layout = JournalBlockLayout(blockSize: self.blockSize)
        for offset in stride(from: 0, to: byteCount, by: self.blockSize) {
            let bytes = Self.bytes(of: file, at: offset, count: self.blockSize)
            if case .whole(let header, _) = layout.decode(bytes) {
                offsets[header.sequence] = offset
            }
        }
    }

    /// Blocks newer than `cursor`, oldest first, at most `limit` of them.
    func blocks(after cursor: UInt64, limit: Int) -> [JournalBlock] {
        // Nothing was found: perhaps it is a pipe, and to open that would wait for a writer.
        guard !offsets.isEmpty, let file = fopen(path, "re") else { return [] }
        defer { fclose(file) }
        let layout = JournalBlockLayout(blockSize: blockSize)
        return offsets.keys.filter { $0 > cursor }.sorted().prefix(limit).compactMap { sequence in
            let bytes = Self.bytes(of: file, at: offsets[sequence] ?? 0, count: blockSize)
            guard case .whole(_, let block) = layout.decode(bytes) else { return nil }
            return block
        }
    }

    /// A sequence that is missing before each block that does not follow the one before.
    ///
    /// - Parameters:
    ///   - cursor: The history's position; 0 when it is new, and the first block may be any.
    ///   - blocks: In order.
    /// - Returns: In order; not every missing one.
    func lost(after cursor: UInt64, in blocks: [JournalBlock]) -> [UInt64] {
        var (lost, before) = ([UInt64](), cursor)
        for block in blocks {
            if before > 0, block.sequence > before + 1 { lost.append(block.sequence - 1) }
            before = block.sequence
        }
        return lost
    }

    /// The content of the first valid header.
    private static func blockSize(in file: UnsafeMutablePointer<FILE>, _ byteCount: Int) -> Int? {
        for offset in stride(from: 0, to: byteCount, by: 512) {
            let head = bytes(of: file, at: offset, count: 6)
            guard head.starts(with: JournalBlockLayout.magic), head[5] < 17 else { continue }
            let size = 1 << Int(head[5])
            let layout = JournalBlockLayout(blockSize: size)
            guard JournalBlockLayout.isAllowed(blockSize: size),
                case .whole = layout.decode(bytes(of: file, at: offset, count: size))
            else { continue }
            return size
        }
        return nil
    }

    /// Zeros where the file ends: a block's own end is padding.
    private static func bytes(
        of file: UnsafeMutablePointer<FILE>,
        at offset: Int,
        count: Int
    ) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard fseek(file, offset, SEEK_SET) == 0 else { return bytes }
        fread(&bytes, 1, count, file)
        return bytes
    }
}
