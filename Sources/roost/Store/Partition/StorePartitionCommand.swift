import ArgumentParser
import ClientSupport
import ControlProtocol
import Store
import StoreQueries

struct StorePartitionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "partition",
        abstract: "Gives the journal a partition of its own, in the gap before partition 1.",
        discussion: """
            A file system writes up to 16 KB of its own for each block of the journal; on a
            partition it writes none, and the card lasts longer: see `roost store plan`.
            Raspberry Pi OS leaves 4 or 8 MiB free before the first partition. Without --make
            or --undo this command only says what is there and what would be done.

            Other partitions keep their places and numbers, and may be mounted. The table is
            first kept in a file as it was. A gap that is not empty is left alone: there may
            be a boot loader. Of a GPT both copies are written, the second one first.

            To use it: "store": {"journal": "auto"} in /etc/roost/roost.json, then
            `sudo systemctl restart roostd`. Stop the station before --undo.

            Exit codes: 0 done, or possible; 1 refused, with the reason; 64 wrong usage.

            Examples: sudo roost store partition
                      sudo roost store partition --make
                      sudo roost store partition /dev/mmcblk0 --undo
                      roost store partition card.img --make --backup table.bin --json
            """
    )
    @Argument(help: "The disk, or an image of one; the disk with / when left out.")
    var device: String?

    @Flag(help: "Make the partition.")
    var make = false

    @Flag(help: "Remove the partition; blocks that wait in it go to journal.ring in the folder.")
    var undo = false

    @Option(help: "Where the table is kept as it was; below /var/backups when left out.")
    var backup: String?

    @Option(help: "The store's folder, for --undo.")
    var store = StoreFolder.standard

    @Flag(help: "Print JSON instead of words.")
    var json = false

    func validate() throws {
        if make, undo { throw ValidationError("give --make or --undo, not both") }
        if backup != nil, !make, !undo {
            throw ValidationError("--backup goes with --make or --undo")
        }
    }

    func run() throws {
        var job = PartitionJob(try TargetDisk(device, isReadOnly: !make && !undo))
        if undo {
            try job.undo(backup: backup, folder: StoreFolder(path: store))
        } else {
            try job.make(backup: backup, isDryRun: !make)
        }
        if json {
            Output.line(try ControlCodec.line(job.report))
        } else {
            for line in job.report.lines { Output.line(line) }
        }
        if job.report.refusal != nil { throw ExitCode(1) }
    }
}
