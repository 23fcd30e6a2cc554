import FileIO
import Station

/// Asks systemd to shut the machine down: `roost-power-off.path` waits for this file.
///
/// The station itself has no right to do it.
struct PowerOffRequest {
    let path: String

    init(path: String = "/run/roost/power-off-wanted") { self.path = path }

    func write() throws(PowerOffError) {
        do { try Files.append([], to: path, mode: 0o640) } catch { throw PowerOffError("\(error)") }
    }
}
