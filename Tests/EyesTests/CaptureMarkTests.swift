import Glibc
import Testing

@testable import Eyes

@Suite struct CaptureMarkTests {
    /// A process that waits, with one more variable in its environment.
    ///
    /// It has echoed a byte: right after `posix_spawn` its environment may still be empty.
    private static func waiter(_ variable: String) throws -> pid_t {
        func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
            texts.map { strdup($0) } + [nil]
        }
        var (arguments, environment) = (copies(["cat"]), copies(["A=b", variable]))
        defer { for text in arguments + environment { free(text) } }
        var (own, other): (Int32, Int32) = (-1, -1)
        try withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2) { pair in
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            try #require(socketpair(AF_UNIX, kind, 0, pair.baseAddress) == 0)
            (own, other) = (pair[0], pair[1])
        }
        defer { close(other) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for standard: Int32 in 0...1 {
            posix_spawn_file_actions_adddup2(&actions, other, standard)
        }
        var process: pid_t = 0
        let code = posix_spawn(&process, "/bin/cat", &actions, nil, &arguments, &environment)
        try #require(code == 0)
        var byte: UInt8 = 1
        try #require(write(own, &byte, 1) == 1 && read(own, &byte, 1) == 1)
        return process
    }

    private static func end(of process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F
    }

    @Test func whatHasTheMarkIsEndedAndNothingElse() throws {
        let mark = CaptureMark(ring: "/tmp/pictures of \(getpid())")
        let marked = try Self.waiter("ROOST_CAPTURE=/tmp/pictures of \(getpid())")
        let others = try [
            "ROOST_CAPTURE=/tmp/pictures of \(getpid())2", "OTHER=/tmp/pictures of \(getpid())",
        ].map(Self.waiter)
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
