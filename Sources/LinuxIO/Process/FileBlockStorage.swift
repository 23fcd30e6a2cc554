import CLinux
import FileIO
import Glibc
import HardwareIO

/// A preallocated file or a block device, read and written in whole blocks.
package final class FileBlockStorage: BlockStorage {
    /// How the page cache is used.
    package enum Caching: Hashable, Sendable {
        case buffered
        /// `O_DIRECT` where the file system supports it, else buffered.
        case direct
    }

    package let path: String
    package let blockSize: Int
    package let blockCount: Int
    package let isDevice: Bool
    /// Asked for, or because the file system is read-only.
    package let isReadOnly: Bool
    /// Whether `open` made the file.
    package let isNew: Bool
    /// Byte offset of the first block: behind the header of a journal partition.
    private let ringOffset: Int
    /// Whether writes pass the page cache by.
    package private(set) var isDirect = false

    /// Writes, syncs and bytes since it was opened, as asked of the kernel.
    package private(set) var writeCount = 0
    package private(set) var syncCount = 0
    package private(set) var byteCount = 0

    private let descriptor: OwnedDescriptor
    /// One block, aligned for `O_DIRECT`.
    private let buffer: UnsafeMutableRawBufferPointer

    /// Opens the ring at `path`; makes the file when there is none.
    ///
    /// A file is made under another name, filled with real zeros, synced, renamed, and its folder
    /// synced: a cut leaves all of it or none. On a read-only card it opens for reading; writes
    /// then throw `.readOnly`. A mounted device is refused. What `JournalPartition` marks says
    /// itself how many blocks it has.
    ///
    /// - Parameters:
    ///   - path: A file, or a block device such as `/dev/mmcblk0p3`.
    ///   - blockSize: Bytes of a block, a multiple of 512.
    ///   - blockCount: Blocks wanted; nil opens an existing file and makes none.
    ///   - caching: Figures for the choice are in SPEC.md, section Journal.
    ///   - isReadOnly: Asks for no permission to write, and not to be the only one.
    /// - Throws: `StorageError`; `.wrongSize` when a file has not exactly, or a device not at
    ///   least, the size that was wanted.
    package init(
        path: String,
        blockSize: Int = 4_096,
        blockCount: Int?,
        caching: Caching = .direct,
        isReadOnly: Bool = false
    ) throws(StorageError) {
        precondition(blockSize > 0 && blockSize % 512 == 0, "blocks are multiples of 512 bytes")
        var status = stat()
        if let blockCount, stat(path, &status) != 0, errno == ENOENT {
            try Self.create(path, byteCount: blockSize * blockCount)
            isNew = true
        } else {
            isNew = false
        }
        descriptor = try Self.open(path, isReadOnly: isReadOnly)
        self.isReadOnly = fcntl(descriptor.raw, F_GETFL) & O_ACCMODE == O_RDONLY
        let geometry = try Self.geometry(of: descriptor.raw, path)
        let found = geometry.byteCount
        isDevice = geometry.isDevice
        self.path = path
        self.blockSize = blockSize
        let partition = Self.journalPartition(descriptor.raw)
        ringOffset = partition == nil ? 0 : blockSize
        self.blockCount = partition?.blockCount ?? blockCount ?? found / blockSize
        let wanted = blockSize * self.blockCount + ringOffset
        let isOtherSize = partition.map { $0.blockSize != blockSize } ?? false
        guard wanted > 0, !isOtherSize, isDevice ? found >= wanted : found == wanted else {
            throw .wrongSize(path: path, found: found, wanted: max(wanted, blockSize))
        }
        buffer = .allocate(byteCount: blockSize, alignment: 4_096)
        if caching == .direct {
            let flags = fcntl(descriptor.raw, F_GETFL)
            isDirect = fcntl(descriptor.raw, F_SETFL, flags | clinux_O_DIRECT) == 0
        }
    }

    deinit { buffer.deallocate() }

    package func read(_ index: Int) throws(StorageError) -> [UInt8] {
        try transfer("pread", index, blockSize) { raw, bytes, count, offset in
            pread(raw, bytes, count, offset)
        }
        return Array(buffer)
    }

    package func write(_ index: Int, _ bytes: [UInt8]) throws(StorageError) {
        precondition(bytes.count % 512 == 0 && (512...blockSize).contains(bytes.count))
        buffer.copyBytes(from: bytes)
        try transfer("pwrite", index, bytes.count) { raw, bytes, count, offset in
            pwrite(raw, bytes, count, offset)
        }
        writeCount += 1
        byteCount += bytes.count
    }

    package func sync() throws(StorageError) {
        do {
            try check("fdatasync", path: path) { fdatasync(descriptor.raw) }
        } catch {
            throw StorageError(error, path)
        }
        syncCount += 1
    }

    /// Moves bytes of one block between buffer and card, in as many pieces as the kernel needs.
    private func transfer(
        _ call: String,
        _ index: Int,
        _ count: Int,
        _ body: (Int32, UnsafeMutableRawPointer, Int, off_t) -> Int
    ) throws(StorageError) {
        precondition((0..<blockCount).contains(index), "no such block")
        guard let start = buffer.baseAddress else { return }
        var done = 0
        while done < count {
            let offset = off_t(ringOffset + index * blockSize + done)
            let result = body(descriptor.raw, start + done, count - done, offset)
            if result > 0 {
                done += result
            } else if result < 0, errno == EINTR {
                continue
            } else if result < 0, errno == EINVAL, isDirect {
                // A device with larger sectors, or a file system without direct writes.
                isDirect = false
                let flags = fcntl(descriptor.raw, F_GETFL)
                _ = fcntl(descriptor.raw, F_SETFL, flags & ~clinux_O_DIRECT)
            } else {
                throw StorageError(call, errno: result == 0 ? EIO : errno, path)
            }
        }
    }

    // MARK: - Opening

    private static func open(
        _ path: String,
        isReadOnly: Bool
    ) throws(StorageError) -> OwnedDescriptor {
        var status = stat()
        let kind = stat(path, &status) == 0 ? status.st_mode & S_IFMT : S_IFREG
        // Opening a pipe for reading waits for a writer, possibly without end.
        guard kind != S_IFIFO else { throw .failed(call: "open", errno: ENOTBLK, path: path) }
        let isDevice = kind == S_IFBLK
        // On a device O_EXCL asks for one that is not mounted.
        let flags = O_CLOEXEC | (isDevice && !isReadOnly ? O_EXCL : 0)
        let access = isReadOnly ? O_RDONLY : O_RDWR
        do {
            return OwnedDescriptor(
                try check("open", path: path) { Glibc.open(path, flags | access) }
            )
        } catch {
            let raw = errnoIsReadOnly(error) ? Glibc.open(path, flags | O_RDONLY) : -1
            guard raw >= 0 else { throw StorageError(error, path) }
            return OwnedDescriptor(raw)
        }
    }

    private static func errnoIsReadOnly(_ error: LinuxError) -> Bool {
        if case .system(_, EROFS, _) = error { true } else { false }
    }

    private static func geometry(
        of raw: Int32,
        _ path: String
    ) throws(StorageError) -> (isDevice: Bool, byteCount: Int) {
        do {
            var status = stat()
            try check("fstat", path: path) { fstat(raw, &status) }
            switch status.st_mode & S_IFMT {
            case S_IFREG: return (false, Int(status.st_size))
            case S_IFBLK:
                var byteCount: UInt64 = 0
                try check("ioctl", path: path) {
                    clinux_ioctl(raw, clinux_BLKGETSIZE64, &byteCount)
                }
                return (true, Int(clamping: byteCount))
            default: throw LinuxError.system(call: "open", errno: ENOTBLK, path: path)
            }
        } catch let error as LinuxError {
            throw StorageError(error, path)
        } catch {
            throw .failed(call: "open", errno: EINVAL, path: path)
        }
    }

    /// Reads the header of a journal partition; nil for any other partition.
    private static func journalPartition(_ raw: Int32) -> JournalPartition? {
        var bytes = [UInt8](repeating: 0, count: 512)
        return pread(raw, &bytes, bytes.count, 0) == bytes.count ? JournalPartition(bytes) : nil
    }

    private static func create(_ path: String, byteCount: Int) throws(StorageError) {
        let temporary = path + ".new"
        unlink(temporary)
        do {
            let raw = try check("open", path: path) {
                Glibc.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
            }
            let owned = OwnedDescriptor(raw)
            try fillWithZeros(owned.raw, path, byteCount: byteCount)
            try check("fsync", path: path) { fsync(owned.raw) }
            try check("rename", path: path) { rename(temporary, path) }
            try syncFolder(of: path)
        } catch {
            unlink(temporary)
            throw StorageError(error, path)
        }
    }

    /// Zeros that were written, not a hole: later writes then change no metadata of the file.
    private static func fillWithZeros(
        _ raw: Int32,
        _ path: String,
        byteCount: Int
    ) throws(LinuxError) {
        let zeros = [UInt8](repeating: 0, count: min(byteCount, 65_536))
        var done = 0
        while done < byteCount {
            done += try check("write", path: path) {
                Glibc.write(raw, zeros, min(zeros.count, byteCount - done))
            }
        }
    }

    private static func syncFolder(of path: String) throws(LinuxError) {
        let name = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let folder = OwnedDescriptor(
            try check("open", path: name) {
                Glibc.open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            }
        )
        try check("fsync", path: name) { fsync(folder.raw) }
    }
}

extension StorageError {
    /// Converts a kernel error to an error of the card.
    init(_ error: LinuxError, _ path: String) {
        if case .system(let call, let errno, let about) = error {
            self.init(call, errno: errno, about ?? path)
        } else {
            self = .failed(call: "open", errno: EBADF, path: path)
        }
    }

    /// Converts the error of a file to an error of the card.
    package init(_ error: FileError) {
        switch error.reason {
        case .system(let call, let code): self.init(call, errno: code, error.path)
        case .tooLong: self = .failed(call: "read", errno: error.code, path: error.path)
        default: self = .failed(call: "open", errno: error.code, path: error.path)
        }
    }

    package init(_ call: String, errno: Int32, _ path: String) {
        self =
            switch errno {
            case ENOSPC, EDQUOT: .full(path: path)
            case EROFS, EBADF: .readOnly(path: path)  // EBADF: it was opened for reading alone.
            case ENOENT, ENOTDIR, ENXIO, ENODEV: .absent(path: path)
            case EACCES, EPERM: .noPermission(path: path)
            case EBUSY: .busy(path: path)
            default: .failed(call: call, errno: errno, path: path)
            }
    }
}
