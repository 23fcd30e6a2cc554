import HardwareIO
import Provisioning
import Station

/// Faults of the card and of the files on it, as the last start of an image found them.
package enum CardStart {
    /// Reads the messages of the memory disk, one sentence a line, 16 at most.
    ///
    /// None without an image, or where the card was whole.
    package static func said(_ tree: DoctorTree) -> [String] {
        lines(tree.text("/run/roost-start.said"), limit: 16)
    }

    /// Reads what the station counts as faults: at the last start, or as long as it lasts.
    package static func findings(_ tree: DoctorTree) -> StartFindings {
        StartFindings(
            fileProblems: lines(tree.text("/run/\(ProvisionWords.problemsName)"), limit: 60),
            isDataInMemory: tree.line("/run/roost-data-on") == "memory",
            wireless: lines(tree.text("/run/\(WirelessFinding.fileName)"), limit: 1).first
        )
    }

    /// Splits a text into lines that a person may read on a terminal.
    static func lines(_ text: String?, limit: Int) -> [String] {
        (text ?? "").split(whereSeparator: \.isNewline).prefix(limit)
            .map { PlainText.shown($0, limit: 300) }
    }
}
