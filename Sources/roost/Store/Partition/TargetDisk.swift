import ClientSupport
import Glibc
import HardwareIO
import LinuxIO
import Store

/// The disk that a command works on, with what the kernel knows of it.
struct TargetDisk {
    let sectors: WholeDisk
    /// nil for an image.
    let device: BlockDevice?

    var path: String { sectors.path }

    /// Opens the disk that was named, or the one with `/`.
    ///
    /// - Throws: `ClientFailure`.
    init(_ named: String?, isReadOnly: Bool) throws {
        let path = try named ?? Self.diskOfRoot()
        device = BlockDevice(node: path)
        if let disk = device?.disk {
            throw Self.failure("\(path): a partition; name its disk: \(disk.path)")
        }
        if let holders = device?.holders, !holders.isEmpty {
            throw Self.failure(
                "\(path): \(holders.joined(separator: ", ")) is built on the whole disk; "
                    + "leave the journal in the store's folder"
            )
        }
        do { sectors = try WholeDisk(path: path, isReadOnly: isReadOnly) } catch {
            throw Self.failure(error, path)
        }
        guard sectors.logicalSectorSize == SectorWrite.sectorSize else {
            throw Self.failure(
                "\(path): has sectors of \(sectors.logicalSectorSize) bytes, and this command "
                    + "knows those of 512; leave the journal in the store's folder"
            )
        }
    }

    private static func diskOfRoot() throws -> String {
        guard let device = BlockDevice(holding: "/") else {
            throw failure(
                "/ lies on no disk that the kernel names (an overlay, a container?); "
                    + "name the disk: roost store partition /dev/mmcblk0"
            )
        }
        return (device.disk ?? device).path
    }

    /// The name that a partition of the disk has; of an image, `partition 3`.
    func name(of number: Int) -> String {
        device.map { "/dev/\($0.partitionName(number))" } ?? "partition \(number)"
    }

    /// Refuses while the kernel uses another table than the one on the disk.
    ///
    /// - Throws: `ClientFailure`.
    func demandKernelAgrees(with entries: [PartitionEntry]) throws {
        guard let device else { return }
        for known in device.partitions where known.number <= 128 {
            let entry = entries.first { $0.number == known.number }
            // Logical partitions of an MBR are in no entry of it.
            guard entry == nil ? known.number < 5 : entry?.first != known.first else { continue }
            throw Self.failure(
                "\(path): the kernel knows \(known.path) where the table on the disk says "
                    + "something else; restart the machine, and try again"
            )
        }
    }

    static func failure(_ message: String) -> ClientFailure {
        ClientFailure(message: message, exitCode: 1)
    }

    static func failure(_ error: StorageError, _ path: String) -> ClientFailure {
        switch error {
        case .noPermission where geteuid() == 0:
            failure("\(path): the system does not let root open the disk (a container?)")
        case .noPermission: failure("\(path): only root may open the disk; use sudo")
        case .absent: failure("\(path): not there; `lsblk` lists the disks")
        case .readOnly: failure("\(path): read-only; nothing was changed")
        case .busy:
            failure("\(path): another program is at work on its table; try again when it is done")
        case .failed(_, ENOTBLK, _), .failed(_, EISDIR, _):
            failure("\(path): neither a disk nor an image of one; `lsblk` lists the disks")
        default: failure("\(error)")
        }
    }
}
