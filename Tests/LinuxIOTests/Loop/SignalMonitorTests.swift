import CLinux
import Glibc
import Testing

@testable import LinuxIO

@Suite struct SignalMonitorTests {
    @Test func takesSignalsInTheOrderOfTheirNumbers() throws {
        let disk = try DiskThread(name: "signals")
        // On a thread of its own: a signal sent to a thread stays with it.
        let taken = try EventLoop().run {
            try await disk.run {
                SignalMonitor.block()
                let loop = try EventLoop()
                return try loop.run {
                    let monitor = try SignalMonitor(on: loop)
                    defer { monitor.close() }
                    for signal in [SIGHUP, SIGTERM] { pthread_kill(pthread_self(), signal) }
                    return [try await monitor.next(), try await monitor.next()]
                }
            }
        }
        #expect(taken == [SIGHUP, SIGTERM])
    }

    @Test func wakesATaskThatWaitsForASignal() throws {
        let disk = try DiskThread(name: "signals")
        let taken = try EventLoop().run {
            try await disk.run {
                SignalMonitor.block([SIGHUP])
                let loop = try EventLoop()
                return try loop.run {
                    let monitor = try SignalMonitor([SIGHUP], on: loop)
                    defer { monitor.close() }
                    async let signal = monitor.next()
                    await Task.yield()
                    pthread_kill(pthread_self(), SIGHUP)
                    return try await signal
                }
            }
        }
        #expect(taken == SIGHUP)
    }
}
