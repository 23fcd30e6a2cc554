import FileIO
import Glibc
import HardwareIO
import LinuxIO

/// Files that are replaced in one step, with the errors of a card.
enum WholeFile {
    static func write(
        _ bytes: [UInt8],
        to path: String,
        mode: mode_t
    ) throws(StorageError) {
        do { try Files.replace(path, with: bytes, mode: mode) } catch { throw StorageError(error) }
    }
}
