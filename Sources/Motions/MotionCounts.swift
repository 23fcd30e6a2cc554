import ControlProtocol
import Core
import Pictures

/// What a `MotionWatcher` has counted and last heard.
package struct MotionCounts: Sendable {
    package internal(set) var motions = MotionMachine()
    package internal(set) var stationTrouble: String?
    package internal(set) var ringTrouble: String?
    /// What the ring has since it was last changed; one process alone changes it.
    package internal(set) var pictureCount: Int?
    package internal(set) var newest: EyesReport.Newest?
    /// Motions that wait for the camera, the oldest first; bound: `MotionMachine.waitingMax`.
    var waiting: [SeenMotion] = []
    /// The last trusted time, with when that was.
    var trusted: (wall: WallTime, at: MonotonicInstant)?
    /// What the station has not recorded yet; the newest state of the camera counts.
    var news: (kind: String, details: [String: String])?
}
