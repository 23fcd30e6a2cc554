import CLinux
import Glibc
import HardwareIO
import Provisioning

/// The root that does not run, and the boot partition, of this machine's card.
package final class LinuxUpdateCard: UpdateCard {
    private static let alignment = 4_096

    private let slot: RootSlot
    private let path: String
    private let boot: BootPartition
    private let descriptor: Int32
    package let byteCount: Int

    /// Opens the partition for this process alone.
    ///
    /// - Parameters:
    ///   - path: The partition's device, or a file in tests.
    /// - Throws: `UpdateError.failed`; also while the partition is mounted.
    package init(path: String, slot: RootSlot, boot: BootPartition) throws(UpdateError) {
        (self.path, self.slot, self.boot) = (path, slot, boot)
        // On a device O_EXCL asks for one that is not mounted.
        descriptor = open(path, O_RDWR | O_EXCL | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure("open", path) }
        let end = lseek(descriptor, 0, SEEK_END)
        guard end >= 0 else {
            close(descriptor)
            throw Self.failure("lseek", path)
        }
        byteCount = Int(end)
    }

    deinit { close(descriptor) }

    private static func failure(_ call: String, _ path: String) -> UpdateError {
        let why =
            switch errno {
            case EBUSY: "in use: unmount it first"
            case EACCES, EPERM: "only root may write it: type sudo in front"
            case EIO: "the card fails (EIO): replace it"
            default: "\(call): \(String(cString: strerror(errno)))"
            }
        return .failed("\(path): \(why)")
    }

    package func write(
        _ bytes: [UInt8],
        at offset: Int,
        of slot: RootSlot
    ) throws(UpdateError) {
        precondition(slot == self.slot, "the root that runs is not written")
        guard offset + bytes.count <= byteCount else {
            throw .failed("\(path) has \(byteCount) bytes, too few for this update")
        }
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                let rest = UnsafeRawBufferPointer(rebasing: buffer[done...])
                return pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("pwrite", path) }
            done += count
        }
    }

    package func flush(_ slot: RootSlot) throws(UpdateError) {
        guard fdatasync(descriptor) == 0 else { throw Self.failure("fdatasync", path) }
    }

    package func read(
        _ offset: Int,
        count: Int,
        of slot: RootSlot
    ) throws(UpdateError) -> [UInt8] {
        // Where the kernel offers no way around its memory, it is at least asked to forget.
        let direct = open(path, O_RDONLY | clinux_O_DIRECT | O_CLOEXEC)
        defer { if direct >= 0 { close(direct) } }
        if direct < 0 {
            posix_fadvise(descriptor, off_t(offset), off_t(count), POSIX_FADV_DONTNEED)
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: count,
            alignment: Self.alignment
        )
        defer { buffer.deallocate() }
        var done = 0
        while done < count {
            let got = pread(
                direct >= 0 ? direct : descriptor,
                buffer.baseAddress?.advanced(by: done),
                count - done,
                off_t(offset + done)
            )
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { throw Self.failure("pread", path) }
            done += got
        }
        return Array(buffer)
    }

    package func writeSlots(_ sector: [UInt8]) throws(UpdateError) {
        do throws(StorageError) { try boot.write(sector: sector, "slot.txt") } catch {
            throw .failed("the boot partition cannot be written, \(error): the present root stays")
        }
    }
}
