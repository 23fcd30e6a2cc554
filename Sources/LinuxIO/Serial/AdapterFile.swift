import CLinux
import FileIO
import Glibc
import HardwareIO
import Synchronization

/// Reports the devices that a file lists, in place of udev: for systems without udev and for test
/// benches.
///
/// The file is what `udevadm info` prints: `E: KEY=VALUE` lines, an empty line between devices. A
/// device needs `DEVPATH`, `SUBSYSTEM` and `DEVNAME`. Each time it is written or replaced, what it
/// says is a new snapshot; a file that is not there lists none.
///
/// Bound: the first 1 MiB is read, and of that as many devices as `HotplugDifference` knows.
package final class AdapterFile: HotplugMonitor {
    private static let byteLimit = 1 << 20

    private let path: String
    private let inotify: OwnedDescriptor
    private let watched: Watched
    private let told = Mutex<[HotplugDevice]?>(nil)

    /// Starts to watch.
    ///
    /// - Parameters:
    ///   - path: The file, in a folder that is there.
    ///   - loop: Where changes are waited for.
    /// - Throws: `HotplugError.unavailable` when its folder cannot be watched.
    package init(_ path: String, on loop: EventLoop) throws(HotplugError) {
        self.path = path
        let cut = path.lastIndex(of: "/").map { path[..<$0] }
        let folder = cut.map { $0.isEmpty ? "/" : String($0) } ?? "."
        do throws(LinuxError) {
            let raw = try check("inotify_init1") { inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)) }
            inotify = OwnedDescriptor(raw)
            let mask = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)
            try check("inotify_add_watch", path: folder) { inotify_add_watch(raw, folder, mask) }
            watched = try loop.register(raw)
        } catch {
            guard case .system(let call, let code, _) = error else {
                throw .unavailable(call: "inotify", errno: EBADF)
            }
            throw .unavailable(call: call, errno: code)
        }
    }

    deinit { close() }

    package func next() async throws -> [HotplugEvent] {
        while !Task.isCancelled {
            drain()
            let devices = Self.devices(in: read())
            if told.withLock({ $0 != devices }) {
                told.withLock { $0 = devices }
                return [.snapshot(devices)]
            }
            do {
                _ = try await watched.readable()
            } catch LinuxError.closed {
                throw HotplugError.unavailable(call: "close", errno: EBADF)
            }
        }
        throw CancellationError()
    }

    package func close() { watched.close() }

    /// The devices in what `udevadm info` prints.
    static func devices(in text: String) -> [HotplugDevice] {
        let blocks = text.split(separator: "\n", omittingEmptySubsequences: false)
            .split(separator: "")
        return blocks.prefix(HotplugDifference.capacity).compactMap { lines in
            let pairs = lines.filter { $0.hasPrefix("E: ") }.compactMap { line in
                let parts = line.dropFirst(3).split(
                    separator: "=",
                    maxSplits: 1,
                    omittingEmptySubsequences: false
                )
                return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
            }
            return HotplugDevice(
                udevProperties: Dictionary(pairs, uniquingKeysWith: { _, last in last })
            )
        }
    }

    private func drain() {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while Glibc.read(inotify.raw, &buffer, buffer.count) > 0 {}
    }

    private func read() -> String { Files.text(path, limit: Self.byteLimit) ?? "" }
}
