import HardwareIO
import Profiles
import Provisioning

/// State of a station that runs from an image, as its start recorded it.
struct DoctorBoard: Hashable {
    /// The version and the board that the image was made for; nil without an image.
    var version: String?
    var running: RootSlot?
    var slots: BootSlots?
    /// `card` or `memory`.
    var dataOn: String?
    /// Lines of `roost-said.txt` but those of the card's start.
    var said: [String] = []
    /// Messages of the memory disk about the card at the last start, a sentence a line.
    var start: [String] = []
}

extension DoctorBoard {
    init(_ tree: DoctorTree) {
        guard let bytes = tree.bytes("/usr/lib/roost/image.json") else { return }
        version = "unknown"
        if case .object(let fields)? = try? JSONParser.parse(bytes),
            case .string(let text)? = fields["version"]
        {
            version = text
        }
        running = tree.line("/run/roost-slot").flatMap { RootSlot(text: $0) }
        let folder = "/boot/firmware"
        if tree.exists("\(folder)/slot.txt") {
            slots = BootSlots(
                slotText: tree.text("\(folder)/slot.txt"),
                triedText: tree.text("\(folder)/tried.txt")
            )
        }
        dataOn = tree.line("/run/roost-data-on")
        start = CardStart.said(tree)
        let said = CardStart.lines(tree.text("/run/\(ProvisionWords.name)"), limit: 40)
        self.said = said.dropFirst().filter { !start.contains($0) }
    }
}
