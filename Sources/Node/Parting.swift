import HardwareIO
import Synchronization

/// What an orderly stop leaves to be done when the card does not let it come to its end.
///
/// A stalled card holds up the store, which stops when every device has stopped already. The
/// process ends without it then, what waits is in the mirror, and the board is not to be reset: a
/// card is outside the box.
final class Parting: Sendable {
    private struct State {
        var isStopping = false
        var watchdog: (any WatchdogDevice)?
    }

    private let store: String
    private let state = Mutex(State())

    /// - Parameter store: The child that the card may hold up: `roost/store`.
    init(store: String) { self.store = store }

    func take(_ watchdog: any WatchdogDevice) { state.withLock { $0.watchdog = watchdog } }

    /// A stop was asked for.
    func begin() { state.withLock { $0.isStopping = true } }

    /// Disarms the watchdog when it is only the card that holds up an orderly stop.
    func disarm(for child: String) {
        let watchdog = state.withLock { state in
            state.isStopping && child == store ? state.watchdog : nil
        }
        watchdog?.disarm()
    }
}
