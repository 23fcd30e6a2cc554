import Core
import Glibc
import HardwareIO
import TestSupport
import Testing

@testable import LinuxIO

/// A folder that looks like sysfs stands in for a part; a FIFO in it is a bus that hangs.
@Suite struct BusPortTests {
    /// A part's folder.
    private final class Folder: Sendable {
        private let top: TestFolder
        let path: String

        init() throws {
            top = try TestFolder()
            path = top.path("sys/1-0076")
            for name in [top.path("sys"), path, "\(path)/iio:device0"] {
                try #require(mkdir(name, 0o700) == 0)
            }
        }

        func put(_ name: String, _ text: String) throws {
            let place = "\(path)/iio:device0/\(name)"
            let descriptor = Glibc.open(place, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            try #require(descriptor >= 0)
            defer { _ = Glibc.close(descriptor) }
            #expect(Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count)
        }

        func remove(_ name: String) { #expect(unlink("\(path)/iio:device0/\(name)") == 0) }
    }

    private static let question = BusQuestion([
        .attribute(["in_temp_input", "in_temp_raw"]), .attribute(["in_temp_scale"]),
    ])

    private func port(_ folder: Folder, _ loop: EventLoop) throws -> BusPort {
        let place = try #require(BusPlace(folder.path))
        return try BusPort(place, path: folder.path, clock: loop.clock)
    }

    private func heard(_ port: BusPort, _ clock: any NodeClock) async throws -> BusAnswer? {
        let deadline = clock.now.advanced(by: .seconds(20))
        guard let bytes = try await port.read(atLeast: 1, until: deadline) else { return nil }
        return BusAnswer(bytes.dropLast())
    }

    @Test func readsTheFirstFileThatIsThere() throws {
        let folder = try Folder()
        try folder.put("in_temp_raw", "400\n")
        try folder.put("in_temp_scale", "62.500000\n")
        let loop = try EventLoop()
        try loop.run {
            let port = try port(folder, loop)
            try port.write(Self.question.bytes)
            let answer = try await heard(port, loop.clock)
            #expect(
                answer?.results == [
                    .bytes(Array("400\n".utf8), choice: 1),
                    .bytes(Array("62.500000\n".utf8), choice: 0),
                ]
            )
            try folder.put("in_temp_input", "25080\n")
            try port.write(Self.question.bytes)
            let next = try await heard(port, loop.clock)
            #expect(next?.results.first == .bytes(Array("25080\n".utf8), choice: 0))
            port.close()
        }
    }

    @Test func aReadingThatDoesNotComeBackHoldsUpNoOther() throws {
        let (hung, well) = (try Folder(), try Folder())
        try well.put("in_temp_input", "1\n")
        let fifo = "\(hung.path)/iio:device0/in_temp_input"
        #expect(mkfifo(fifo, 0o600) == 0)
        let loop = try EventLoop()
        try loop.run {
            let first = try port(hung, loop)
            try first.write(Self.question.bytes)
            let second = try port(well, loop)
            try second.write(Self.question.bytes)
            #expect(try await heard(second, loop.clock)?.results.count == 2)
            second.close()
            let soon = loop.clock.now.advanced(by: .milliseconds(1))
            #expect(try await first.read(atLeast: 1, until: soon) == nil)
            first.close()
            #expect(
                throws: SerialError.hanging(path: hung.path)
            ) { try port(hung, loop) }
            // The bus comes back: so does the reading, and the part can be opened again.
            let writer = Glibc.open(fifo, O_WRONLY)
            _ = Glibc.close(writer)
            var third: BusPort?
            while third == nil {
                do { third = try port(hung, loop) } catch SerialError.hanging { await Task.yield() }
            }
            third?.close()
        }
    }

    @Test func namesAPartThatIsGone() throws {
        let folder = try Folder()
        try folder.put("in_temp_input", "1\n")
        let loop = try EventLoop()
        try loop.run {
            let port = try port(folder, loop)
            folder.remove("in_temp_input")
            #expect(rmdir("\(folder.path)/iio:device0") == 0)
            try port.write(Self.question.bytes)
            await #expect(throws: SerialError.disconnected(path: folder.path)) {
                _ = try await heard(port, loop.clock)
            }
            #expect(rmdir(folder.path) == 0)
            #expect(throws: SerialError.absent(path: folder.path)) {
                _ = try self.port(folder, loop)
            }
        }
    }

    @Test func opensNoBusThatIsNotThere() throws {
        let path = "/dev/i2c-250@0x62"
        let place = try #require(BusPlace(path))
        #expect(place == .address(bus: "/dev/i2c-250", 0x62))
        #expect(throws: SerialError.absent(path: path)) {
            _ = try BusSteps(place, path: path)
        }
        for text in ["/dev/i2c-1@0x07", "/dev/i2c-1@0x78", "/dev/i2c-@0x62", "/dev/i2c-1@62"] {
            #expect(BusPlace(text) == nil)
        }
    }
}
