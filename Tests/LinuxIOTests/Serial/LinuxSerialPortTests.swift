import CLinux
import Core
import Glibc
import HardwareIO
import Synchronization
import TestSupport
import Testing

@testable import LinuxIO

@Suite struct LinuxSerialPortTests {
    private static let frame: [UInt8] = [0xAA, 0xC0, 0x7B, 0, 0xEA, 1, 0xA1, 0x60, 0x67, 0xAB]

    @Test func readsAFrameWrittenAtOnce() throws {
        let bytes = try withLine { line in
            line.far.write(Self.frame)
            return try await line.port.read(atLeast: 10, until: line.soon)
        }
        #expect(bytes == Self.frame)
    }

    /// Its caller would wait for ever, and the loop would spin: there is always room.
    @Test func anErrorWhileTheRestIsSentEndsTheSendingAndIsTold() throws {
        let far = try FarEnd()
        let loop = try EventLoop()
        let tries = Mutex(0)
        let error = try loop.run {
            let descriptor = try SerialOpening.open(far.path, SerialSettings(baud: 9_600))
            let port = try LinuxSerialPort(descriptor, path: far.path, on: loop) { _, _ in
                tries.withLock { $0 += 1 }
                errno = tries.withLock { $0 } == 1 ? EAGAIN : ENOMEM
                return -1
            }
            defer { port.close() }
            try port.write([1, 2, 3])
            let soon = loop.clock.now.advanced(by: .seconds(5))
            do {
                return try await port.read(atLeast: 1, until: soon).map { "\($0)" } ?? "nothing"
            } catch {
                return "\(error)"
            }
        }
        #expect(error == "\(SerialError.system(call: "write", errno: ENOMEM, path: far.path))")
        #expect(tries.withLock { $0 } == 2)
    }

    @Test func readsAFrameThatComesByteByByte() throws {
        let (bytes, wakeUps) = try withLine { line in
            let before = line.loop.counters.descriptorWakeUps
            async let bytes = line.port.read(atLeast: 10, until: line.soon)
            for byte in Self.frame {
                line.far.write([byte])
                await Task.yield()
            }
            return (try await bytes, line.loop.counters.descriptorWakeUps - before)
        }
        #expect(bytes == Self.frame)
        #expect(wakeUps <= 1)
    }

    @Test func handsOutHalfAFrameAtTheDeadline() throws {
        let bytes = try withLine { line in
            line.far.write([1, 2, 3])
            let deadline = line.loop.clock.now.advanced(by: .milliseconds(20))
            return try await line.port.read(atLeast: 10, until: deadline)
        }
        #expect(bytes == [1, 2, 3])
    }

    @Test func givesNilWhenNothingComes() throws {
        let bytes = try withLine { line in
            let deadline = line.loop.clock.now.advanced(by: .milliseconds(5))
            return try await line.port.read(atLeast: 1, until: deadline)
        }
        #expect(bytes == nil)
    }

    @Test func findsWhatArrivedWhenFewerBytesAreAwaitedThanBefore() throws {
        let bytes = try withLine { line in
            let deadline = line.loop.clock.now.advanced(by: .milliseconds(5))
            _ = try await line.port.read(atLeast: 10, until: deadline)
            line.far.write([7, 8])
            return try await line.port.read(atLeast: 2, until: line.soon)
        }
        #expect(bytes == [7, 8])
    }

    @Test func passesEveryByteUnchanged() throws {
        let every = (0...255).map(UInt8.init)
        let (received, sent) = try withLine { line in
            line.far.write(every)
            var received: [UInt8] = []
            while received.count < 256 {
                received += try await line.port.read(atLeast: 1, until: line.soon) ?? []
            }
            try line.port.write(every)
            return (received, try await line.far.read(256, until: line.soon))
        }
        #expect(received == every)
        #expect(sent == every)
    }

    @Test func sendsWhatTheLineDidNotTakeAtOnce() throws {
        let (sent, received) = try withLine { line in
            var sent: [UInt8] = []
            while sent.count < 200_000 {
                let block = (0..<64).map { UInt8(truncatingIfNeeded: sent.count + $0) }
                do { try line.port.write(block) } catch { break }
                sent += block
            }
            return (sent, try await line.far.read(sent.count, until: line.soon))
        }
        #expect(sent.count > LinuxSerialPort.backlogMax)
        #expect(received == sent)
    }

    @Test func refusesMoreThanFourKibibytesOfBacklog() throws {
        let error = try withLine { line -> SerialError? in
            // Bound: the kernel's buffer, far below 1 MiB.
            for _ in 0..<16_384 {
                do {
                    try line.port.write([UInt8](repeating: 0, count: 64))
                } catch {
                    return error as? SerialError
                }
            }
            return nil
        }
        guard case .backlog = error else {
            Issue.record("no backlog but \(String(describing: error))")
            return
        }
    }

    @Test func discardsWhatArrivedBefore() throws {
        let bytes = try withLine { line in
            line.far.write([1, 2, 3])
            _ = try await line.port.read(atLeast: 1, until: line.soon)
            line.far.write([4, 5, 6])
            try line.port.discardInput()
            line.far.write([9])
            return try await line.port.read(atLeast: 1, until: line.soon)
        }
        #expect(bytes == [9])
    }

