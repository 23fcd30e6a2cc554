import LinuxPlatform
import Station

/// Power, heat, watchdog, clock.
struct DoctorHealth: Hashable {
    struct Watchdog: Hashable {
        var name: String
        var identity: String?
        /// `active` or `inactive`; nil when the kernel does not report it.
        var state: String?
        var timeoutSeconds: Int?
    }

    /// `in0_lcrit_alarm` of the hwmon named `rpi_volt`.
    var isUnderVoltage: Bool?
    var hottestMillidegrees: Int?
    var watchdogs: [Watchdog] = []
    /// Settings of systemd's manager.
    var managerSettings: [String: String] = [:]
    var hasSystemd = false
    /// Whether the kernel calls its clock synchronised; nil for an image.
    var clockIsSynchronised: Bool?
    /// Names of the processes that keep a clock right; the kernel cuts them at 15 bytes.
    let timeDaemons = ["systemd-timesyn", "chronyd", "ntpd"]
    /// The file by which timesyncd marks its first success.
    var hasTimesyncMark = false
    /// Programs that keep the clock right and are installed.
    var timeServices: [String] = []
    /// Name of the real time clock.
    var clockChip: String?
    /// Time of the clock chip, in seconds since 1970.
    var clockChipSeconds: Int?
    /// Path of the file that keeps the time across a power cut; nil without one.
    var timeService: String?
}

extension DoctorHealth {
    init(_ tree: DoctorTree, _ machine: DoctorMachine) {
        let sensors = tree.names("/sys/class/hwmon").map { "/sys/class/hwmon/\($0)" }
        isUnderVoltage = sensors.first { tree.line("\($0)/name") == "rpi_volt" }
            .flatMap { tree.number("\($0)/in0_lcrit_alarm") }.map { $0 != 0 }
        hottestMillidegrees =
            tree.names("/sys/class/thermal").filter { $0.hasPrefix("thermal_zone") }
            .compactMap { tree.number("/sys/class/thermal/\($0)/temp") }.max()
        watchdogs = tree.names("/sys/class/watchdog").map { name in
            let folder = "/sys/class/watchdog/\(name)"
            return Watchdog(
                name: name,
                identity: tree.line("\(folder)/identity"),
                state: tree.line("\(folder)/state"),
                timeoutSeconds: tree.number("\(folder)/timeout")
            )
        }
        managerSettings = tree.settings("system.conf")
        hasSystemd = tree.exists("/run/systemd/system")
        clockIsSynchronised = machine.clockIsSynchronised
        hasTimesyncMark = tree.exists("/run/systemd/timesync/synchronized")
        let services = [
            ("systemd-timesyncd", "/usr/lib/systemd/systemd-timesyncd"),
            ("systemd-timesyncd", "/lib/systemd/systemd-timesyncd"),
            ("chrony", "/usr/sbin/chronyd"), ("ntpsec", "/usr/sbin/ntpd"),
        ]
        for (name, path) in services where tree.exists(path) && !timeServices.contains(name) {
            timeServices.append(name)
        }
        if tree.exists("/sys/class/rtc/rtc0") {
            clockChip = tree.line("/sys/class/rtc/rtc0/name") ?? "rtc0"
            clockChipSeconds = tree.number("/sys/class/rtc/rtc0/since_epoch")
        }
        let keepers = ["/etc/fake-hwclock.data", "/var/lib/systemd/timesync/clock"]
        timeService = keepers.first(where: tree.exists)
    }
}
