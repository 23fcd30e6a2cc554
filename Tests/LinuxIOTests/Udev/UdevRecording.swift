import HardwareIO

@testable import LinuxIO

/// Parses the output of `udevadm monitor --udev --property` into the properties of each event.
///
/// A block of `KEY=value` lines for each event, under a line that starts with `UDEV` or `KERNEL`.
struct UdevRecording {
    let events: [[String: String]]

    init(_ text: String) {
        events = text.split(separator: "\n\n").map { block in
            let lines = block.split(separator: "\n").compactMap { line -> (String, String)? in
                guard let equals = line.firstIndex(of: "="), !line.contains("[") else { return nil }
                return (String(line[..<equals]), String(line[line.index(after: equals)...]))
            }
            return Dictionary(lines) { $1 }
        }
    }

    /// A Nova SDS011 on its CH340 adapter, plugged into a Pi 4, unplugged, plugged in again.
    ///
    /// Composed, not captured: the properties are those that `60-serial.rules`, `usb_id` and
    /// `path_id` of systemd 252 set, in the form `udevadm` prints; 1a86:7523, no serial number,
    /// `1a86_USB_Serial` and the `ID_PATH` are from PROTOCOLS c and from QEMU runs with these ids.
    static let ch340 = UdevRecording(
        """
        UDEV  [1021.536102] add      /devices/platform/scb/fd500000.pcie/pci0000:00/0000:00:00.0/\
        0000:01:00.0/usb1/1-1/1-1.3/1-1.3:1.0/ttyUSB0/tty/ttyUSB0 (tty)
        ACTION=add
        \(ch340Path)
        \(ch340Properties)
        USEC_INITIALIZED=1021535877
        SEQNUM=2231

        UDEV  [1180.000201] remove   /devices/.../ttyUSB0 (tty)
        ACTION=remove
        \(ch340Path)
        \(ch340Properties)
        USEC_INITIALIZED=1021535877
        SEQNUM=2240

        UDEV  [1187.250007] add      /devices/.../ttyUSB0 (tty)
        ACTION=add
        \(ch340Path)
        \(ch340Properties)
        USEC_INITIALIZED=1187249800
        SEQNUM=2249
        """
    )

    /// A CP2102 adapter, which has a serial number; then udev's `bind`, `change` and `remove`.
    ///
    /// Composed as above; 10c4:ea60, serial number 0001, as `raspberrypi/linux#372` shows them.
    static let cp2102 = UdevRecording(
        """
        UDEV  [55.100002] add      /devices/platform/soc/3f980000.usb/usb1/1-1/1-1.2 (tty)
        ACTION=add
        \(cp2102Properties)
        SEQNUM=1401

        UDEV  [55.200002] bind     /devices/platform/soc/3f980000.usb/usb1/1-1/1-1.2 (tty)
        ACTION=bind
        \(cp2102Properties)
        SEQNUM=1402

        UDEV  [60.200002] change   /devices/platform/soc/3f980000.usb/usb1/1-1/1-1.2 (tty)
        ACTION=change
        \(cp2102Properties)
        ID_MM_DEVICE_IGNORE=1
        SEQNUM=1403

        UDEV  [65.200002] remove   /devices/platform/soc/3f980000.usb/usb1/1-1/1-1.2 (tty)
        ACTION=remove
        \(cp2102Properties)
        SEQNUM=1404
        """
    )

    private static let ch340Path = """
        DEVPATH=/devices/platform/scb/fd500000.pcie/pci0000:00/0000:00:00.0/0000:01:00.0/usb1/\
        1-1/1-1.3/1-1.3:1.0/ttyUSB0/tty/ttyUSB0
        """

    private static let ch340Properties = """
        SUBSYSTEM=tty
        DEVNAME=/dev/ttyUSB0
        MAJOR=188
        MINOR=0
        ID_BUS=usb
        ID_VENDOR=1a86
        ID_VENDOR_ENC=1a86
        ID_VENDOR_ID=1a86
        ID_VENDOR_FROM_DATABASE=QinHeng Electronics
        ID_MODEL=USB_Serial
        ID_MODEL_ENC=USB\\x20Serial
        ID_MODEL_ID=7523
        ID_MODEL_FROM_DATABASE=CH340 serial converter
        ID_REVISION=0264
        ID_SERIAL=1a86_USB_Serial
        ID_TYPE=generic
        ID_USB_DRIVER=ch341
        ID_USB_INTERFACES=:ff0102:
        ID_USB_INTERFACE_NUM=00
        ID_PATH=platform-fd500000.pcie-pci-0000:01:00.0-usb-0:1.3:1.0
        ID_PATH_TAG=platform-fd500000_pcie-pci-0000_01_00_0-usb-0_1_3_1_0
        DEVLINKS=/dev/serial/by-id/usb-1a86_USB_Serial-if00-port0
        TAGS=:systemd:
        CURRENT_TAGS=:systemd:
        """

    private static let cp2102Properties = """
        DEVPATH=/devices/platform/soc/3f980000.usb/usb1/1-1/1-1.2/1-1.2:1.0/ttyUSB1/tty/ttyUSB1
        SUBSYSTEM=tty
        DEVNAME=/dev/ttyUSB1
        MAJOR=188
        MINOR=1
        ID_BUS=usb
        ID_VENDOR=Silicon_Labs
        ID_VENDOR_ID=10c4
        ID_MODEL=CP2102_USB_to_UART_Bridge_Controller
        ID_MODEL_ID=ea60
        ID_REVISION=0100
        ID_SERIAL=Silicon_Labs_CP2102_USB_to_UART_Bridge_Controller_0001
        ID_SERIAL_SHORT=0001
        ID_TYPE=generic
        ID_USB_DRIVER=cp210x
        ID_USB_INTERFACE_NUM=00
        ID_PATH=platform-3f980000.usb-usb-0:1.2:1.0
        USEC_INITIALIZED=55099870
        TAGS=:systemd:
        """
}
