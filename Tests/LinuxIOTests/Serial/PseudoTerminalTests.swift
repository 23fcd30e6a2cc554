import CLinux
import Core
import FileIO
import Glibc
import HardwareIO
import TestSupport
import Testing

@testable import LinuxIO

@Suite struct PseudoTerminalTests {
    private let slow = SerialSettings(baud: 9_600)

    @Test func carriesBytesBothWays() throws {
        let answer = try host(EchoPeer()) { terminal, loop, disk in
            let port = try await open(terminal.path, loop, disk)
            defer { port.close() }
            try port.write([0, 10, 13, 0xFF])
            return try await port.read(atLeast: 4, until: soon(loop))
        }
        #expect(answer == [0xFF, ~10, ~13, 0])
    }

    @Test func servesOneClientAfterAnother() throws {
        let answers = try host(EchoPeer()) { terminal, loop, disk in
            var answers: [[UInt8]?] = []
            for number in UInt8(0)..<3 {
                let port = try await open(terminal.path, loop, disk)
                try port.write([number])
                answers.append(try await port.read(atLeast: 1, until: soon(loop)))
                port.close()
            }
            return answers
        }
        #expect(answers == [[0xFF], [0xFE], [0xFD]])
    }

    @Test func isNoiseToAClientAtAnotherRate() throws {
        let loop = try EventLoop()
        let says = Array(repeating: [UInt8(1)], count: 2_000)
        let peer = EchoPeer(says: says, every: .milliseconds(5), from: loop.clock.now)
        let heard = try host(peer, baud: 115_200, on: loop) { terminal, loop, disk in
            var heard: [UInt8?] = []
            for baud in [9_600, 115_200] {
                let port = try await LinuxSerialPort.open(
                    path: terminal.path,
                    settings: SerialSettings(baud: baud),
                    on: loop,
                    disk: disk
                )
                heard.append(try await port.read(atLeast: 1, until: soon(loop))?.first)
                port.close()
            }
            return heard
        }
        #expect(heard == [0x80, 0x01])
    }

    @Test func saysWhatTheDeviceSaysByItself() throws {
        let loop = try EventLoop()
        let peer = EchoPeer(
            says: [[1, 2], [3, 4]],
            every: .milliseconds(5),
            from: loop.clock.now.advanced(by: .milliseconds(50))
        )
        let heard = try host(peer, on: loop) { terminal, loop, disk in
            let port = try await open(terminal.path, loop, disk)
            defer { port.close() }
            return try await port.read(atLeast: 4, until: soon(loop))
        }
        #expect(heard == [1, 2, 3, 4])
    }

    @Test func dropsWhatTheDeviceSaysWhileNobodyListens() throws {
        let loop = try EventLoop()
        var peer = EchoPeer(says: [[1], [2]], every: .milliseconds(2), from: loop.clock.now)
        let silence = Signal()
        peer.silence = silence
        let heard = try host(peer, on: loop) { terminal, loop, disk in
            _ = try await loop.clock.wait(for: silence, until: soon(loop), tolerance: .zero)
            let port = try await open(terminal.path, loop, disk)
            defer { port.close() }
            try port.write([0x0F])
            return try await port.read(atLeast: 1, until: soon(loop))
        }
        #expect(heard == [0xF0])
    }

    @Test func letsGoOfExclusivenessThatADeadClientLeftBehind() throws {
        let isExclusive = try host(EchoPeer()) { terminal, loop, disk in
            let raw = Glibc.open(terminal.path, O_RDWR | O_NOCTTY | O_NONBLOCK)
            _ = clinux_ioctl(raw, clinux_TIOCEXCL, nil)
            try await waitForClients(1, at: terminal, on: loop)
            Glibc.close(raw)
            try await waitForClients(0, at: terminal, on: loop)
            let next = Glibc.open(terminal.path, O_RDWR | O_NOCTTY | O_NONBLOCK)
            defer { Glibc.close(next) }
            var isExclusive: Int32 = -1
            _ = clinux_ioctl(next, clinux_TIOCGEXCL, &isExclusive)
            return isExclusive
        }
        #expect(isExclusive == 0)
    }

    @Test func pullsThePlug() throws {
        let isGone = try host(EchoPeer()) { terminal, loop, disk in
            let port = try await open(terminal.path, loop, disk)
            defer { port.close() }
            async let bytes = port.read(atLeast: 10, until: soon(loop))
            await Task.yield()
            terminal.close()
            do {
                _ = try await bytes
                return false
            } catch {
                return error as? SerialError == .disconnected(path: terminal.path)
            }
        }
        #expect(isGone)
    }

    @Test func replacesAStaleLinkAndRemovesItsOwn() throws {
        let folder = try TestFolder()
        let link = folder.path("sensor")
        symlink("/dev/pts/987654", link)
        let loop = try EventLoop()
        let terminal = try PseudoTerminal(link: link, on: loop)
        #expect(access(link, F_OK) == 0)
        terminal.close()
        var status = stat()
        #expect(lstat(link, &status) != 0)
    }

    @Test func doesNotReplaceAFileByALink() throws {
        let folder = try TestFolder()
        let file = folder.path("precious")
        close(Glibc.open(file, O_CREAT | O_RDWR, 0o600))
        let loop = try EventLoop()
        #expect(throws: LinuxError.system(call: "symlink", errno: EEXIST, path: file)) {
            try PseudoTerminal(link: file, on: loop)
        }
    }

    @Test func tracesEveryTransfer() throws {
        let folder = try TestFolder()
        let trace = folder.path("trace")
        try host(EchoPeer(), trace: trace) { terminal, loop, disk in
            let port = try await open(terminal.path, loop, disk)
            defer { port.close() }
            try port.write([0x00, 0xA1])
            _ = try await port.read(atLeast: 2, until: soon(loop))
        }
        let lines = try #require(Files.text(trace)).split(separator: "\n")
        #expect(lines.map { $0.drop { $0 != " " } } == [" > 00 a1", " < ff 5e"])
    }

    private func open(
        _ path: String,
        _ loop: EventLoop,
        _ disk: DiskThread
    ) async throws -> LinuxSerialPort {
        try await LinuxSerialPort.open(path: path, settings: slow, on: loop, disk: disk)
    }
}

private func waitForClients(
    _ count: Int,
    at terminal: PseudoTerminal,
    on loop: EventLoop
) async throws {
    while terminal.clientCount != count {
        let change = terminal.clientChange
        let isChanged = try await loop.clock.wait(
            for: change,
            until: soon(loop),
            tolerance: .zero
        )
        try #require(isChanged)
    }
}

private func soon(_ loop: EventLoop) -> MonotonicInstant {
    loop.clock.now.advanced(by: .seconds(20))
}

/// Runs `body` beside a hosted device, then stops the device.
@discardableResult
private func host<Value: Sendable>(
    _ peer: some SerialPeer,
    trace: String? = nil,
    baud: Int? = nil,
    on given: EventLoop? = nil,
    _ body: @escaping @Sendable (PseudoTerminal, EventLoop, DiskThread) async throws -> Value
) throws -> Value {
    let loop = try given ?? EventLoop()
    let disk = try DiskThread()
    return try loop.run {
        let terminal = try PseudoTerminal(trace: trace, baud: baud, on: loop)
        defer { terminal.close() }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                try await terminal.run(peer)
                return nil
            }
            group.addTask { try await body(terminal, loop, disk) }
            while let value = try await group.next() {
                guard let value else { continue }
                group.cancelAll()
                return value
            }
            throw LinuxError.closed
        }
    }
}
