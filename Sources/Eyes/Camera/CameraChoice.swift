/// The choice of a camera in `eyes.json`.
package enum CameraChoice: Hashable, Sendable {
    /// The first camera that gives pictures, by device number.
    case any
    case path(String)
    /// Vendor and product id, 0…0xFFFF, and serial number where two cameras share them.
    case usb(vendor: UInt16, product: UInt16, serial: String?)

    /// Reads `any`, `/dev/video0`, `usb:046d:0825` or `usb:046d:0825:SERIAL`.
    package init?(_ text: String) {
        if text == "any" {
            self = .any
        } else if text.hasPrefix("/dev/"), !text.utf8.contains(0), text.utf8.count <= 255 {
            self = .path(text)
        } else {
            let parts = text.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
            guard parts.count >= 3, parts[0] == "usb", let vendor = Self.number(parts[1]),
                let product = Self.number(parts[2]), parts.count == 3 || !parts[3].isEmpty
            else { return nil }
            let serial = parts.count == 4 ? String(parts[3]) : nil
            self = .usb(vendor: vendor, product: product, serial: serial)
        }
    }

    private static func number(_ text: Substring) -> UInt16? {
        guard text.utf8.count == 4, text.utf8.allSatisfy({ $0 != 0x2B && $0 != 0x2D }) else {
            return nil
        }
        return UInt16(text, radix: 16)
    }

    private static func hexadecimal(_ number: UInt16) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }
}

extension CameraChoice: CustomStringConvertible {
    package var description: String {
        switch self {
        case .any: "any"
        case .path(let path): path
        case .usb(let vendor, let product, let serial):
            "usb:\(Self.hexadecimal(vendor)):\(Self.hexadecimal(product))"
                + (serial.map { ":\($0)" } ?? "")
        }
    }
}
