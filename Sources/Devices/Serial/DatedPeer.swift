import Core
import HardwareIO

/// A simulated part that says what time it is.
package protocol DatedPeer: SerialPeer {
    /// The time that it says at `.boot`.
    var wallAtBoot: WallTime { get set }
}
