import ArgumentParser
import ClientSupport
import ControlProtocol
import Glibc
import HardwareIO
import LinuxIO
import LinuxPlatform
import ProvisioningIO

struct StorePartitionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "partition",
        abstract: "Marks an empty partition as the journal's.",
        discussion: """
            A file system writes up to 16 KB of its own for each block of the journal; on a \
            partition it writes none, and the card lasts longer: see `roost store plan`. \
            An image has such a partition. Raspberry Pi OS leaves 8 MiB free before the first \
            one, on older cards 4; sfdisk makes a partition there, and partx tells the kernel:

            echo 'start=4MiB, size=4MiB, type=da' |
              sudo sfdisk --append --no-reread --no-tell-kernel --backup /dev/mmcblk0
            sudo partx --update /dev/mmcblk0

            This command writes the first 4 KiB of a partition, and no table. It refuses one \
            that is mounted or in use, has a file system or any byte that is not zero, has \
            another type, or is not of 1 to 16 MiB.

            Exit codes: 0 marked, or marked before; 1 refused, with the reason; 64 wrong usage.

            Example: sudo roost store partition /dev/mmcblk0p3
            """
    )
    private static let blockSize = 4_096

    @Argument(help: "The partition, as /dev/mmcblk0p3.")
    var device: String

    @Flag(help: "Print JSON instead of words.")
    var json = false

    func run() throws {
        let report = try mark(facts())
        if json {
            Output.line(try ControlCodec.line(report))
        } else {
            for line in report.lines { Output.line(line) }
        }
        if report.refusal != nil { throw ExitCode(1) }
    }

    /// Gathers what the kernel and blkid say of the partition.
    ///
    /// - Throws: `ClientFailure`.
    private func facts() throws -> PartitionFacts {
        guard let found = BlockDevice(node: device), let disk = found.disk,
            let part = disk.partitions.first(where: { $0.name == found.name })
        else {
            throw ClientFailure(
                message: "\(device): not a partition; name an empty one "
                    + "(`roost store partition --help` shows how to make it)",
                exitCode: 1
            )
        }
        let text: String
        do throws(UpdateError) {
            let command = ["/usr/sbin/blkid", "-p", "-o", "export", device]
            text = try ChildProgram.output(of: command)
        } catch {
            throw ClientFailure(message: "\(error); sudo apt install util-linux", exitCode: 1)
        }
        return PartitionFacts(
            path: device,
            disk: disk.path,
            number: part.number,
            sectorCount: part.sectorCount,
            tags: PartitionFacts.tags(text)
        )
    }

    /// Writes the mark, unless it is there or something is against it.
    ///
    /// - Throws: `ClientFailure`.
    private func mark(_ found: PartitionFacts) throws -> PartitionReport {
        var facts = found
        if facts.hasJournalType, JournalPartitionFinder.isMarked(device) {
            return PartitionReport(device, isNew: false)
        }
        do throws(StorageError) {
            // A device that is mounted, or that the station uses, is refused here.
            let storage = try FileBlockStorage(
                path: device,
                blockSize: Self.blockSize,
                blockCount: nil
            )
            if facts.refusal == nil { facts.firstByte = try Self.firstByte(in: storage) }
            if let refusal = facts.refusal { return PartitionReport(facts, refusal) }
            let mark = facts.mark(blockSize: Self.blockSize)
            try storage.write(0, mark.block)
            try storage.sync()
            return PartitionReport(device, isNew: true)
        } catch {
            let isForbidden = if case .noPermission = error { geteuid() != 0 } else { false }
            throw ClientFailure(
                message: isForbidden ? "\(device): only root may open it; use sudo" : "\(error)",
                exitCode: 1
            )
        }
    }

    /// Offset of the first byte that is not zero; nil when all are.
    private static func firstByte(in storage: FileBlockStorage) throws(StorageError) -> Int? {
        for index in 0..<storage.blockCount {
            if let place = try storage.read(index).firstIndex(where: { $0 != 0 }) {
                return index * blockSize + place
            }
        }
        return nil
    }
}
