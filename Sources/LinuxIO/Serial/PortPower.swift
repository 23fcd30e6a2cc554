import CLinux
import Core
import Glibc

/// Since when a device node's hardware has power, as far as the machine knows.
package enum PortPower {
    /// The time at which udev first saw the device, or its node was made where udev knows nothing.
    ///
    /// Reads two small files in memory, so it belongs on the disk thread. Time that a machine spent
    /// suspended is not in udev's stamp.
    ///
    /// - Parameters:
    ///   - path: Of a node, or of a link to one.
    ///   - now: On the clock that began with the machine.
    ///   - folder: Where udev keeps its records.
    /// - Returns: nil for a path that is no device.
    package static func since(
        _ path: String,
        now: MonotonicInstant,
        udev folder: String = "/run/udev/data"
    ) -> MonotonicInstant? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else { return nil }
        let record = TextFile.read("\(folder)/c\(name(of: status.st_rdev))", limit: 65_536)
        if let seen = record.flatMap(stamp) { return min(seen, now) }
        // A pseudo-terminal, or a machine without udev. A step of the clock spoils only this guess.
        var wall = timespec()
        clock_gettime(CLOCK_REALTIME, &wall)
        let age = max(0, wall.tv_sec - status.st_ctim.tv_sec)
        return max(.boot, now.advanced(by: .seconds(-age)))
    }

    /// The time of a record: a line such as `I:12345678`, in microseconds since the start.
    package static func stamp(in record: String) -> MonotonicInstant? {
        let line = record.split(separator: "\n").first { $0.hasPrefix("I:") }
        guard let line, let microseconds = Int64(line.dropFirst(2)), microseconds > 0 else {
            return nil
        }
        return .boot.advanced(by: .microseconds(microseconds))
    }

    /// `188:0`, as `major` and `minor` of <sys/sysmacros.h> take it apart.
    private static func name(of number: dev_t) -> String {
        let major = number >> 8 & 0xFFF | number >> 32 & ~0xFFF
        let minor = number & 0xFF | number >> 12 & ~0xFF
        return "\(major):\(minor)"
    }
}
