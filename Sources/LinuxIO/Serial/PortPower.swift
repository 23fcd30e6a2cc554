import CLinux
import Core
import FileIO
import Glibc

/// Finds since when a device node's hardware has power, as far as the machine knows.
package enum PortPower {
    /// The time at which udev first saw the device, or its node was made where udev knows nothing.
    ///
    /// Reads two small files in memory, so it belongs on the disk thread.
    ///
    /// - Parameters:
    ///   - path: A device node or a link to one; or the folder of a sensor in sysfs.
    ///   - now: On the clock that began with the machine.
    ///   - folder: Where udev keeps its records.
    /// - Returns: nil for a path that is no device, and for a sensor that udev does not know.
    package static func since(
        _ path: String,
        now: MonotonicInstant,
        udev folder: String = "/run/udev/data"
    ) -> MonotonicInstant? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        if status.st_mode & S_IFMT == S_IFDIR {
            return sensor(in: path, udev: folder).map {
                instant(of: $0, at: now, running: time(CLOCK_MONOTONIC))
            }
        }
        guard status.st_mode & S_IFMT == S_IFCHR else { return nil }
        let record = Files.text("\(folder)/c\(name(of: status.st_rdev))", limit: 65_536)
        if let seen = record.flatMap(stamp) {
            return instant(of: seen, at: now, running: time(CLOCK_MONOTONIC))
        }
        // A pseudo-terminal, or a machine without udev. A step of the clock spoils only this guess.
        return instant(
            of: .seconds(status.st_ctim.tv_sec),
            at: now,
            running: time(CLOCK_REALTIME)
        )
    }

    /// When udev first saw a sensor that a driver of the kernel shows.
    private static func sensor(in path: String, udev folder: String) -> Duration? {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        let subsystem = name.hasPrefix("iio:") ? "iio" : name.hasPrefix("hwmon") ? "hwmon" : "w1"
        let records = [Files.line("\(path)/dev").map { "c\($0)" }, "+\(subsystem):\(name)"]
        return records.compactMap(\.self).lazy
            .compactMap { Files.text("\(folder)/\($0)", limit: 65_536) }.compactMap(stamp).first
    }

    /// The moment of a stamp, neither in the future nor before the machine started.
    ///
    /// udev's clock stands still while the machine is suspended, and the station's does not: all of
    /// that time is taken for time before the stamp, so that nothing is warm too early.
    ///
    /// - Parameters:
    ///   - stamp: By the clock of the stamps.
    ///   - now: By the clock of the station.
    ///   - running: Now, by the clock of the stamps.
    /// - Returns: By the clock of the station.
    package static func instant(
        of stamp: Duration,
        at now: MonotonicInstant,
        running: Duration
    ) -> MonotonicInstant {
        max(.boot, now.advanced(by: .zero - max(running - stamp, .zero)))
    }

    private static func time(_ clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// The time of a record: a line such as `I:12345678`, in microseconds that the machine has run.
    package static func stamp(in record: String) -> Duration? {
        let line = record.split(separator: "\n").first { $0.hasPrefix("I:") }
        guard let line, let microseconds = Int64(line.dropFirst(2)), microseconds > 0 else {
            return nil
        }
        return .microseconds(microseconds)
    }

    /// `188:0`, as `major` and `minor` of <sys/sysmacros.h> take it apart.
    private static func name(of number: dev_t) -> String {
        let major = number >> 8 & 0xFFF | number >> 32 & ~0xFFF
        let minor = number & 0xFF | number >> 12 & ~0xFF
        return "\(major):\(minor)"
    }
}
