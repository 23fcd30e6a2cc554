import Glibc
import TestSupport
import Testing

@testable import LinuxIO

@Suite struct ProcessFiguresTests {
    @Test func measuresThisProcess() throws {
        let figures = ProcessFigures.now()
        #expect(figures.residentKibibytes > 1_000)
        let privateKibibytes = try #require(figures.privateKibibytes)
        #expect((1...figures.residentKibibytes).contains(privateKibibytes))
        #expect(figures.uptime > .zero)
        #expect(figures.cpuMilliseconds >= 0)
        #expect(figures.voluntarySwitches > 0)
    }

    @Test func countsTheSyncsOfOurOwnAndOfLibraries() throws {
        let folder = try TestFolder()
        let path = folder.path("figures.db")
        let before = ProcessFigures.now().syncCount
        let file = open(path, O_RDWR | O_CREAT, 0o600)
        defer { close(file) }
        #expect(fdatasync(file) == 0 && fsync(file) == 0)
        // Others run beside this test.
        #expect(ProcessFigures.now().syncCount >= before + 2)
    }

    @Test func subtractsWhatWasDeletedFromWhatWasWritten() {
        let text = "rchar: 1\nwrite_bytes: 8192\ncancelled_write_bytes: 4096\n"
        #expect(ProcessFigures.writtenByteCount(in: text) == 4_096)
        #expect(ProcessFigures.writtenByteCount(in: "rchar: 1\n") == nil)
        #expect(ProcessFigures.writtenByteCount(in: nil) == nil)
    }

    @Test func findsALineOfARollup() {
        let text = "00400000-7fff ---p 00000000 00:00 0 [rollup]\nRss:      5120 kB\nPss: 12 kB\n"
        #expect(ProcessFigures.kibibytes("Rss", in: text) == 5_120)
        #expect(ProcessFigures.kibibytes("Private_Dirty", in: text) == nil)
        #expect(ProcessFigures.kibibytes("Rss", in: nil) == nil)
    }

    @Test func findsTheStartBehindANameWithBracketsAndSpaces() {
        let fields = (3...25).map { $0 == 22 ? "4711" : "0" }.joined(separator: " ")
        #expect(ProcessFigures.startTicks(in: "1 (a) b) c) \(fields)") == 4_711)
        #expect(ProcessFigures.startTicks(in: "1 (short) S 0") == nil)
    }

    @Test func knowsTheMachine() {
        let machine = MachineFacts.read()
        #expect(machine.bootID.count == 36)
        #expect(machine.kernel.contains("."))
        #expect(!machine.hostname.isEmpty)
    }
}
