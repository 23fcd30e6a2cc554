import CUdev
import Glibc
import HardwareIO

extension HotplugDevice {
    /// Properties that describe the event, not the device.
    private static let eventKeys: Set<String> = ["ACTION", "SEQNUM", "UDEV_DATABASE_VERSION"]

    /// A device from its properties, as udev sends them and as `udevadm` prints them.
    ///
    /// Returns nil without a path or subsystem: such a device is of no use.
    init?(udevProperties properties: [String: String]) {
        guard let devpath = properties["DEVPATH"], let subsystem = properties["SUBSYSTEM"] else {
            return nil
        }
        // The kernel's own events name the node without its directory. A sensor is read in sysfs.
        let device = properties["DEVNAME"].map { $0.hasPrefix("/") ? $0 : "/dev/\($0)" }
        let isSensor = properties[Self.sensorNameKey] != nil
        let node = isSensor && device?.contains("/sys/") != true ? "/sys" + devpath : device
        self.init(
            devpath: devpath,
            node: node,
            subsystem: subsystem,
            properties: properties.filter { !Self.eventKeys.contains($0.key) }
        )
    }
}

extension HotplugEvent {
    /// An event from its properties; nil when they name no device.
    ///
    /// Actions besides `add` and `remove`, such as `bind`, `move` and `online`, are changes.
    init?(udevProperties properties: [String: String]) {
        guard let device = HotplugDevice(udevProperties: properties) else { return nil }
        switch properties["ACTION"] {
        case "add": self = .added(device)
        case "remove": self = .removed(device)
        default: self = .changed(device)
        }
    }
}

/// Reads devices through libudev, and releases each of its objects.
enum Udev {
    /// Properties of a device read at most; a USB serial adapter has about 30.
    private static let propertiesMax = 512
    /// Devices of one enumeration read at most; more are left out.
    private static let devicesMax = HotplugDifference.capacity

    /// Returns the present devices of these subsystems, `devicesMax` at most.
    ///
    /// Reads a directory and a small file per device, so it may block.
    ///
    /// - Throws: `HotplugError.unavailable` when there is no /sys.
    static func devices(in subsystems: [String]) throws(HotplugError) -> [HotplugDevice] {
        guard let udev = udev_new() else { throw .unavailable(call: "udev_new", errno: errno) }
        defer { udev_unref(udev) }
        guard let enumeration = udev_enumerate_new(udev) else {
            throw .unavailable(call: "udev_enumerate_new", errno: errno)
        }
        defer { udev_enumerate_unref(enumeration) }
        for subsystem in subsystems {
            udev_enumerate_add_match_subsystem(enumeration, subsystem)
        }
        let code = udev_enumerate_scan_devices(enumeration)
        guard code >= 0 else {
            throw .unavailable(call: "udev_enumerate_scan_devices", errno: -code)
        }
        var devices: [HotplugDevice] = []
        var entry = udev_enumerate_get_list_entry(enumeration)
        while let each = entry, devices.count < devicesMax {
            // A device that was removed after the scan cannot be opened any more.
            if let device = udev_device_new_from_syspath(udev, udev_list_entry_get_name(each)) {
                HotplugDevice(udevProperties: properties(of: device)).map { devices.append($0) }
                udev_device_unref(device)
            }
            entry = udev_list_entry_get_next(each)
        }
        return devices
    }

    static func properties(of device: OpaquePointer) -> [String: String] {
        var properties: [String: String] = [:]
        var entry = udev_device_get_properties_list_entry(device)
        while let each = entry, properties.count < propertiesMax {
            if let name = udev_list_entry_get_name(each),
                let value = udev_list_entry_get_value(each)
            {
                properties[String(cString: name)] = String(cString: value)
            }
            entry = udev_list_entry_get_next(each)
        }
        // udev does not say how a driver of the kernel calls its part: a file beside it does.
        if HotplugDevice.sensorSubsystems.contains(properties["SUBSYSTEM"] ?? "") {
            properties[HotplugDevice.sensorNameKey] = sensorName(of: device)
        }
        return properties
    }

    /// What the file `name` of a sensor says, or that of its part where it says only an address.
    ///
    /// - Source: Linux 6.1 and 6.12, drivers/iio/humidity: si7020 and hdc100x give `1-0040`.
    private static func sensorName(of device: OpaquePointer) -> String? {
        guard let text = udev_device_get_sysattr_value(device, "name") else { return nil }
        let name = String(cString: text)
        guard HotplugDevice.isBusAddress(name), let part = udev_device_get_parent(device),
            let text = udev_device_get_sysattr_value(part, "name")
        else { return name }
        return String(cString: text)
    }
}
