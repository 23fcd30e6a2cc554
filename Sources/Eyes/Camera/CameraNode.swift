import ControlProtocol
import Glibc

/// A video device of the kernel, as its folder in `/sys` describes it; nothing is opened.
package struct CameraNode: Hashable, Sendable {
    package struct USB: Hashable, Sendable {
        package let vendor: UInt16
        package let product: UInt16
        package let serial: String?

        package init(vendor: UInt16, product: UInt16, serial: String? = nil) {
            (self.vendor, self.product, self.serial) = (vendor, product, serial)
        }
    }

    /// Of all that are looked at.
    private static let countMax = 64

    package let path: String
    /// The camera's own words, such as `HD Webcam C270`.
    package let name: String
    /// Nil when it is not on USB.
    package let usb: USB?

    package init(path: String, name: String, usb: USB? = nil) {
        (self.path, self.name, self.usb) = (path, name, usb)
    }

    /// All video devices of the machine by their number, among them some that give no picture.
    ///
    /// Of a device with several nodes only the first is taken: the others of a USB camera are for
    /// its metadata.
    ///
    /// - Parameter root: Before each path; for tests.
    /// - Returns: Empty where there is none.
    package static func all(root: String = "") -> [CameraNode] {
        let folder = "\(root)/sys/class/video4linux"
        guard let entries = opendir(folder) else { return [] }
        defer { closedir(entries) }
        var numbers: [Int] = []
        while let entry = readdir(entries) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name.hasPrefix("video"), let number = Int(name.dropFirst(5)) else { continue }
            numbers.append(number)
        }
        return numbers.sorted().prefix(countMax).compactMap { number in
            let place = "\(folder)/video\(number)"
            guard (line("\(place)/index") ?? "0") == "0" else { return nil }
            return CameraNode(
                path: "/dev/video\(number)",
                name: line("\(place)/name") ?? "",
                usb: usb("\(place)/device/..")
            )
        }
    }

    /// The first that is meant; nil while none is plugged in.
    package static func first(_ choice: CameraChoice, root: String = "") -> CameraNode? {
        let nodes = all(root: root)
        if let node = nodes.first(where: { $0.isMeant(by: choice) }) { return node }
        // A link that udev made.
        guard case .path(let path) = choice, access(root + path, F_OK) == 0 else { return nil }
        return CameraNode(path: path, name: "")
    }

    private static func usb(_ folder: String) -> USB? {
        guard let vendor = line("\(folder)/idVendor").flatMap({ UInt16($0, radix: 16) }),
            let product = line("\(folder)/idProduct").flatMap({ UInt16($0, radix: 16) })
        else { return nil }
        return USB(vendor: vendor, product: product, serial: line("\(folder)/serial"))
    }

    /// The first line of at most 255 bytes.
    private static func line(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 255)
        let count = read(descriptor, &bytes, bytes.count)
        let text = bytes.prefix(max(0, count)).prefix { $0 != 0x0A }
        return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
    }

    package func isMeant(by choice: CameraChoice) -> Bool {
        switch choice {
        case .any: true
        case .path(let path): path == self.path
        case .usb(let vendor, let product, let serial):
            usb?.vendor == vendor && usb?.product == product
                && (serial == nil || serial == usb?.serial)
        }
    }

    package var report: EyesReport.Camera {
        EyesReport.Camera(device: "\(choice)", path: path, name: name)
    }

    /// How `eyes.json` names this one and no other.
    package var choice: CameraChoice {
        guard let usb else { return .path(path) }
        return .usb(vendor: usb.vendor, product: usb.product, serial: usb.serial)
    }
}
