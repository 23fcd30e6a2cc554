/// The hardware timer that resets the board when it is not petted.
package protocol WatchdogDevice: Sendable {
    /// The time-out in force, read back from the hardware; may differ from the requested one.
    var timeout: Duration { get }

    /// Whether the watchdog caused the last boot; nil where the hardware does not report it.
    var causedLastBoot: Bool { get }

    /// Starts the timer anew.
    func pet() throws(WatchdogError)

    /// Disarms with the magic close. Only on an orderly stop.
    func disarm()
}

package enum WatchdogError: Error, Hashable, Sendable {
    case absent(path: String)
    case busy(path: String)
    case noPermission(path: String)
    case system(call: String, errno: Int32, path: String)
}

extension WatchdogError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .absent(let path): "\(path): this machine has no watchdog"
        case .busy(let path):
            "\(path): in use, often by systemd; unset RuntimeWatchdogSec or leave `watchdog` out"
        case .noPermission(let path): "\(path): no permission; only root opens it by default"
        case .system(let call, let errno, let path): "\(path): \(call) failed with errno \(errno)"
        }
    }
}
