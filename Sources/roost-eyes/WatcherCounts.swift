import ControlProtocol
import Core
import Eyes

/// What a `Watcher` has counted and last heard.
struct WatcherCounts {
    var waiting = 0
    var taken = 0
    var leftOut = 0
    var masked = 0
    /// Why the last motion has no picture; nil once one has again.
    var lastTrouble: String?
    var lacks = MotionLacks()
    /// Motions without a picture since the last one that has one.
    var leftOutInARow = 0
    var stationTrouble: String?
    var ringTrouble: String?
    /// What the ring has since it was last changed; this process alone changes it.
    var pictureCount: Int?
    var newest: EyesReport.Newest?
    /// The last trusted time, with when that was.
    var trusted: (wall: WallTime, at: MonotonicInstant)?
    /// What the station has not recorded yet; the newest state of the camera counts.
    var news: (kind: String, details: [String: String])?
}
