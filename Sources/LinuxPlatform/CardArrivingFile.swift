import FileIO
import Glibc
import HardwareIO
import Station

/// The file of an import while it arrives, beside the store.
struct CardArrivingFile: ArrivingFile {
    /// In the store's folder; a factory reset removes it by this name.
    static let name = "import.part"
    /// Bytes of the card that stay free for the history.
    private static let spareByteCount = 64 << 20

    let path: String

    init(in folder: String) { path = "\(folder)/\(Self.name)" }

    var byteCount: Int { Files.size(path) ?? 0 }

    func add(_ bytes: [UInt8], isFirst: Bool) throws(StorageError) {
        if isFirst { remove() }
        var space = statvfs()
        let isRoomy =
            statvfs(Files.folder(of: path), &space) != 0
            || Int(clamping: space.f_bavail) * Int(clamping: space.f_frsize)
                > Self.spareByteCount + bytes.count
        guard isRoomy else { throw .full(path: path) }
        do { try Files.append(bytes, to: path, mode: 0o600) } catch { throw Self.failure(error) }
    }

    func piece(at place: Int, count: Int) throws(StorageError) -> [UInt8] {
        do { return try Files.open(path).bytes(at: place, count: count) } catch {
            throw Self.failure(error)
        }
    }

    /// With what SQLite may have put beside a database.
    func remove() { for ending in ["", "-wal", "-shm", "-journal"] { unlink(path + ending) } }

    private static func failure(_ error: FileError) -> StorageError {
        switch error.code {
        case ENOSPC, EDQUOT: .full(path: error.path)
        case EROFS: .readOnly(path: error.path)
        case EACCES, EPERM: .noPermission(path: error.path)
        case ENOENT, ENOTDIR: .absent(path: error.path)
        default: .failed(call: "write", errno: error.code, path: error.path)
        }
    }
}
