import HardwareIO
import Provisioning
import Station

/// What the last start of an image found wrong with the card and with the files on it.
package enum CardStart {
    /// What the memory disk said: a sentence a line, 16 at most.
    ///
    /// None without an image, or where the card was whole.
    package static func said(_ tree: DoctorTree) -> [String] {
        lines(tree.text("/run/roost-start.said"), limit: 16)
    }

    /// What the station itself counts as a fault, until the next start or as long as it is so.
    package static func findings(_ tree: DoctorTree) -> StartFindings {
        StartFindings(
            fileProblems: lines(tree.text("/run/\(ProvisionWords.problemsName)"), limit: 60),
            isDataInMemory: tree.line("/run/roost-data-on") == "memory",
            wireless: lines(tree.text("/run/\(WirelessFinding.fileName)"), limit: 1).first
        )
    }

    /// Of a text that a person reads on a terminal.
    static func lines(_ text: String?, limit: Int) -> [String] {
        (text ?? "").split(whereSeparator: \.isNewline).prefix(limit)
            .map { PlainText.shown($0, limit: 300) }
    }
}
