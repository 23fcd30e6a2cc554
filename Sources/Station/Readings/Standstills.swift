import Core
import Synchronization

/// Records reports of drivers that the process did not run, so that no gap blames the sensor.
///
/// The HealthMonitor reports it too, for all at once, but only when something of its own fell due
/// meanwhile.
final class Standstills: Sendable {
    typealias Observer = @Sendable (Range<MonotonicInstant>, _ device: String) -> Void

    private let observer = Mutex<Observer?>(nil)

    /// Passes the drivers' reports to one observer.
    func observe(_ body: @escaping Observer) { observer.withLock { $0 = body } }

    func report(_ stretch: Range<MonotonicInstant>, _ device: String) {
        observer.withLock { $0 }?(stretch, device)
    }
}
