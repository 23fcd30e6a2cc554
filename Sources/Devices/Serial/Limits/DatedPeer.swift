import Core
import HardwareIO

/// Simulated part that reports the wall time.
package protocol DatedPeer: SerialPeer {
    /// Time that it reports at `.boot`.
    var wallAtBoot: WallTime { get set }
}
