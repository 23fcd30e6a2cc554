import LinuxPlatform
import Station

/// GPIO chips and their lines.
struct DoctorPins: Hashable {
    /// GPIO chips of the machine; nil for an image.
    var chips: [DoctorChip]?
    /// Version of libgpiod, such as `1.6.3`.
    var library = ""
    /// The firmware's `config.txt`; nil without one.
    var firmwareFile: String?
    /// Whether the firmware's file switches SPI on; nil when it does not mention SPI.
    var spiIsAskedFor: Bool?
    /// Nodes of SPI0, which are there while it is on.
    var spiNodes: [String] = []
}

extension DoctorPins {
    init(_ tree: DoctorTree, _ machine: DoctorMachine) {
        chips = machine.chips()
        library = machine.library
        let files = ["/boot/firmware/config.txt", "/boot/config.txt"]
        firmwareFile = files.first(where: tree.exists)
        spiIsAskedFor = firmwareFile.flatMap(tree.text).flatMap(Self.spi)
        spiNodes = tree.names("/dev").filter { $0.hasPrefix("spidev0.") }.map { "/dev/\($0)" }
    }

    /// Returns the last setting of SPI in `config.txt`: `dtparam=spi=on`, `dtparam=i2c_arm=on,spi`.
    ///
    /// Sections for one model count as if they were for all.
    ///
    /// - Source: Raspberry Pi, *Device Trees, overlays, and parameters*: `on` by default.
    static func spi(_ text: String) -> Bool? {
        var answer: Bool?
        for line in text.split(separator: "\n").map(\.trimmed) where line.hasPrefix("dtparam=") {
            for part in line.dropFirst("dtparam=".count).split(separator: ",") {
                let words = part.split(separator: "=").map(\.trimmed)
                guard words.first == "spi" else { continue }
                answer = words.count < 2 || ["on", "true", "yes", "1"].contains(words[1])
            }
        }
        return answer
    }
}
