import CLinux
import Core
import Glibc
import HardwareIO
import Synchronization
import Testing

@testable import LinuxIO

/// Contract of `read(into:_:)` for a port on an event loop.
@Suite struct SerialReceiverTests {
    /// On a thread of its own, where no task is below the loop: what a light needs.
    @Test func bytesAreHandedOverOutsideOfAnyTask() async throws {
        let receiver = try await onThread { line in
            let receiver = Receiver(frames: 3) { line.soon }
            async let isDone = line.port.read(into: receiver, line.wait)
            for number in 1...3 {
                await Task.yield()
                line.far.write(Array(repeating: UInt8(number), count: 10))
                while receiver.frames.count < number { await Task.yield() }
            }
            let hasEnded = try await isDone
            #expect(hasEnded)
            return receiver
        }
        #expect(receiver.frames == (1...3).map { Array(repeating: $0, count: 10) })
        #expect(receiver.inTask == [false, false, false])
    }

    @Test func theWaitEndsAtTheDeadlineThatTheReceiverNamedLast() throws {
        let (isDone, isLate) = try withLine { line in
            let first = line.loop.clock.now.advanced(by: .milliseconds(500))
            let last = first.advanced(by: .milliseconds(300))
            let receiver = Receiver(frames: 9) { last }
            line.far.write(Array(repeating: 7, count: 10))
            let wait = SerialWait(count: 10, until: first)
            let isDone = try await line.port.read(into: receiver, wait)
            return (isDone, line.loop.clock.now >= last)
        }
        #expect(!isDone)
        #expect(isLate)
    }

    @Test func whatTheReceiverDoesNotWaitForStaysInThePort() throws {
        let (isDone, rest) = try withLine { line in
            let receiver = Receiver(frames: 1) { line.soon }
            line.far.write([1])
            let isDone = try await line.port.read(into: receiver, line.wait(1))
            line.far.write([2, 3])
            return (isDone, try await line.port.read(atLeast: 2, until: line.soon))
        }
        #expect(isDone)
        #expect(rest == [2, 3])
    }

    /// A receiver of positions goes on while its session sleeps.
    @Test func whatNoReadWaitsForWakesTheProcessOnce() throws {
        let (wakeUps, bytes) = try withLine { line in
            let first = Receiver(frames: 1) { line.soon }
            line.far.write(Array(repeating: 1, count: 10))
            _ = try await line.port.read(into: first, line.wait)
            let before = line.loop.counters.descriptorWakeUps
            for number in 1...20 {
                line.far.write(Array(repeating: UInt8(number), count: 10))
                try await line.loop.clock.sleep(for: .milliseconds(1))
            }
            let wakeUps = line.loop.counters.descriptorWakeUps - before
            let second = Receiver(frames: 1) { line.soon }
            let isDone = try await line.port.read(into: second, line.wait(200))
            #expect(isDone)
            return (wakeUps, second.frames)
        }
        #expect(wakeUps <= 1)
        #expect(bytes == [(1...20).flatMap { Array(repeating: UInt8($0), count: 10) }])
    }

    @Test func theReceiverMayWriteAndDiscard() throws {
        let heard = try withLine { line in
            let port = line.port
            let receiver = Receiver(frames: 1) {
                line.soon
            } act: {
                try? port.write([9])
                try? port.discardInput()
            }
            line.far.write([1])
            _ = try await port.read(into: receiver, line.wait(1))
            return try await port.read(
                atLeast: 1,
                until: line.loop.clock.now.advanced(by: .milliseconds(5))
            )
        }
        #expect(heard == nil)
    }

    @Test func aPortThatIsClosedOrCancelledEndsTheReading() throws {
        try withLine { line in
            let receiver = Receiver(frames: 9) { line.soon }
            let cancelled = Task(executorPreference: line.loop) {
                try await line.port.read(into: receiver, line.wait)
            }
            await Task.yield()
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            let closed = Task(executorPreference: line.loop) {
                try await line.port.read(into: receiver, line.wait)
            }
            await Task.yield()
            line.port.close()
            await #expect(throws: SerialError.disconnected(path: line.far.path)) {
                try await closed.value
            }
        }
    }
}

private final class Receiver: SerialReceiver {
    private let state: Mutex<(frames: [[UInt8]], inTask: [Bool])>
    private let limit: Int
    private let deadline: @Sendable () -> MonotonicInstant
    private let act: @Sendable () -> Void

    init(
        frames limit: Int,
        until deadline: @escaping @Sendable () -> MonotonicInstant,
        act: @escaping @Sendable () -> Void = {}
    ) {
        (self.limit, self.deadline, self.act) = (limit, deadline, act)
        state = Mutex(([], []))
    }

    var frames: [[UInt8]] { state.withLock { $0.frames } }
    var inTask: [Bool] { state.withLock { $0.inTask } }

    func receive(_ bytes: Span<UInt8>) -> SerialWait? {
        let frame = bytes.indices.map { bytes[$0] }
        let isInTask = withUnsafeCurrentTask { $0 != nil }
        let isEnough = state.withLock { state in
            state.frames.append(frame)
            state.inTask.append(isInTask)
            return state.frames.count >= limit
        }
        act()
        return isEnough ? nil : SerialWait(count: 10, until: deadline())
    }
}

private struct Line: Sendable {
    let loop: EventLoop
    let port: LinuxSerialPort
    let far: FarEnd

    /// A deadline that only a failure reaches.
    var soon: MonotonicInstant { loop.clock.now.advanced(by: .seconds(20)) }
    var wait: SerialWait { wait(10) }

    func wait(_ count: Int) -> SerialWait { SerialWait(count: count, until: soon) }
}

private func onThread<Value: Sendable>(
    _ body: @escaping @Sendable (Line) async throws -> Value
) async throws -> Value {
    try await DiskThread().run { try withLine(body) }
}

private func withLine<Value: Sendable>(
    _ body: @escaping @Sendable (Line) async throws -> Value
) throws -> Value {
    let loop = try EventLoop()
    return try loop.run {
        let far = try FarEnd()
        let descriptor = try SerialOpening.open(far.path, SerialSettings(baud: 9_600))
        let port = try LinuxSerialPort(descriptor, path: far.path, on: loop)
        try far.watch(on: loop)
        defer {
            far.close()
            port.close()
        }
        return try await body(Line(loop: loop, port: port, far: far))
    }
}
