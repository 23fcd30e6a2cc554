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
    /// Files by which a board starts that are absent or empty; nil without the boot partition.
    var missing: [String]?
    /// Mistakes in the owner's files on a card that does not run, with file and line.
    var mistakes: [String] = []
}

extension DoctorBoard {
    private static let folder = "/boot/firmware"

    init(_ tree: DoctorTree, isImage: Bool) {
        guard let bytes = tree.bytes("/usr/lib/roost/image.json") else { return }
        version = "unknown"
        if case .object(let fields)? = try? JSONParser.parse(bytes),
            case .string(let text)? = fields["version"]
        {
            version = text
        }
        running = tree.line("/run/roost-slot").flatMap { RootSlot(text: $0) }
        let folder = Self.folder
        if tree.exists("\(folder)/slot.txt") {
            missing = BootFiles.missing { tree.bytes("\(folder)/\($0)")?.count }
            slots = BootSlots(
                slotText: tree.text("\(folder)/slot.txt"),
                triedText: tree.text("\(folder)/tried.txt")
            )
        }
        dataOn = tree.line("/run/roost-data-on")
        start = CardStart.said(tree)
        let place = isImage ? folder : "/run"
        let said = CardStart.lines(tree.text("\(place)/\(ProvisionWords.name)"), limit: 40)
        self.said = said.dropFirst().filter { !start.contains($0) && $0 != "All is well." }
        if isImage { mistakes = Self.mistakes(tree) }
    }

    /// Reads the owner's files as the next start does, which alone knows the time zones.
    private static func mistakes(_ tree: DoctorTree) -> [String] {
        let readers: [(String, ([UInt8]) -> [ProvisionProblem])] = [
            (StationFile.name, { StationFile.read($0) { _ in true }.problems }),
            (ImagerScript.name, { ImagerScript.read($0) { _ in true }.problems }),
            (CloudInitFiles.userName, { CloudInitFiles.readUser($0) { _ in true }.problems }),
            (CloudInitFiles.networkName, { CloudInitFiles.readNetwork($0).problems }),
            (ClaimCode.name, { ClaimCode.problem($0).map { [$0] } ?? [] }),
        ]
        return readers.flatMap { name, read in
            tree.bytes("\(folder)/\(name)").map(read) ?? []
        }.map(\.description)
    }
}
