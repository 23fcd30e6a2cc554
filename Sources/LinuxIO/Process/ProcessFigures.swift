import CLinux
import Core
import FileIO
import Glibc

/// Resources that this process uses, measured by itself.
package struct ProcessFigures: Hashable, Sendable {
    package let residentKibibytes: Int
    /// Private memory of the process; nil where the kernel does not report it.
    package let privateKibibytes: Int?
    package let cpuMilliseconds: Int
    package let voluntarySwitches: Int
    let involuntarySwitches: Int
    /// Bytes that went to a card or disk, or will; nil where the kernel does not report it.
    package let writtenByteCount: Int?
    /// How often a file was made durable, by any part of the process.
    package let syncCount: Int
    /// Since the process started; suspended time counts.
    package let uptime: Duration

    /// Reads the figures now: three small files of `/proc` and one call, about 0.1 ms.
    package static func now() -> ProcessFigures {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let rollup = Files.text("/proc/self/smaps_rollup")
        let privateParts = ["Private_Clean", "Private_Dirty"].map { kibibytes($0, in: rollup) }
        let resident =
            kibibytes("Rss", in: rollup)
            ?? kibibytes("VmRSS", in: Files.text("/proc/self/status"))
        return ProcessFigures(
            residentKibibytes: resident ?? 0,
            privateKibibytes: privateParts.contains(nil)
                ? nil : privateParts.compactMap(\.self).reduce(0, +),
            cpuMilliseconds: milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime),
            voluntarySwitches: usage.ru_nvcsw,
            involuntarySwitches: usage.ru_nivcsw,
            writtenByteCount: writtenByteCount(in: Files.text("/proc/self/io")),
            syncCount: clinux_sync_count(),
            uptime: startInstant.map { $0.duration(to: .now()) } ?? .zero
        )
    }

    /// Processor time of all threads so far, which no other process can lengthen.
    package static func cpuTime() -> Duration {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return .microseconds(microseconds(usage.ru_utime) + microseconds(usage.ru_stime))
    }

    private static func microseconds(_ time: timeval) -> Int64 {
        Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_usec)
    }

    /// The value of a line such as `Rss:   1234 kB`.
    static func kibibytes(_ name: String, in text: String?) -> Int? {
        guard let text else { return nil }
        for line in text.split(separator: "\n") where line.hasPrefix("\(name):") {
            return line.dropFirst(name.count + 1).split(separator: " ").first.flatMap { Int($0) }
        }
        return nil
    }

    /// Bytes written less those that were deleted before they got anywhere; memory files count not.
    ///
    /// - Source: proc(5): `write_bytes`, `cancelled_write_bytes`.
    static func writtenByteCount(in text: String?) -> Int? {
        guard let text else { return nil }
        func value(_ name: String) -> Int? {
            text.split(separator: "\n").first { $0.hasPrefix("\(name): ") }
                .flatMap { Int($0.dropFirst(name.count + 2)) }
        }
        return value("write_bytes").map { max(0, $0 - (value("cancelled_write_bytes") ?? 0)) }
    }

    /// When a process started, from its `stat` line, in ticks since boot.
    ///
    /// - Source: proc(5): field 22; the name in field 2 may hold spaces and brackets.
    static func startTicks(in stat: String) -> Int64? {
        guard let nameEnd = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[nameEnd...].split(separator: " ")
        return fields.count > 20 ? Int64(fields[20]) : nil
    }

    private static let startInstant: MonotonicInstant? = {
        guard let ticks = Files.text("/proc/self/stat").flatMap(startTicks) else { return nil }
        let ticksPerSecond = Int64(max(sysconf(Int32(_SC_CLK_TCK)), 1))
        return MonotonicInstant(nanoseconds: ticks * (1_000_000_000 / ticksPerSecond))
    }()

    private static func milliseconds(_ time: timeval) -> Int {
        time.tv_sec * 1_000 + Int(time.tv_usec) / 1_000
    }
}

/// The machine we run on.
package struct MachineFacts: Hashable, Sendable {
    /// Names this boot; instants of `CLOCK_BOOTTIME` mean something within it.
    package let bootID: String
    /// Such as `Raspberry Pi 4 Model B Rev 1.4`; nil where there is no device tree.
    package let model: String?
    /// Release of the kernel.
    package let kernel: String
    package let hostname: String

    package static func read() -> MachineFacts {
        MachineFacts(
            bootID: Files.line("/proc/sys/kernel/random/boot_id") ?? "unknown",
            model: Files.line("/proc/device-tree/model"),
            kernel: Files.line("/proc/sys/kernel/osrelease") ?? "unknown",
            hostname: Files.line("/proc/sys/kernel/hostname") ?? "unknown"
        )
    }
}
