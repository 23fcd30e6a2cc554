/// The timer that resets the board unless it is petted.
package protocol WatchdogDevice: Sendable {
    /// What the hardware really took, read back; may differ from what was asked.
    var timeout: Duration { get }

    /// Whether the last boot was the watchdog's doing, where the hardware tells.
    var causedLastBoot: Bool { get }

    /// Starts the timer anew.
    ///
    /// - Throws: `WatchdogError`.
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
