import CLinux
import Glibc
import HardwareIO

/// A whole disk, or an image of one in a file, read by sectors; its partitions may be mounted.
package final class WholeDisk: DiskSectors {
    private static let sectorSize = 512
    /// Bytes of one system call.
    private static let pieceByteCount = 1 << 20

    package let path: String
    package let sectorCount: UInt64

    private let descriptor: OwnedDescriptor

    /// Opens it for reading.
    package init(path: String) throws(StorageError) {
        self.path = path
        do {
            let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK
            descriptor = OwnedDescriptor(
                try check("open", path: path) { Glibc.open(path, flags) }
            )
            let raw = descriptor.raw
            var status = stat()
            try check("fstat", path: path) { fstat(raw, &status) }
            var byteCount = UInt64(clamping: status.st_size)
            switch status.st_mode & S_IFMT {
            case S_IFREG: break
            case S_IFBLK:
                try check("ioctl", path: path) {
                    clinux_ioctl(raw, clinux_BLKGETSIZE64, &byteCount)
                }
            default: throw LinuxError.system(call: "open", errno: ENOTBLK, path: path)
            }
            sectorCount = byteCount / UInt64(Self.sectorSize)
            // Drop the disk's page cache: it lacks data written through the partitions.
            posix_fadvise(raw, 0, 0, POSIX_FADV_DONTNEED)
        } catch let error as LinuxError {
            throw StorageError(error, path)
        } catch {
            throw .failed(call: "open", errno: EINVAL, path: path)
        }
    }

    package func read(_ first: UInt64, count: Int) throws(StorageError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count * Self.sectorSize)
        var done = 0
        while done < bytes.count {
            let offset = off_t(first) * off_t(Self.sectorSize) + off_t(done)
            let result = bytes.withUnsafeMutableBytes { buffer in
                let piece = min(buffer.count - done, Self.pieceByteCount)
                return pread(descriptor.raw, buffer.baseAddress.map { $0 + done }, piece, offset)
            }
            if result < 0, errno == EINTR { continue }
            guard result > 0 else {
                throw StorageError("pread", errno: result == 0 ? EIO : errno, path)
            }
            done += result
        }
        return bytes
    }
}
