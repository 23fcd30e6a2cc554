import ControlProtocol
import HardwareIO
import Readings
import Supervision
import Synchronization

/// The serial adapters that are plugged in, as udev tells.
///
/// Bound: 64 adapters; more are not listed.
package final class AdapterBoard: Sendable {
    static let limit = 64
    private let adapters = Mutex<[String: HotplugDevice]>([:])

    package init() {}

    /// Takes events in.
    ///
    /// - Returns: What appeared and what vanished.
    func take(_ events: [HotplugEvent]) -> (appeared: [HotplugDevice], vanished: [HotplugDevice]) {
        var appeared: [HotplugDevice] = []
        var vanished: [HotplugDevice] = []
        adapters.withLock { known in
            for event in events {
                switch event {
                case .snapshot(let devices):
                    let present = Self.adapters(in: devices)
                    vanished += known.values.filter { present[$0.devpath] == nil }
                    appeared += present.values.filter { known[$0.devpath] == nil }
                    known = present
                case .added(let device), .changed(let device):
                    guard Self.isAdapter(device), known.count < Self.limit else { continue }
                    if known.updateValue(device, forKey: device.devpath) == nil {
                        appeared.append(device)
                    }
                case .removed(let device):
                    if let gone = known.removeValue(forKey: device.devpath) {
                        vanished.append(gone)
                    }
                }
            }
        }
        return (
            appeared.sorted { $0.devpath < $1.devpath }, vanished.sorted { $0.devpath < $1.devpath }
        )
    }

    /// Adapters that no configured port stands for.
    func unclaimed(besides ports: [String]) -> [UnclaimedReport] {
        let devices = adapters.withLock { Array($0.values) }
        return devices.sorted { $0.devpath < $1.devpath }.compactMap { device in
            guard let node = device.node else { return nil }
            let links = device.properties["DEVLINKS"]?.split(separator: " ").map(String.init) ?? []
            guard !([node] + links).contains(where: ports.contains) else { return nil }
            return UnclaimedReport(
                node: node,
                vendorID: device.properties["ID_VENDOR_ID"],
                productID: device.properties["ID_MODEL_ID"],
                serial: device.properties["ID_SERIAL_SHORT"],
                path: device.devpath
            )
        }
    }

    private static func adapters(in devices: [HotplugDevice]) -> [String: HotplugDevice] {
        let found = devices.filter(isAdapter).sorted { $0.devpath < $1.devpath }.prefix(limit)
        return Dictionary(found.map { ($0.devpath, $0) }) { first, _ in first }
    }

    /// A tty behind USB: the console and the kernel's virtual terminals are none.
    private static func isAdapter(_ device: HotplugDevice) -> Bool {
        device.subsystem == "tty" && device.node != nil && device.devpath.contains("/usb")
    }
}

/// Keeps the board of adapters, and writes down what comes and goes.
///
/// Where there is no udev it says so once and rests.
package final class AdapterWatch: Child {
    private let board: AdapterBoard
    private let context: StationContext

    package init(board: AdapterBoard, context: StationContext) {
        (self.board, self.context) = (board, context)
    }

    package func run() async throws {
        let monitor: any HotplugMonitor
        do {
            monitor = try await context.platform.hotplugMonitor()
        } catch let error as HotplugError {
            await record("no hotplug events", .notice, ["reason": "\(error)"])
            _ = try await context.clock.wait(for: Signal(), until: nil, tolerance: .zero)
            return
        }
        defer { monitor.close() }
        while !Task.isCancelled {
            let (appeared, vanished) = board.take(try await monitor.next())
            for device in vanished { await record("adapter gone", .info, words(device)) }
            for device in appeared { await record("adapter found", .info, words(device)) }
        }
    }

    private func words(_ device: HotplugDevice) -> KeyValuePairs<String, String> {
        [
            "node": device.node ?? "",
            "usb": "\(device.properties["ID_VENDOR_ID"] ?? "?"):"
                + "\(device.properties["ID_MODEL_ID"] ?? "?")",
        ]
    }

    private func record(
        _ kind: String,
        _ severity: Event.Severity,
        _ details: KeyValuePairs<String, String>
    ) async {
        await context.recorder.record(
            Event(
                at: context.clock.now,
                source: "hotplug",
                kind: kind,
                severity: severity,
                details
            )
        )
    }
}
