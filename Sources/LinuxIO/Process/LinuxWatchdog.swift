import CLinux
import Core
import Glibc
import HardwareIO
import Synchronization

/// The system calls of a hardware watchdog, so that tests can replace it.
///
/// Each returns what the kernel would: 0 or more, or minus the errno.
package struct WatchdogCalls: Sendable {
    package var open: @Sendable (_ path: String) -> Int32
    package var control: @Sendable (_ descriptor: Int32, _ request: UInt, _ value: Int32) -> Int32
    package var write: @Sendable (_ descriptor: Int32, _ byte: UInt8) -> Int32
    package var close: @Sendable (_ descriptor: Int32) -> Void

    package init(
        open: @escaping @Sendable (String) -> Int32,
        control: @escaping @Sendable (Int32, UInt, Int32) -> Int32,
        write: @escaping @Sendable (Int32, UInt8) -> Int32,
        close: @escaping @Sendable (Int32) -> Void
    ) {
        self.open = open
        self.control = control
        self.write = write
        self.close = close
    }

    /// The calls of the kernel.
    package static let kernel = WatchdogCalls(
        open: { path in
            let raw = Glibc.open(path, O_WRONLY | O_CLOEXEC)
            return raw >= 0 ? raw : -errno
        },
        control: { descriptor, request, value in
            var value = value
            return clinux_ioctl(descriptor, request, &value) == 0 ? value : -errno
        },
        write: { descriptor, byte in
            var byte = byte
            return Glibc.write(descriptor, &byte, 1) == 1 ? 1 : -errno
        },
        close: { _ = Glibc.close($0) }
    )
}

/// A hardware watchdog through the kernel's ioctls.
///
/// The timer runs from the moment the device is opened. Closing it without `disarm()` leaves it
/// running, so the board is reset after the process dies; that is its purpose.
///
/// - Source: Linux, `Documentation/watchdog/watchdog-api.rst`.
package final class LinuxWatchdog: WatchdogDevice {
    package let timeout: Duration
    package let causedLastBoot: Bool
    private let path: String
    private let calls: WatchdogCalls
    private let descriptor: Mutex<Int32?>

    /// Opens and starts the watchdog.
    ///
    /// - Parameters:
    ///   - timeout: The time-out to request, in whole seconds ≥ 1; a Pi accepts 15 s at most before
    ///     Linux 6.8. Where the hardware refuses it, its own time stays in force: see `timeout`.
    package init(
        path: String = "/dev/watchdog",
        timeout: Duration,
        calls: WatchdogCalls = .kernel
    ) throws(WatchdogError) {
        let raw = calls.open(path)
        guard raw >= 0 else { throw Self.failure("open", -raw, path) }
        let seconds = Int32(clamping: max(timeout.components.seconds, 1))
        _ = calls.control(raw, clinux_WDIOC_SETTIMEOUT, seconds)
        let taken = calls.control(raw, clinux_WDIOC_GETTIMEOUT, 0)
        guard taken > 0 else {
            // Without a known time-out it cannot be petted in time: no watchdog is better than a
            // reset loop.
            _ = calls.write(raw, Self.magicClose)
            calls.close(raw)
            throw Self.failure("WDIOC_GETTIMEOUT", taken == 0 ? EINVAL : -taken, path)
        }
        let bootStatus = calls.control(raw, clinux_WDIOC_GETBOOTSTATUS, 0)
        self.timeout = .seconds(Int64(taken))
        causedLastBoot = bootStatus > 0 && bootStatus & clinux_WDIOF_CARDRESET != 0
        self.path = path
        self.calls = calls
        descriptor = Mutex(raw)
    }

    private static let magicClose = UInt8(ascii: "V")

    package func pet() throws(WatchdogError) {
        guard let raw = descriptor.withLock({ $0 }) else { return }
        let result = calls.control(raw, clinux_WDIOC_KEEPALIVE, 0)
        guard result >= 0 else { throw Self.failure("WDIOC_KEEPALIVE", -result, path) }
    }

    package func disarm() {
        guard let raw = descriptor.withLock({ $0.take() }) else { return }
        _ = calls.write(raw, Self.magicClose)
        calls.close(raw)
    }

    private static func failure(_ call: String, _ code: Int32, _ path: String) -> WatchdogError {
        switch code {
        case ENOENT, ENODEV, ENXIO: .absent(path: path)
        case EBUSY: .busy(path: path)
        case EACCES, EPERM: .noPermission(path: path)
        default: .system(call: call, errno: code, path: path)
        }
    }
}
