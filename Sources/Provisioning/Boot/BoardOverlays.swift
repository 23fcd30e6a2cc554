/// The sensors with a wire of their own that `overlays.txt` of the boot partition names.
///
/// - Source: packaging/image/boot/boot.txt, which adds their overlays to the board's device tree;
///   packaging/image/overlays.
package struct BoardOverlays: Hashable, Sendable {
    package static let fileName = "overlays.txt"
    /// GPIO numbers of the header that have an overlay.
    package static let pins = 4...27

    /// As they stand in the file: `w1-gpio-4`, `dht11-17`.
    package let names: [String]

    /// - Parameter text: What the file holds; nil without one.
    package init(text: String?) {
        let value = BootSlots.variables(text ?? "")["overlays"] ?? ""
        names = value.split { $0 == " " || $0 == "\r" || $0 == "\r\n" }.map(String.init)
    }

    /// The node that an overlay makes in the device tree; nil when the image has no such overlay.
    static func node(of name: String) -> String? {
        guard let dash = name.lastIndex(of: "-"),
            let pin = UInt8(name[dash...].dropFirst()), pins.contains(Int(pin))
        else { return nil }
        switch name[..<dash] {
        case "w1-gpio": return "onewire-\(pin)"
        case "dht11": return "dht11@\(pin)"
        default: return nil
        }
    }

    /// What the board started without, as a sentence for the owner; nil when all are used.
    ///
    /// - Parameter hasNode: Whether the running device tree has a node of this name.
    package func fault(_ hasNode: (String) -> Bool) -> String? {
        let strange = names.filter { Self.node(of: $0) == nil }
        let absent = names.filter { !(Self.node(of: $0).map(hasNode) ?? false) }
        guard !absent.isEmpty else { return nil }
        let pins = "\(Self.pins.lowerBound) to \(Self.pins.upperBound)"
        let next =
            strange.isEmpty
            ? "copy the folder overlays from the image's boot partition"
            : "write w1-gpio-N for a DS18B20, dht11-N for a DHT, N from \(pins)"
        return "overlays.txt: the board started without "
            + "\((strange.isEmpty ? absent : strange).joined(separator: ", ")); \(next)."
    }
}
