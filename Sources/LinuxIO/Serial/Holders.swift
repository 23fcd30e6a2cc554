import FileIO
import Glibc

/// Finds the processes that hold a file open, as far as `/proc` shows them.
package enum Holders {
    /// The first process other than this one that has the file open, as `name (pid 123)`.
    ///
    /// Best effort: other users' descriptors are visible to root only. Reads all of `/proc`, so it
    /// belongs on the disk thread.
    package static func describe(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let own = getpid()
        var ownHolds = 0
        let processes = (try? Files.names(in: "/proc")) ?? []
        for process in processes.compactMap(Int32.init) {
            let holds = descriptors(of: process, to: status)
            if process == own {
                ownHolds = holds
            } else if holds > 0 {
                return describe(process)
            }
        }
        // The caller has it open once; a second time means that we are the holder ourselves.
        return ownHolds > 1 ? "this process (pid \(own))" : nil
    }

    /// The process that has a lock by `flock` on an open file; nil when the kernel does not report
    /// it.
    package static func describe(lockOn descriptor: Int32) -> String? {
        var status = stat()
        guard fstat(descriptor, &status) == 0,
            let locks = Files.text("/proc/locks", limit: 262_144)
        else {
            return nil
        }
        for line in locks.split(separator: "\n") {
            // `1: FLOCK  ADVISORY  WRITE 708 fd:01:1234 0 EOF`
            let fields = line.split(separator: " ")
            guard fields.count >= 6, fields[1] == "FLOCK", let process = Int32(fields[4]),
                process > 0, fields[5].hasSuffix(":\(status.st_ino)"),
                isSameDevice(fields[5], status.st_dev)
            else { continue }
            return describe(process)
        }
        return nil
    }

    private static func isSameDevice(_ place: Substring, _ device: dev_t) -> Bool {
        let numbers = place.split(separator: ":").compactMap { UInt64($0, radix: 16) }
        guard numbers.count == 3 else { return false }
        let (high, low) = (UInt64(device) >> 8 & 0xFFF, UInt64(device) & 0xFF)
        return numbers[0] == high && numbers[1] == low | (UInt64(device) >> 12 & 0xFFFFF00)
    }

    /// A process by name and number.
    package static func describe(_ process: Int32) -> String {
        let name = Files.line("/proc/\(process)/comm") ?? "process"
        return "\(name) (pid \(process))"
    }

    private static func descriptors(of process: Int32, to wanted: stat) -> Int {
        let folder = "/proc/\(process)/fd"
        let entries = (try? Files.names(in: folder)) ?? []
        return entries.count { entry in
            var found = stat()
            guard stat("\(folder)/\(entry)", &found) == 0 else { return false }
            return found.st_dev == wanted.st_dev && found.st_ino == wanted.st_ino
        }
    }
}
