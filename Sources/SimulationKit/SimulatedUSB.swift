import HardwareIO
import Synchronization

/// The USB sockets of a simulated machine: numbers nodes as Linux does, and sends udev's events.
package final class SimulatedUSB: Sendable {
    private struct State {
        var plugged: [Int: (adapter: SimulatedAdapter, device: HotplugDevice)] = [:]
        var arrivals = 0
    }

    private let platform: SimulatedPlatform
    private let state = Mutex(State())

    package init(_ platform: SimulatedPlatform) { self.platform = platform }

    /// Devices plugged in, as udev knows them, in order of devpath.
    package var devices: [HotplugDevice] {
        state.withLock { $0.plugged.values.map(\.device) }.sorted { $0.devpath < $1.devpath }
    }

    /// The socket of an adapter; nil while it is not plugged in.
    package func socket(of adapter: SimulatedAdapter) -> Int? {
        state.withLock { $0.plugged.first { $0.value.adapter === adapter }?.key }
    }

    /// The adapter in a socket.
    package func adapter(in socket: Int) -> SimulatedAdapter? {
        state.withLock { $0.plugged[socket]?.adapter }
    }

    /// How udev names a socket in `ID_PATH`.
    package static func path(of socket: Int) -> String { "platform-usb-0:1.\(socket):1.0" }

    /// Plugs an adapter into a free socket; its node is the lowest free `ttyUSBn`.
    ///
    /// - Parameters:
    ///   - adapter: One that is not plugged in.
    ///   - isTold: false sends no event: the change shows only in the next snapshot.
    /// - Returns: Its node.
    @discardableResult
    package func plug(
        _ adapter: SimulatedAdapter,
        into socket: Int,
        isTold: Bool = true
    ) -> String {
        let device = state.withLock { state in
            let taken = Set(state.plugged.values.compactMap(\.device.node))
            var number = 0
            while taken.contains("/dev/ttyUSB\(number)") { number += 1 }
            state.arrivals += 1
            let device = Self.device(adapter, socket, number, arrival: state.arrivals)
            state.plugged[socket] = (adapter, device)
            return device
        }
        let node = device.node ?? ""
        adapter.plug(at: node)
        platform.put(adapter, at: node)
        if isTold { platform.hotplug.send([.added(device)]) }
        return node
    }

    /// Lets a driver of the kernel show a part: `bme280` at `i2c-1/1-0076`.
    ///
    /// - Parameters:
    ///   - part: What answers in the place of the part's folder in sysfs.
    ///   - place: Below `/devices/platform`, without the driver's own folder.
    ///   - slot: A number that no adapter has as its socket.
    /// - Returns: The part's folder in sysfs.
    @discardableResult
    package func show(
        _ part: SimulatedAdapter,
        named name: String,
        at place: String,
        slot: Int,
        isTold: Bool = true
    ) -> String {
        let device = state.withLock { state in
            state.arrivals += 1
            let devpath = "/devices/platform/\(place)/iio:device\(state.arrivals)"
            let device = HotplugDevice(
                devpath: devpath,
                node: "/sys" + devpath,
                subsystem: "iio",
                properties: [
                    HotplugDevice.sensorNameKey: name, "USEC_INITIALIZED": "\(state.arrivals)",
                ]
            )
            state.plugged[slot] = (part, device)
            return device
        }
        let node = device.node ?? ""
        part.plug(at: node)
        platform.put(part, at: node)
        if isTold { platform.hotplug.send([.added(device)]) }
        return node
    }

    /// Unplugs the adapter in a socket.
    package func unplug(_ socket: Int, isTold: Bool = true) {
        guard let gone = state.withLock({ $0.plugged.removeValue(forKey: socket) }) else { return }
        platform.put(nil, at: gone.device.node ?? "")
        gone.adapter.unplug()
        if isTold { platform.hotplug.send([.removed(gone.device)]) }
    }

    /// Sends all devices, as after an overrun or the end of a suspend.
    package func sendSnapshot() { platform.hotplug.send([.snapshot(devices)]) }

    private static func device(
        _ adapter: SimulatedAdapter,
        _ socket: Int,
        _ number: Int,
        arrival: Int
    ) -> HotplugDevice {
        var properties = [
            "ID_VENDOR_ID": adapter.usb.vendorID, "ID_MODEL_ID": adapter.usb.productID,
            "ID_PATH": path(of: socket), "ID_USB_INTERFACE_NUM": "00",
            "DEVLINKS": "/dev/serial/by-path/\(path(of: socket))-port0",
            "USEC_INITIALIZED": "\(arrival)",
        ]
        properties["ID_SERIAL_SHORT"] = adapter.serial
        let place = "/devices/platform/usb1/1-1/1-1.\(socket)/1-1.\(socket):1.0"
        return HotplugDevice(
            devpath: "\(place)/ttyUSB\(number)/tty/ttyUSB\(number)",
            node: "/dev/ttyUSB\(number)",
            subsystem: "tty",
            properties: properties
        )
    }
}
