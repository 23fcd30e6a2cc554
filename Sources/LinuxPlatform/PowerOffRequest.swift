import Glibc
import LinuxIO
import Station

/// Asks systemd to shut the machine down: `roost-power-off.path` waits for this file.
///
/// The station itself has no right to do it.
struct PowerOffRequest {
    let path: String

    init(path: String = "/run/roost/power-off-wanted") { self.path = path }

    func write() throws(PowerOffError) {
        let raw = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o640)
        guard raw >= 0 else {
            throw PowerOffError("\(path): \(LinuxError.text(of: errno))")
        }
        close(raw)
    }
}
