/// Options that every target of samples has.
package struct TargetOptions: Hashable, Sendable {
    /// Patterns of `device/quantity`; empty: all but motion.
    package var streams: [String] = []
    /// Whether what was recorded before the target was added is sent.
    var hasBacklog = true
    package var ageLimit: Duration?
    /// Whether it also sends over a connection that is paid by volume.
    package var isMetered = false
    package var pace: Duration?
    package var liveInterval: Duration?
    /// Whether an address of this computer is allowed as the server's.
    package var isLocal = false
    package var trust = ServerTrust.system
    package var timeoutSeconds = 60
}
