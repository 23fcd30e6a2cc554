import CLinux
import Glibc
import HardwareIO

/// A whole disk, or an image of one in a file, by sectors; its partitions may be mounted.
package final class WholeDisk: DiskSectors {
    private static let sectorSize = 512
    /// Bytes of one system call.
    private static let pieceByteCount = 1 << 20

    package let path: String
    /// Whether it is a file.
    package let isImage: Bool
    package let sectorCount: UInt64
    /// Bytes of what the disk calls a sector; tables count in these.
    package let logicalSectorSize: Int

    private let descriptor: OwnedDescriptor

    /// Opens it; for writing, takes the lock that keeps udev and other tools from its table.
    ///
    /// - Throws: `StorageError`; `.busy` while another program has that lock.
    package init(path: String, isReadOnly: Bool) throws(StorageError) {
        self.path = path
        do {
            let flags = (isReadOnly ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NONBLOCK
            descriptor = OwnedDescriptor(
                try check("open", path: path) { Glibc.open(path, flags) }
            )
            let raw = descriptor.raw
            var status = stat()
            try check("fstat", path: path) { fstat(raw, &status) }
            var byteCount = UInt64(clamping: status.st_size)
            var sectorSize: Int32 = Int32(Self.sectorSize)
            switch status.st_mode & S_IFMT {
            case S_IFREG: isImage = true
            case S_IFBLK:
                isImage = false
                try check("ioctl", path: path) {
                    clinux_ioctl(raw, clinux_BLKGETSIZE64, &byteCount)
                }
                try check("ioctl", path: path) { clinux_ioctl(raw, clinux_BLKSSZGET, &sectorSize) }
            default: throw LinuxError.system(call: "open", errno: ENOTBLK, path: path)
            }
            sectorCount = byteCount / UInt64(Self.sectorSize)
            logicalSectorSize = Int(sectorSize)
            // Drop the disk's page cache: it lacks data written through the partitions.
            posix_fadvise(raw, 0, 0, POSIX_FADV_DONTNEED)
            if !isReadOnly, flock(raw, LOCK_EX | LOCK_NB) != 0 {
                throw LinuxError.system(call: "flock", errno: EBUSY, path: path)
            }
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

    /// Writes sectors and waits until they are durable.
    package func write(_ first: UInt64, _ bytes: [UInt8]) throws(StorageError) {
        precondition(bytes.count % Self.sectorSize == 0, "whole sectors")
        var done = 0
        while done < bytes.count {
            let offset = off_t(first) * off_t(Self.sectorSize) + off_t(done)
            let result = bytes.withUnsafeBytes { buffer in
                let piece = min(buffer.count - done, Self.pieceByteCount)
                return pwrite(descriptor.raw, buffer.baseAddress.map { $0 + done }, piece, offset)
            }
            if result < 0, errno == EINTR { continue }
            guard result > 0 else {
                throw StorageError("pwrite", errno: result == 0 ? EIO : errno, path)
            }
            done += result
        }
        guard fsync(descriptor.raw) == 0 else { throw StorageError("fsync", errno: errno, path) }
    }

    /// Informs the kernel of a new partition, even while others are mounted.
    ///
    /// - Throws: `StorageError`; `.busy` when it overlaps another, or has its number.
    package func add(
        partition number: Int,
        first: UInt64,
        sectorCount: UInt64
    ) throws(StorageError) {
        let size = Int64(Self.sectorSize)
        let (start, length) = (Int64(first) * size, Int64(sectorCount) * size)
        guard clinux_partition_add(descriptor.raw, Int32(number), start, length) == 0 else {
            throw StorageError("BLKPG", errno: errno, path)
        }
    }

    /// Makes the kernel forget a partition.
    ///
    /// - Throws: `StorageError`; `.busy` while it is in use.
    package func remove(partition number: Int) throws(StorageError) {
        guard clinux_partition_remove(descriptor.raw, Int32(number)) == 0 else {
            throw StorageError("BLKPG", errno: errno, path)
        }
    }
}