    @Test func saysDisconnectedWhenTheLineVanishesMidFrame() throws {
        let line = try withLine { line in
            async let bytes = line.port.read(atLeast: 10, until: line.soon)
            line.far.write([0xAA, 0xC0])
            await Task.yield()
            line.far.close()
            do {
                _ = try await bytes
                return SerialError?.none
            } catch {
                return error as? SerialError
            }
        }
        guard case .disconnected = line else {
            Issue.record("not disconnected but \(String(describing: line))")
            return
        }
    }

    @Test func saysDisconnectedWhenWritingToALineThatIsGone() throws {
        let error = try withLine { line -> SerialError? in
            line.far.close()
            do { try line.port.write([1]) } catch { return error as? SerialError }
            return nil
        }
        guard case .disconnected = error else {
            Issue.record("not disconnected but \(String(describing: error))")
            return
        }
    }

    @Test func wakesAReaderWhenClosed() throws {
        let path = try withLine { line in
            async let bytes = line.port.read(atLeast: 1, until: line.soon)
            await Task.yield()
            line.port.close()
            line.port.close()
            do {
                _ = try await bytes
                return ""
            } catch SerialError.disconnected(let path) {
                return path
            }
        }
        #expect(path.hasPrefix("/dev/pts/"))
    }

    @Test func endsAReadThatIsCancelled() throws {
        let isCancelled = try withLine { line in
            await withTaskGroup(of: Bool.self) { group in
                group.addTask {
                    do {
                        _ = try await line.port.read(atLeast: 1, until: line.soon)
                        return false
                    } catch {
                        return error is CancellationError
                    }
                }
                await Task.yield()
                group.cancelAll()
                return await group.next() == true
            }
        }
        #expect(isCancelled)
    }

    @Test func leavesTheLineRawWithoutHangUpOnClose() throws {
        let settings = try withLine { line in
            var settings = termios()
            tcgetattr(line.far.raw, &settings)
            return settings.c_cflag
        }
        #expect(settings & tcflag_t(HUPCL) == 0)
        #expect(settings & tcflag_t(CLOCAL) != 0)
        #expect(settings & tcflag_t(CSIZE) == tcflag_t(CS8))
    }

    @Test(arguments: [
        (9_600, B9600), (19_200, B19200), (38_400, B38400), (57_600, B57600), (115_200, B115200),
    ])
    func setsTheSpeed(baud: Int, code: Int32) throws {
        let speed = try withLine(baud: baud) { line in
            var settings = termios()
            tcgetattr(line.far.raw, &settings)
            return cfgetospeed(&settings)
        }
        #expect(speed == speed_t(code))
    }
}

@Suite struct SerialOpeningTests {
    private let slow = SerialSettings(baud: 9_600)

    @Test func saysAbsentWhenThereIsNoSuchPort() throws {
        let path = try TestFolder().path("ttyUSB9")
        #expect(throws: SerialError.absent(path: path)) { try SerialOpening.open(path, slow) }
    }

    @Test func refusesWhatIsNoSerialLine() throws {
        let folder = try TestFolder()
        let file = folder.path("file")
        close(open(file, O_CREAT | O_RDWR, 0o600))
        for path in [file, folder.path, "/dev/null"] {
            #expect(throws: SerialError.notASerialLine(path: path)) {
                try SerialOpening.open(path, slow)
            }
        }
    }

    @Test func refusesASpeedItDoesNotKnow() {
        #expect(throws: SerialError.unsupportedBaud(1_200)) {
            try SerialOpening.open("/dev/null", SerialSettings(baud: 1_200))
        }
    }

    @Test func namesWhoHoldsALineThatIsBusy() throws {
        let far = try FarEnd()
        let first = try SerialOpening.open(far.path, slow)
        defer { withExtendedLifetime(first) {} }
        let error = #expect(throws: SerialError.self) { try SerialOpening.open(far.path, slow) }
        guard case .busy(_, let holder) = error else {
            Issue.record("not busy but \(String(describing: error))")
            return
        }
        #expect(holder == "this process (pid \(getpid()))")
    }

    @Test func saysWhoMayOpenAFileAsLsDoes() throws {
        let words = FileOwnership(user: 0, groupID: 0, mode: 0o20640)
        #expect(words == FileOwnership(owner: "root", group: "root", mode: "0640"))
        let unknown = FileOwnership(user: 4_000_000_001, groupID: 4_000_000_002, mode: 0o1777)
        #expect(unknown.owner == "4000000001")
        #expect(unknown.group == "4000000002")
        #expect(unknown.mode == "1777")
    }
}

/// A port, the far end of its line, and the loop both live on.
private struct Line: Sendable {
    let loop: EventLoop
    let port: LinuxSerialPort
    let far: FarEnd

    /// A deadline that only a failure reaches.
    var soon: MonotonicInstant { loop.clock.now.advanced(by: .seconds(20)) }
}

private func withLine<Value: Sendable>(
    baud: Int = 9_600,
    _ body: @escaping @Sendable (Line) async throws -> Value
) throws -> Value {
    let loop = try EventLoop()
    let disk = try DiskThread()
    return try loop.run {
        let far = try FarEnd()
        let port = try await LinuxSerialPort.open(
            path: far.path,
            settings: SerialSettings(baud: baud),
            on: loop,
            disk: disk
        )
        try far.watch(on: loop)
        defer {
            far.close()
            port.close()
        }
        return try await body(Line(loop: loop, port: port, far: far))
    }
}
