import FileIO
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

    /// Reads the shape of the ring, and none of its pictures.
    ///
    /// - Returns: nil where the file has none yet.
    /// - Throws: As `read`.
    package static func shape(_ path: String) throws(StorageError) -> PictureShape? {
        PictureShape(try ReadOnlyFile(path).read(0))
    }
}

/// A file in whole blocks, through the page cache.
private final class ReadOnlyFile: BlockStorage {
    let blockSize = PictureShape.blockSize
    let blockCount: Int
    var isReadOnly: Bool { true }
    private let file: OpenFile

    init(_ path: String) throws(StorageError) {
        do throws(FileError) {
            file = try Files.open(path, allowing: .links)
            blockCount = Int(try file.status.st_size) / PictureShape.blockSize
        } catch {
            switch error.code {
            case ENOENT, ENOTDIR, EISDIR, ENOTSUP: throw .absent(path: path)
            case EACCES, EPERM: throw .noPermission(path: path)
            default: throw .failed(call: "open", errno: error.code, path: path)
            }
        }
        guard blockCount > 0 else { throw .absent(path: path) }
    }

    func read(_ index: Int) throws(StorageError) -> [UInt8] {
        precondition((0..<blockCount).contains(index), "no such block")
        let bytes: [UInt8]
        do { bytes = try file.bytes(at: index * blockSize, count: blockSize) } catch {
            throw .failed(call: "pread", errno: error.code, path: file.path)
        }
        guard bytes.count == blockSize else {
            throw .failed(call: "pread", errno: EIO, path: file.path)
        }
        return bytes
    }

    func write(_ index: Int, _ bytes: [UInt8]) throws(StorageError) {
        throw .readOnly(path: file.path)
    }

    func sync() throws(StorageError) {}
}
