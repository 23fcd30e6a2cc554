import FileIO
import Glibc
import HardwareIO

/// What waits in a journal outside of the store's folder, to be overwritten.
///
/// Only what Roost has written goes: a path of `roost.json` or the link of a folder, which belong
/// to other users, could name anything.
struct JournalRemains {
    enum Finding: Hashable {
        case overwritten
        /// The device or file is not there.
        case absent
        /// It has neither the mark of a journal's partition nor a journal.
        case foreign
    }

    /// Bytes of a block of a ring without a mark.
    private static let blockSize = 4_096
    /// Blocks of such a ring, at most.
    private static let blockCountMax = 65_536

    let path: String

    /// Overwrites it with zeros, and leaves a partition its mark; may be cut and done again.
    ///
    /// - Throws: `FileError` for one that cannot be read or written.
    func overwrite() throws(FileError) -> Finding {
        guard let found = realpath(path, nil) else { return .absent }
        defer { free(found) }
        let target = String(cString: found)
        let file = try Files.open(target, allowing: .devices)
        if let mark = JournalPartition(try file.bytes(at: 0, count: 512)) {
            guard (mark.blockCount + 1) * mark.blockSize <= JournalPartition.byteCountMax else {
                return .foreign
            }
            let output = try Files.open(target, from: .start, mode: 0o600, allowing: .devices)
            try output.write(mark.block)
            let zeros = [UInt8](repeating: 0, count: mark.blockSize)
            for _ in 0..<mark.blockCount { try output.write(zeros) }
            try output.sync()
            return .overwritten
        }
        return try overwriteRing(target, file)
    }

    /// Overwrites each block of a ring without a mark; others may be of anyone, and stay.
    private func overwriteRing(_ target: String, _ file: OpenFile) throws(FileError) -> Finding {
        let output = try Files.open(target, from: .start, mode: 0o600, allowing: .devices)
        let zeros = [UInt8](repeating: 0, count: Self.blockSize)
        var isRing = false
        for index in 0..<Self.blockCountMax {
            let place = index * Self.blockSize
            let bytes = try file.bytes(at: place, count: Self.blockSize)
            guard bytes.count == Self.blockSize else { break }
            if index == 0, bytes == zeros { isRing = true }
            guard bytes.starts(with: JournalPartition.blockMagic) else { continue }
            isRing = true
            guard lseek(output.descriptor, off_t(place), SEEK_SET) >= 0 else {
                throw FileError(target, .system(call: "lseek", code: errno))
            }
            try output.write(zeros)
        }
        try output.sync()
        return isRing ? .overwritten : .foreign
    }
}
