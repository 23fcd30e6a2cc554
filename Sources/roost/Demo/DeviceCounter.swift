import FileIO
import Glibc
import LinuxIO

/// Counts what reached the block devices under some paths, for all programs that write there.
struct DeviceCounter {
    struct Count: Hashable {
        var bytes = 0
        var writes = 0
        /// Flushes of the device's own cache; 0 on kernels before 5.5.
        var flushes = 0
    }

    private let paths: [String]
    private let statistics: [String]

    init(_ paths: [String]) {
        self.paths = paths
        var names: [String] = []
        for path in paths {
            var status = stat()
            guard stat(path, &status) == 0 else { continue }
            let isDevice = status.st_mode & S_IFMT == S_IFBLK
            let name = Self.name(isDevice ? status.st_rdev : status.st_dev)
            // Memory file systems have no device.
            if access(name, R_OK) == 0, !names.contains(name) { names.append(name) }
        }
        statistics = names
    }

    private static func name(_ device: dev_t) -> String {
        "/sys/dev/block/\(BlockDevice.text(device))/stat"
    }

    /// Brings everything to the devices and reads their counters; nil where there are none.
    func read() -> Count? {
        guard !statistics.isEmpty else { return nil }
        for path in paths { _ = try? FileSystem.settle(path) }
        var sum = Count()
        for name in statistics {
            guard let text = Files.text(name), let count = Self.count(text) else { continue }
            sum.bytes += count.bytes
            sum.writes += count.writes
            sum.flushes += count.flushes
        }
        return sum
    }

    /// Fields 5, 7 and 16 of `/sys/block/…/stat`: requests and sectors of 512 B written, flushes.
    ///
    /// - Source: linux/Documentation/block/stat.rst.
    static func count(_ text: String) -> Count? {
        let fields = text.split { $0 == " " || $0 == "\n" }.map { Int($0) }
        guard fields.count >= 7, let writes = fields[4], let sectors = fields[6] else { return nil }
        let flushes = fields.count >= 16 ? fields[15] ?? 0 : 0
        return Count(bytes: sectors * 512, writes: writes, flushes: flushes)
    }
}
