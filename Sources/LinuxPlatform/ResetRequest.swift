import FileIO
import Glibc
import Station

/// Asks the service of an image to give the station away: `roost-reset.path` waits for this file.
///
/// The station itself has no right to do it.
struct ResetRequest {
    /// Where the system is; empty for this machine.
    var root = ""

    /// Why no service waits for the file; nil on an image.
    var problem: ResetError? {
        guard access("\(root)/usr/lib/roost/image.json", F_OK) != 0 else { return nil }
        return ResetError("this is no image; on this station type: sudo roost reset")
    }

    func write() throws(ResetError) {
        if let problem { throw problem }
        let path = "\(root)/run/roost/reset-wanted"
        do { try Files.append([], to: path, mode: 0o640) } catch { throw ResetError("\(error)") }
    }
}
