import Core
import HardwareIO
import Runtime

/// Reports serial adapters that come and go to detection.
///
/// Without udev it reports that once and does nothing more.
final class AdapterWatch: Child {
    private let client: DetectionClient
    private let context: StationContext

    init(client: DetectionClient, context: StationContext) {
        (self.client, self.context) = (client, context)
    }

    func run() async throws {
        let monitor: any HotplugMonitor
        do {
            monitor = try await context.platform.hotplugMonitor()
        } catch let error as HotplugError {
            context.recorder.record(
                Event(
                    at: context.clock.now,
                    source: "hotplug",
                    kind: .plain(.noHotplug),
                    severity: .notice,
                    ["reason": "\(error)"]
                )
            )
            context.faults.raise(.hotplugUnseen, "\(error)", isTold: true)
            defer { context.faults.clear(.hotplugUnseen) }
            _ = try await context.clock.wait(for: Signal(), until: nil, tolerance: .zero)
            return
        }
        defer { monitor.close() }
        while !Task.isCancelled { client.apply(try await monitor.next()) }
    }
}
