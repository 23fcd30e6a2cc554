import CLinux
import FileIO
import Glibc
import HardwareIO
import Synchronization
import TestSupport
import Testing

@testable import LinuxIO

@Suite struct LinuxWatchdogTests {
    @Test func showsTheTimeTheHardwareTook() throws {
        let standIn = StandIn(timeoutMax: 15)
        let watchdog = try LinuxWatchdog(timeout: .seconds(60), calls: standIn.calls)
        #expect(watchdog.timeout == .seconds(15))
        #expect(!watchdog.causedLastBoot)
    }

    @Test func knowsThatItCausedTheLastBoot() throws {
        // A second flag beside WDIOF_CARDRESET: the status is a set of bits.
        let standIn = StandIn(timeoutMax: 60, bootStatus: 0x20 | 0x40)
        #expect(try LinuxWatchdog(timeout: .seconds(10), calls: standIn.calls).causedLastBoot)
    }

    @Test func petsAndDisarmsWithTheMagicClose() throws {
        let standIn = StandIn(timeoutMax: 60)
        let watchdog = try LinuxWatchdog(timeout: .seconds(10), calls: standIn.calls)
        try watchdog.pet()
        try watchdog.pet()
        watchdog.disarm()
        watchdog.disarm()
        #expect(standIn.log == ["pet", "pet", "V", "close"])
        try watchdog.pet()
        #expect(standIn.log.count == 4)
    }

    @Test func staysArmedWhenLetGo() throws {
        let standIn = StandIn(timeoutMax: 60)
        do { _ = try LinuxWatchdog(timeout: .seconds(10), calls: standIn.calls) }
        #expect(standIn.log == [])
    }

    @Test func saysWhatIsWrong() {
        let path = "/dev/watchdog9"
        let cases: [(Int32, WatchdogError)] = [
            (ENOENT, .absent(path: path)), (EBUSY, .busy(path: path)),
            (EACCES, .noPermission(path: path)),
            (EMFILE, .system(call: "open", errno: EMFILE, path: path)),
        ]
        for (code, error) in cases {
            var calls = StandIn(timeoutMax: 60).calls
            calls.open = { _ in -code }
            #expect(throws: error) {
                try LinuxWatchdog(path: path, timeout: .seconds(10), calls: calls)
            }
        }
    }

    @Test func disarmsAFileThatIsNoWatchdog() throws {
        let folder = try TestFolder()
        let path = folder.path("plain")
        close(open(path, O_CREAT | O_RDWR, 0o600))
        // The real calls: a plain file knows none of the ioctls.
        let refusal = WatchdogError.system(call: "WDIOC_GETTIMEOUT", errno: ENOTTY, path: path)
        #expect(throws: refusal) { try LinuxWatchdog(path: path, timeout: .seconds(10)) }
        #expect(Files.text(path) == "V")
    }

    @Test func spellsTheRequestsAsTheKernelDoes() {
        // linux/watchdog.h: 'W' with numbers 2, 5, 6, 7; size 4 and direction as _IOR or _IOWR.
        #expect(clinux_WDIOC_GETBOOTSTATUS == 0x8004_5702)
        #expect(clinux_WDIOC_KEEPALIVE == 0x8004_5705)
        #expect(clinux_WDIOC_SETTIMEOUT == 0xC004_5706)
        #expect(clinux_WDIOC_GETTIMEOUT == 0x8004_5707)
    }
}

/// A watchdog in memory that takes times up to a maximum, as the Pi's does.
private final class StandIn: Sendable {
    private struct State {
        var timeout: Int32
        var log: [String] = []
    }

    private let timeoutMax: Int32
    private let bootStatus: Int32
    private let state: Mutex<State>

    init(timeoutMax: Int32, bootStatus: Int32 = 0) {
        self.timeoutMax = timeoutMax
        self.bootStatus = bootStatus
        state = Mutex(State(timeout: timeoutMax))
    }

    var log: [String] { state.withLock { $0.log } }

    var calls: WatchdogCalls {
        WatchdogCalls(
            open: { _ in 7 },
            control: { [self] _, request, value in answer(request, value) },
            write: { [self] _, byte in
                append(String(UnicodeScalar(byte)))
                return 1
            },
            close: { [self] _ in append("close") }
        )
    }

    private func answer(_ request: UInt, _ value: Int32) -> Int32 {
        switch request {
        case clinux_WDIOC_SETTIMEOUT:
            guard value <= timeoutMax else { return -EINVAL }
            state.withLock { $0.timeout = value }
            return value
        case clinux_WDIOC_GETTIMEOUT: return state.withLock { $0.timeout }
        case clinux_WDIOC_GETBOOTSTATUS: return bootStatus
        case clinux_WDIOC_KEEPALIVE:
            append("pet")
            return 0
        default: return -ENOTTY
        }
    }

    private func append(_ entry: String) { state.withLock { $0.log.append(entry) } }
}
