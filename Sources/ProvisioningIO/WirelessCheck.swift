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

    /// - Parameter evidence: A file with what `WirelessEvidence` reads.
    /// - Returns: The finding, and the error of writing it; nothing where all is well.
    package func run(_ evidence: String) -> [String] {
        let configuration = Files.text(writer.root + SettingsWriter.wireless) ?? ""
        let seen = Files.text(evidence, limit: 1 << 20) ?? ""
        let before = writer.present
        var words = before
        words.wireless = WirelessFinding(seen, configuration: configuration)?.line
        let said = writer.write(words)
        return (said.wireless.map { [$0] } ?? []) + said.notes.dropFirst(words.notes.count)
    }
}
