import CLinux
import Core
import Glibc
import HardwareIO
import Testing

@testable import LinuxIO

/// Cost of a sample: the budget is 2 voluntary context switches.
@Suite struct LoopCostTests {
    private static let frame: [UInt8] = [0xAA, 0xC0, 0x7B, 0, 0xEA, 1, 0xA1, 0x60, 0x67, 0xAB]

    @Test(arguments: [1, 4])
    func wakesOnceForEachFrame(piecesPerFrame: Int) throws {
        let cost = try measure(frameCount: 40, period: .milliseconds(4), piecesPerFrame)
        #expect(cost.frames == 40)
        #expect(cost.wakeUpsPerFrame <= 1.3)
        if piecesPerFrame == 1 { #expect(cost.switchesPerFrame <= 2) }
    }

    private struct Cost: Sendable {
        var frames = 0
        var wakeUpsPerFrame = 0.0
        var switchesPerFrame = 0.0
        var jobsPerFrame = 0.0
        var microsecondsPerFrame = 0.0
    }

    /// Reads frames as a driver does, from a device on a loop and a thread of its own.
    private func measure(
        frameCount: Int,
        period: Duration,
        _ pieces: Int
    ) throws -> Cost {
        let simulator = try DiskThread(name: "simulator")
        let disk = try DiskThread()
        let loop = try EventLoop()
        let deviceLoop = try EventLoop()
        let terminal = try PseudoTerminal(on: deviceLoop)
        return try loop.run {
            async let device: Void = simulator.run {
                try deviceLoop.run {
                    let cuts = (0...pieces).map { $0 * Self.frame.count / pieces }
                    let frame = zip(cuts, cuts.dropFirst()).map { Array(Self.frame[$0..<$1]) }
                    let peer = EchoPeer(
                        saysWhenAsked: (0..<frameCount).flatMap { _ in frame },
                        every: .nanoseconds(period.wholeNanoseconds / Int64(pieces))
                    )
                    try await terminal.run(peer)
                }
            }
            let port = try await LinuxSerialPort.open(
                path: terminal.path,
                settings: SerialSettings(baud: 9_600),
                on: loop,
                disk: disk
            )
            try port.write([0])
            let cost = try await read(frameCount, from: port, on: loop)
            port.close()
            terminal.close()
            _ = try? await device
            return cost
        }
    }

    private func read(
        _ frameCount: Int,
        from port: LinuxSerialPort,
        on loop: EventLoop
    ) async throws -> Cost {
        var cost = Cost()
        let (counters, usage) = (loop.counters, Self.threadUsage())
        var received: [UInt8] = []
        while received.count < frameCount * Self.frame.count {
            // A late reader gets more than one frame at once, so what is missing is counted.
            let missing = Self.frame.count - received.count % Self.frame.count
            let deadline = loop.clock.now.advanced(by: .seconds(20))
            guard let bytes = try await port.read(atLeast: missing, until: deadline) else { break }
            received += bytes
        }
        let sent = repeatElement(Self.frame, count: frameCount).joined()
        cost.frames = received.elementsEqual(sent) ? frameCount : 0
        let (countersAfter, usageAfter) = (loop.counters, Self.threadUsage())
        let count = Double(frameCount)
        cost.wakeUpsPerFrame = Double(countersAfter.wakeUps - counters.wakeUps) / count
        cost.switchesPerFrame = Double(usageAfter.switches - usage.switches) / count
        cost.jobsPerFrame = Double(countersAfter.jobs - counters.jobs) / count
        cost.microsecondsPerFrame = Double(usageAfter.microseconds - usage.microseconds) / count
        return cost
    }

    private static func threadUsage() -> (switches: Int, microseconds: Int) {
        var usage = rusage()
        // RUSAGE_THREAD, which Glibc's enumeration shows only with _GNU_SOURCE.
        getrusage(1, &usage)
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        let micro = Int(usage.ru_utime.tv_usec) + Int(usage.ru_stime.tv_usec)
        return (usage.ru_nvcsw, seconds * 1_000_000 + micro)
    }
}
