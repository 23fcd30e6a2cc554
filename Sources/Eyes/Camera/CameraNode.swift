import CCamera
import ControlProtocol
import FileIO
import Glibc
import HardwareIO

/// A video device of the kernel, as its folder in `/sys` describes it; nothing is opened.
package struct CameraNode: Hashable, Sendable {
    package struct USB: Hashable, Sendable {
        let vendor: UInt16
        package let product: UInt16
        package let serial: String?

        package init(vendor: UInt16, product: UInt16, serial: String? = nil) {
            (self.vendor, self.product, self.serial) = (vendor, product, serial)
        }
    }

    /// Video devices that are examined, at most.
    private static let countMax = 64

    package let path: String
    /// Name that the camera reports, such as `HD Webcam C270`.
    package let name: String
    /// Ids on USB; nil for a device that is not on USB.
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
        let names = (try? Files.names(in: folder)) ?? []
        let numbers = names.compactMap { $0.hasPrefix("video") ? Int($0.dropFirst(5)) : nil }
        return numbers.sorted().prefix(countMax).compactMap { number in
            let place = "\(folder)/video\(number)"
            guard (Files.line("\(place)/index") ?? "0") == "0" else { return nil }
            return CameraNode(
                path: "/dev/video\(number)",
                name: PlainText.shown(Files.line("\(place)/name") ?? ""),
                usb: usb("\(place)/device/..")
            )
        }
    }

    /// Returns the first device that matches `choice`; nil while none is plugged in.
    package static func first(_ choice: CameraChoice, root: String = "") -> CameraNode? {
        let nodes = all(root: root)
        let node = nodes.first { node in
            // A device not on USB may be a decoder and is asked; asking a USB camera would wake it.
            node.isMeant(by: choice) && (choice != .any || node.usb != nil || node.isCamera)
        }
        if let node { return node }
        // A link that udev made.
        guard case .path(let path) = choice, access(root + path, F_OK) == 0 else { return nil }
        return CameraNode(path: path, name: "")
    }

    /// Cameras that are plugged in, as settings name them; decoders of the board are left out.
    ///
    /// Each of two that have the same numbers is named by its path.
    package static func cameras(root: String = "") -> [EyesReport.Camera] {
        let nodes = all(root: root)
        return nodes.filter { $0.usb != nil || $0.isCamera }.map { node in
            let isAlone = nodes.count { $0.choice == node.choice } == 1
            let device = isAlone ? "\(node.choice)" : node.path
            return EyesReport.Camera(device: device, path: node.path, name: node.name)
        }
    }

    private static func usb(_ folder: String) -> USB? {
        guard let vendor = Files.line("\(folder)/idVendor").flatMap({ UInt16($0, radix: 16) }),
            let product = Files.line("\(folder)/idProduct").flatMap({ UInt16($0, radix: 16) })
        else { return nil }
        let serial = Files.line("\(folder)/serial").flatMap { text in
            // A name with such characters could not be written into a file either.
            PlainText.shown(text, limit: 128) == text ? text : nil
        }
        return USB(vendor: vendor, product: product, serial: serial)
    }

    /// Whether the device gives pictures, or does not let itself be asked.
    private var isCamera: Bool {
        let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return errno == EACCES || errno == EPERM || errno == EBUSY }
        defer { close(descriptor) }
        var node = ccamera_node()
        return ccamera_query(descriptor, &node) != 0 || node.is_camera != 0
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

    /// The name in `eyes.json` for this device and no other.
    package var choice: CameraChoice {
        guard let usb else { return .path(path) }
        return .usb(vendor: usb.vendor, product: usb.product, serial: usb.serial)
    }
}
