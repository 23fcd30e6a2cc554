/// The sensors with a wire of their own that `overlays.txt` of the boot partition names.
///
/// - Source: packaging/image/boot/boot.txt, which adds their overlays to the board's device tree;
///   packaging/image/overlays.
package struct BoardOverlays: Hashable, Sendable {
    package static let fileName = "overlays.txt"
    /// GPIO numbers of the header that have an overlay.
    ///
    /// Those of the serial port have none: the image keeps it for a sensor, and U-Boot listens
    /// there at each start, so that another kind of part could stop it.
    package static let pins = (4...27).filter { !serialPort.contains($0) }
    private static let serialPort = 14...15

    /// Every one that an image has.
    package static let all = BoardOverlays(
        names: kinds.flatMap { kind in pins.map { "\(kind)-\($0)" } }
    )
    private static let kinds = ["w1-gpio", "dht11"]

    /// As they stand in the file: `w1-gpio-4`, `dht11-17`.
    package let names: [String]

    private init(names: [String]) { self.names = names }

    /// - Parameter text: What the file holds; nil without one.
    package init(text: String?) {
        let value = BootSlots.variables(text ?? "")["overlays"] ?? ""
        names = value.split { $0 == " " || $0 == "\r" || $0 == "\r\n" }.map(String.init)
    }

    /// Overlays at most, so that they fit into one sector.
    package static let countMax = 12

    /// A name that the image has no overlay of, or a second one for a pin.
    package struct Refusal: Error, Hashable, Sendable {
        package let words: String
    }

    /// - Throws: `Refusal`.
    package init(checking names: [String]) throws(Refusal) {
        guard names.count <= Self.countMax else {
            throw Refusal(words: "at most \(Self.countMax) sensors have a wire of their own")
        }
        var pins: Set<UInt8> = []
        for name in names {
            guard let (_, pin) = Self.parts(of: name) else {
                throw Refusal(words: "there is no overlay of this name")
            }
            guard pins.insert(pin).inserted else {
                throw Refusal(words: "GPIO\(pin) has a sensor already")
            }
        }
        self.names = names
    }

    /// The content of the file: one sector, so that a write replaces it whole or not at all.
    package var sector: [UInt8] {
        let line = Array("overlays=\(names.joined(separator: " "))\n".utf8)
        let rest = max(0, BootSlots.sectorByteCount - line.count)
        return line + [UInt8](repeating: UInt8(ascii: "\n"), count: rest)
    }

    /// Those whose nodes the running device tree has.
    package func used(_ hasNode: (String) -> Bool) -> [String] {
        names.filter { Self.node(of: $0).map(hasNode) ?? false }
    }

    /// The node that an overlay makes in the device tree; nil when the image has no such overlay.
    static func node(of name: String) -> String? {
        guard let (kind, pin) = parts(of: name) else { return nil }
        return kind == "dht11" ? "dht11@\(pin)" : "onewire-\(pin)"
    }

    private static func parts(of name: String) -> (kind: Substring, pin: UInt8)? {
        guard let dash = name.lastIndex(of: "-") else { return nil }
        let (kind, digits) = (name[..<dash], name[dash...].dropFirst())
        guard kinds.contains(String(kind)), let pin = UInt8(digits),
            pins.contains(Int(pin)), "\(pin)" == digits
        else { return nil }
        return (kind, pin)
    }

    /// What the board started without; nil when all are used.
    ///
    /// - Parameter hasNode: Whether the running device tree has a node of this name.
    package func problem(_ hasNode: (String) -> Bool) -> ProvisionProblem? {
        let strange = names.filter { Self.node(of: $0) == nil }
        let used = used(hasNode)
        let absent = names.filter { !used.contains($0) }
        guard !absent.isEmpty else { return nil }
        let pins = "4 to 13 or 16 to 27"
        let next =
            strange.isEmpty
            ? "Copy boot.scr and the folder overlays from a new image's boot partition"
            : "Write w1-gpio-N for a DS18B20, dht11-N for a DHT, N from \(pins)"
        let without = (strange.isEmpty ? absent : strange).joined(separator: ", ")
        return ProvisionProblem(Self.fileName, "the board started without \(without)", next: next)
    }
}
