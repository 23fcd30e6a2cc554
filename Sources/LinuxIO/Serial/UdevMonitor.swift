import CUdev
import Core
import Glibc
import HardwareIO
import Synchronization

/// Reports devices that come and go, through libudev.
///
/// The monitor listens before the first enumeration, so nothing falls between the two. Where no
/// udevd runs, as in a container, it hears the kernel's own events: nodes and paths, no `ID_…`.
package final class UdevMonitor: HotplugMonitor {
    private struct State: ~Copyable {
        var udev: OpaquePointer?
        var monitor: OpaquePointer?
        var queue = UdevQueue()
    }

    /// Bytes of the socket's buffer: about 1 000 events, where 250 fit otherwise.
    ///
    /// Without the right to go beyond /proc/sys/net/core/rmem_max the kernel gives that much.
    private static let receiveBytes: Int32 = 1 << 20
    /// Where udevd listens while it runs.
    private static let udevdSocket = "/run/udev/control"

    private let subsystems: [String]
    private let disk: DiskThread?
    private let state: Mutex<State>
    private let watched: Watched

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - subsystems: Subsystems to watch, such as `tty`; none means all.
    ///   - loop: Where events are waited for.
    ///   - disk: Where devices are enumerated, which may block; nil enumerates where it is asked.
    /// - Throws: `HotplugError.unavailable` when the kernel gives no netlink socket.
    package init(
        subsystems: [String],
        on loop: EventLoop,
        disk: DiskThread? = nil
    ) throws(HotplugError) {
        self.subsystems = subsystems
        self.disk = disk
        guard let udev = udev_new() else { throw .unavailable(call: "udev_new", errno: errno) }
        var monitor: OpaquePointer?
        do throws(HotplugError) {
            monitor = try Self.listen(to: subsystems, udev)
            watched = try Self.watch(udev_monitor_get_fd(monitor), on: loop)
            state = Mutex(State(udev: udev, monitor: monitor))
        } catch {
            if let monitor { udev_monitor_unref(monitor) }
            udev_unref(udev)
            throw error
        }
    }

    deinit { close() }

    /// How often the kernel dropped events since the start; a snapshot followed each time.
    package var overrunCount: Int { state.withLock { $0.queue.overrunCount } }

    package func next() async throws -> [HotplugEvent] {
        while !Task.isCancelled {
            if state.withLock({ $0.queue.isSnapshotDue }) { return [try await snapshot()] }
            let events = try receive()
            if !events.isEmpty { return events }
            if state.withLock({ $0.queue.isSnapshotDue || $0.queue.mayHaveMore }) { continue }
            do {
                _ = try await watched.readable()
            } catch LinuxError.closed {
                throw HotplugError.unavailable(call: "close", errno: EBADF)
            }
            state.withLock { $0.queue.recordReadable() }
        }
        throw CancellationError()
    }

    package func close() {
        watched.close()
        state.withLock { state in
            if let monitor = state.monitor { udev_monitor_unref(monitor) }
            if let udev = state.udev { udev_unref(udev) }
            (state.monitor, state.udev) = (nil, nil)
        }
    }

    private func snapshot() async throws -> HotplugEvent {
        try state.withLock { (state) throws(HotplugError) in
            let monitor = state.monitor
            try state.queue.prepareSnapshot { Self.receive(from: monitor) }
        }
        guard let disk else { return .snapshot(try Udev.devices(in: subsystems)) }
        let subsystems = subsystems
        return .snapshot(try await disk.run { try Udev.devices(in: subsystems) })
    }

    private func receive() throws(HotplugError) -> [HotplugEvent] {
        try state.withLock { (state) throws(HotplugError) -> [HotplugEvent] in
            let monitor = state.monitor
            return try state.queue.receive { Self.receive(from: monitor) }
        }
    }

    private static func receive(from monitor: OpaquePointer?) -> UdevReceipt {
        guard let monitor else { return .failed(errno: EBADF) }
        errno = 0
        if let device = udev_monitor_receive_device(monitor) {
            defer { udev_device_unref(device) }
            return .properties(Udev.properties(of: device))
        }
        let code = errno
        switch code {
        case ENOBUFS: return .overrun
        case EINVAL: return .ignored
        case 0, EAGAIN, EINTR:
            // libudev returns EAGAIN for an untrusted message, too.
            var question = pollfd(
                fd: udev_monitor_get_fd(monitor),
                events: Int16(POLLIN),
                revents: 0
            )
            return poll(&question, 1, 0) > 0 ? .ignored : .empty
        default: return .failed(errno: code)
        }
    }

    private static func listen(
        to subsystems: [String],
        _ udev: OpaquePointer
    ) throws(HotplugError) -> OpaquePointer {
        let group = access(udevdSocket, F_OK) == 0 ? "udev" : "kernel"
        guard let monitor = udev_monitor_new_from_netlink(udev, group) else {
            throw .unavailable(call: "udev_monitor_new_from_netlink", errno: errno)
        }
        for subsystem in subsystems {
            udev_monitor_filter_add_match_subsystem_devtype(monitor, subsystem, nil)
        }
        // A smaller buffer overruns sooner, and overruns are dealt with.
        _ = udev_monitor_set_receive_buffer_size(monitor, receiveBytes)
        let code = udev_monitor_enable_receiving(monitor)
        guard code >= 0 else {
            udev_monitor_unref(monitor)
            throw .unavailable(call: "udev_monitor_enable_receiving", errno: -code)
        }
        return monitor
    }

    private static func watch(
        _ descriptor: Int32,
        on loop: EventLoop
    ) throws(HotplugError) -> Watched {
        do throws(LinuxError) { return try loop.register(descriptor) } catch {
            guard case .system(let call, let code, _) = error else {
                throw .unavailable(call: "register", errno: EBADF)
            }
            throw .unavailable(call: call, errno: code)
        }
    }
}
