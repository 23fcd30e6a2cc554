import Core
import FileIO

/// The source of the system clock's time at boot.
enum ClockSource {
    /// A real time clock that the kernel set the clock by and that itself was set; else the time
    /// stamp of a file, by which systemd-timesyncd and fake-hwclock let the clock go on.
    ///
    /// - Parameter folder: Where the kernel shows its real time clocks.
    /// - Returns: `hardwareClock` or `fileStamp`.
    static func ofThisMachine(_ folder: String = "/sys/class/rtc") -> ClockTrust {
        for number in 0..<4 {
            guard value("\(folder)/rtc\(number)/hctosys") == 1,
                let seconds = value("\(folder)/rtc\(number)/since_epoch")
            else { continue }
            return seconds >= oldest ? .hardwareClock : .fileStamp
        }
        return .fileStamp
    }

    /// 2020: what is before was never set.
    private static let oldest = 1_577_836_800

    /// The number in a file of a few bytes.
    private static func value(_ path: String) -> Int? {
        Files.line(path).flatMap { Int($0.filter { !$0.isWhitespace }) }
    }
}
