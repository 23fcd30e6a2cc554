import FileIO
import Glibc
import HardwareIO
import Provisioning

extension ImageMachine {
    /// Number of the partition that holds the journal.
    private static let journalNumber = 5

    /// Faults of the card that the machine runs from, a sentence each, for its owner.
    ///
    /// The memory disk says itself what it found wrong with the card's size, roots and data.
    package var cardFaults: [String] {
        var faults: [String] = []
        let missing = BootFiles.missing { name in
            var status = stat()
            return stat("\(boot.folder)/\(name)", &status) == 0 ? Int(status.st_size) : nil
        }
        if !missing.isEmpty {
            faults.append(
                "The card: the boot partition lacks \(missing.joined(separator: ", ")); copy them "
                    + "from the image's boot partition, or write the card again."
            )
        }
        if let running, case .standIn(let good) = TrialState(slots, running: running) {
            faults.append(
                "The card: root \(running.rawValue) runs, as root \(good.rawValue), the good one, "
                    + "did not start; install an update: roost update install."
            )
        }
        if !isJournalMarked {
            faults.append(
                "The card: partition \(Self.journalNumber) is absent or not marked as the "
                    + "journal's: the station writes a file instead; at the station: "
                    + "sudo roost store partition --make."
            )
        }
        return faults
    }

    private var isJournalMarked: Bool {
        guard let path = try? partition(Self.journalNumber) else { return false }
        let bytes = Files.start(of: path, limit: 512, allowing: [.links, .devices])
        return bytes.flatMap { JournalPartition($0) } != nil
    }
}
