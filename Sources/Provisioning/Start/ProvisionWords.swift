/// `roost-said.txt`: what the station says of the files beside it.
///
/// Without times, so that a start at which nothing changed does not write it again.
package struct ProvisionWords: Hashable, Codable, Sendable {
    package static let name = "roost-said.txt"
    /// Name of the file in `/run` with the same as JSON, for messages that come later.
    package static let partsName = "roost-said.json"
    /// Name of the file in `/run` with the mistakes, one a line, for the station's own faults.
    package static let problemsName = "roost-problems.txt"
    /// Lines at most.
    private static let lineCountMax = 60

    /// Messages of the card's start.
    package var start: [String] = []
    package var problems: [ProvisionProblem] = []
    /// Notes on settings that were taken, and where they are no longer.
    package var notes: [String] = []
    /// Why the station is not in its Wi-Fi, as `WirelessFinding` writes it.
    package var wireless: String?

    package init() {}

    package var isEmpty: Bool { self == ProvisionWords() }

    /// The text with the line ends of Windows, as most people read it there.
    package var text: String {
        var lines = [
            "What the station says of the files on this card, and of the card itself.", "",
        ]
        lines += start
        lines += problems.map(\.description)
        if let wireless { lines.append(wireless) }
        if isEmpty { lines.append("All is well.") }
        if !problems.isEmpty || wireless != nil {
            lines += ["", "Correct the file on any computer, and start the station again."]
        }
        if !notes.isEmpty { lines += [""] + notes }
        if lines.count > Self.lineCountMax {
            lines = lines.prefix(Self.lineCountMax) + ["There is more: correct these first."]
        }
        return lines.joined(separator: "\r\n") + "\r\n"
    }
}
