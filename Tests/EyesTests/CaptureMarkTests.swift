@testable import Eyes
import Glibc
import Testing

@Suite struct CaptureMarkTests {
    /// A process that sleeps, with one more variable in its environment.
    private static func sleeper(_ variable: String) throws -> pid_t {
        func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
            texts.map { strdup($0) } + [nil]
        }
        var (arguments, environment) = (copies(["sleep", "3600"]), copies(["A=b", variable]))
        defer { for text in arguments + environment { free(text) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, "/bin/sleep", nil, nil, &arguments, &environment)
        try #require(code == 0)
        return process
    }

    private static func end(of process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F
    }

    @Test func whatHasTheMarkIsEndedAndNothingElse() throws {
        let mark = CaptureMark(ring: "/tmp/pictures of \(getpid())")
        let marked = try Self.sleeper("ROOST_CAPTURE=/tmp/pictures of \(getpid())")
        let others = try [
            "ROOST_CAPTURE=/tmp/pictures of \(getpid())2", "OTHER=/tmp/pictures of \(getpid())",
        ].map(Self.sleeper)
        #expect(mark.endLeftovers() == 1)
        #expect(Self.end(of: marked) == SIGKILL)
        for process in others {
            // The process still runs; signals of this thread, which it inherited, may be blocked.
            var status: Int32 = 0
            #expect(waitpid(process, &status, WNOHANG) == 0)
            kill(process, SIGKILL)
            _ = Self.end(of: process)
        }
        #expect(mark.endLeftovers() == 0)
    }

    @Test func aCaptureHasItsMarkAndNoOther() throws {
        let script = #"printf '\377\330\377\340%s\377\331' "$ROOST_CAPTURE""#
        func run(_ mark: CaptureMark?) throws -> String {
            let program = CaptureProgram(
                ["/bin/sh", "-c", script],
                limit: .seconds(20),
                byteMax: 4_096,
                mark: mark
            )
            return String(decoding: try program.run().dropFirst(4).dropLast(2), as: UTF8.self)
        }
        #expect(try run(CaptureMark(ring: "/a/ring")) == "/a/ring")
        #expect(try run(nil).isEmpty)
    }
}
