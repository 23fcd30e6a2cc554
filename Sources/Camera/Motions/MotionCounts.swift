import ControlProtocol
import Core

/// Counts and last known states of a `MotionWatcher`.
package struct MotionCounts: Sendable {
    package internal(set) var motions = MotionMachine()
    package internal(set) var stationTrouble: String?
    package internal(set) var ringTrouble: String?
    /// Pictures in the ring since its last change; only one process changes it.
    package internal(set) var pictureCount: Int?
    package internal(set) var newest: EyesReport.Newest?
    /// Motions that wait for the camera, the oldest first; bound: `MotionMachine.waitingMax`.
    var waiting: [SeenMotion] = []
    /// The last trusted time, with the instant at which it was right.
    var trusted: (wall: WallTime, at: MonotonicInstant)?
    /// The event that the station has yet to record; a newer state of the camera replaces it.
    var news: (kind: String, details: [String: String])?
}
