import Core
import Devices
import HardwareIO
import Synchronization

/// A local network in memory: HTTP devices that answer, or not.
package final class SimulatedNetwork: HTTPFetcher {
    private let clock: any NodeClock
    private let httpDevices = Mutex<[String: HTTPLineSimulator]>([:])

    package init(clock: any NodeClock) { self.clock = clock }

    /// Puts a device at `name` or `name:port`; nil removes it, and connections there fail.
    package func put(_ device: HTTPLineSimulator?, at authority: String) {
        httpDevices.withLock { $0[authority] = device }
    }

    /// Changes a device that is there.
    func withDevice<Value>(
        at authority: String,
        _ body: (inout HTTPLineSimulator) -> Value
    ) -> Value? {
        httpDevices.withLock { httpDevices in
            guard var device = httpDevices[authority] else { return nil }
            defer { httpDevices[authority] = device }
            return body(&device)
        }
    }

    package func get(
        _ target: HTTPTarget,
        until deadline: MonotonicInstant
    ) async throws -> HTTPResponse {
        let response = withDevice(at: target.authority) { $0.answer("GET") }
        if let response, let response { return response }
        try await clock.sleep(until: deadline, tolerance: .zero)
        throw HTTPError.timedOut(target)
    }
}
