import Glibc

/// The IANA name of the machine's time zone.
package enum ZoneName {
    /// Zone of `TZ`, else of the link `/etc/localtime`, else UTC.
    package static var system: String {
        if let name = getenv("TZ").map({ String(cString: $0) }), name.contains("/") { return name }
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/etc/localtime", &buffer, buffer.count - 1)
        guard count > 0 else { return "UTC" }
        let target = String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        let mark = "zoneinfo/"
        guard let range = target.firstRange(of: mark) else { return "UTC" }
        return String(target[range.upperBound...])
    }
}
