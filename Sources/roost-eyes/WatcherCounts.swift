import ControlProtocol
import Core
import Eyes

/// What a `Watcher` has counted and last heard.
struct WatcherCounts {
    var motions = MotionMachine()
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
