import FileIO
import HardwareIO
import Provisioning

/// Says what keeps a station out of its owner's Wi-Fi, beside what the start said, until it is in.
package struct WirelessCheck {
    private let writer: WordsWriter

    /// - Parameters:
    ///   - root: Where the system is; empty for this machine.
    package init(boot: BootPartition, root: String) {
        writer = WordsWriter(boot: boot, root: root)
    }

    /// Says a line about the Wi-Fi in place of the one of before.
    ///
    /// - Returns: Whether it is another one.
    func say(_ line: String?) -> Bool {
        var words = writer.present
        guard words.wireless != line else { return false }
        words.wireless = line
        _ = writer.write(words)
        return true
    }

    /// Says all of it again, as a line beside it has changed.
    ///
    /// - Returns: Whether the card has it now.
    func repeatWords() -> Bool {
        let words = writer.present
        return writer.write(words).notes.count == words.notes.count
    }

    /// - Parameter evidence: A file with what `WirelessEvidence` reads.
    /// - Returns: The finding, and the error of writing it; nothing where all is well.
    package func run(_ evidence: String) -> [String] {
        let records = NetworkRecords(root: writer.root)
        let seen = Files.text(evidence, limit: 1 << 20) ?? ""
        try? records.keep(records.survey(scan: seen, status: seen, at: RadioTools.second))
        var words = writer.present
        // Without a network of its own, what the page said of the last try stays.
        if WirelessConfiguration.network(of: records.configuration) != nil {
            words.wireless = WirelessFinding(seen, configuration: records.configuration)?.line
        }
        let said = writer.write(words)
        return (said.wireless.map { [$0] } ?? []) + said.notes.dropFirst(words.notes.count)
    }
}
