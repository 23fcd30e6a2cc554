import Glibc
import Testing

@testable import LinuxIO

@Suite struct LogOutputTests {
    /// A pipe that nothing reads by itself.
    private func ends() throws -> (reader: OwnedDescriptor, writer: OwnedDescriptor) {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        return (OwnedDescriptor(ends[0]), OwnedDescriptor(ends[1]))
    }

    private func lines(of reader: OwnedDescriptor) -> [Substring] {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(reader.raw, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
            .split(separator: "\n")
    }

    @Test func aFullPipeKeepsNothingWaiting() throws {
        let (reader, writer) = try ends()
        let output = LogOutput(writer.raw)
        let gap = { (count: Int) in "left out \(count)" }
        let text = String(repeating: "x", count: 99)
        for _ in 0..<2_000 { output.write(text, after: gap) }
        let taken = lines(of: reader).count
        #expect((1..<2_000).contains(taken))
        output.write("again", after: gap)
        #expect(lines(of: reader) == ["left out \(2_000 - taken)", "again"])
        output.write("and on", after: gap)
        #expect(lines(of: reader) == ["and on"])
    }

    @Test func aLongLineIsCutBetweenCharacters() throws {
        let (reader, writer) = try ends()
        let output = LogOutput(writer.raw)
        output.write(String(repeating: "ä", count: 4_000)) { "left out \($0)" }
        #expect(lines(of: reader) == [Substring(String(repeating: "ä", count: 2_047))])
    }

    @Test func aPipeWithoutReaderEndsNothing() throws {
        let writer = try ends().writer  // The reader is closed.
        LogOutput(writer.raw).write("into nothing") { "left out \($0)" }
    }
}
