import Glibc
import HardwareIO

/// The ring's file on the card, to look at.
///
/// It needs no device library, so that each process that shows pictures may read it.
package enum PictureFile {
    /// Default path of the pictures.
    package static let standardPath = "/var/lib/roost-eyes/pictures"

    /// Opens the ring to read.
    ///
    /// - Returns: The ring as it is now.
    /// - Throws: `StorageError`; `.absent` while there is none.
    package static func read(_ path: String) throws(StorageError) -> PictureRing {
        try PictureRing(asFound: try ReadOnlyFile(path))
    }
}

/// A file in whole blocks, through the page cache.
private final class ReadOnlyFile: BlockStorage {
    let blockSize = PictureShape.blockSize
    let blockCount: Int
    var isReadOnly: Bool { true }
    private let path: String
    private let descriptor: Int32

    init(_ path: String) throws(StorageError) {
        // Opening a pipe waits for a writer, possibly without end.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT, ENOTDIR: throw .absent(path: path)
            case EACCES, EPERM: throw .noPermission(path: path)
            default: throw .failed(call: "open", errno: errno, path: path)
            }
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            Int(status.st_size) >= PictureShape.blockSize
        else {
            close(descriptor)
            throw .absent(path: path)
        }
        (self.path, blockCount) = (path, Int(status.st_size) / PictureShape.blockSize)
    }

    deinit { close(descriptor) }

    func read(_ index: Int) throws(StorageError) -> [UInt8] {
        precondition((0..<blockCount).contains(index), "no such block")
        var bytes = [UInt8](repeating: 0, count: blockSize)
        var done = 0
        while done < blockSize {
            let count = bytes.withUnsafeMutableBytes { buffer in
                pread(
                    descriptor,
                    buffer.baseAddress?.advanced(by: done),
                    blockSize - done,
                    off_t(index * blockSize + done)
                )
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw .failed(call: "pread", errno: count == 0 ? EIO : errno, path: path)
            }
            done += count
        }
        return bytes
    }

    func write(_ index: Int, _ bytes: [UInt8]) throws(StorageError) { throw .readOnly(path: path) }

    func sync() throws(StorageError) {}
}
