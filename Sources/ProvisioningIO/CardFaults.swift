import FileIO
import Glibc
import HardwareIO
import Provisioning

/// Faults of the card that an image's machine runs from.
package struct CardFaults {
    /// Number of the partition that holds the journal.
    private static let journalNumber = 5

    private let machine: ImageMachine

    package init(of machine: ImageMachine) { self.machine = machine }

    /// A sentence each, for the owner.
    ///
    /// The memory disk says itself what it found wrong with the card's size, roots and data.
    package var all: [String] {
        var faults: [String] = []
        let missing = BootFiles.missing { name in
            var status = stat()
            return stat("\(machine.boot.folder)/\(name)", &status) == 0 ? Int(status.st_size) : nil
        }
        if !missing.isEmpty {
            faults.append(
                "The card: the boot partition lacks \(missing.joined(separator: ", ")); copy them "
                    + "from the image's boot partition, or write the card again."
            )
        }
        if let running = machine.running,
            case .standIn(let good) = TrialState(machine.slots, running: running)
        {
            faults.append(
                "The card: root \(running.rawValue) runs, as root \(good.rawValue), the good one, "
                    + "did not start; install an update: roost update install."
            )
        }
        if let journalFault {
            faults.append(
                "The card: partition \(Self.journalNumber) \(journalFault.what): the station "
                    + "writes a file instead; at the station: \(journalFault.command)."
            )
        }
        return faults
    }

    private var journalFault: (what: String, command: String)? {
        let path = try? machine.partition(Self.journalNumber)
        guard let path, access(path, F_OK) == 0 else {
            return ("is absent", "roost store partition --help")
        }
        let bytes = Files.start(of: path, limit: 512, allowing: [.links, .devices])
        guard bytes.flatMap({ JournalPartition($0) }) == nil else { return nil }
        return ("is not marked as the journal's", "sudo roost store partition \(path)")
    }
}
