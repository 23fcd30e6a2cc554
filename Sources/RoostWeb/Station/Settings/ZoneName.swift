import FileIO
import Glibc

/// The IANA name of the machine's time zone.
package enum ZoneName {
    /// Zone of `TZ`, else of the link `/etc/localtime`, else UTC.
    package static var system: String {
        if let name = getenv("TZ").map({ String(cString: $0) }), name.contains("/") { return name }
        guard let target = Files.target(of: "/etc/localtime"),
            let range = target.firstRange(of: "zoneinfo/")
        else { return "UTC" }
        return String(target[range.upperBound...])
    }
}
