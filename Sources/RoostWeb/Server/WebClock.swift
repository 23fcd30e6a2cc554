import FileIO
import Glibc

/// The clock of the dashboard, for limits and for dates.
package struct WebClock: Sendable {
    /// Seconds since the machine started, suspended time counted.
    package let uptime: @Sendable () -> Double
    /// Seconds since 1970 by the machine's clock, right or not.
    package let seconds: @Sendable () -> Int64
    /// Id of the machine's present boot.
    package let boot: String

    package init(
        boot: String,
        uptime: @escaping @Sendable () -> Double,
        seconds: @escaping @Sendable () -> Int64
    ) {
        self.boot = boot
        self.uptime = uptime
        self.seconds = seconds
    }

    package static let system = WebClock(
        boot: readBoot(),
        uptime: {
            var time = timespec()
            clock_gettime(CLOCK_BOOTTIME, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        },
        seconds: {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return Int64(time.tv_sec)
        }
    )

    /// Reads the boot's id from the kernel, or `ROOST_BOOT_ID` where the unit's sandbox hides it.
    private static func readBoot() -> String {
        if let named = getenv("ROOST_BOOT_ID") { return String(cString: named) }
        return Files.line("/proc/sys/kernel/random/boot_id") ?? ""
    }
}
