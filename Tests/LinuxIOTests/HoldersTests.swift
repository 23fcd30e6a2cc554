import CLinux
import Glibc
import TestSupport
import Testing

@testable import LinuxIO

@Suite struct HoldersTests {
    @Test func namesAnotherProcessThatHoldsALine() throws {
        let far = try FarEnd()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, far.path, O_RDWR | O_NOCTTY, 0)
        var process: pid_t = 0
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("cat"), nil]
        defer { free(arguments[0]) }
        // Returns after the exec, so the process has its name and the line by then.
        try #require(posix_spawn(&process, "/bin/cat", &actions, nil, &arguments, nil) == 0)
        defer {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
        #expect(Holders.describe(of: far.path) == "cat (pid \(process))")
    }

    @Test func knowsNobodyWhereNobodyIs() throws {
        let folder = try TestFolder()
        #expect(Holders.describe(of: folder.path("none")) == nil)
    }
}

@Suite struct LinuxErrorTests {
    @Test func namesCallPathAndReason() {
        let error = LinuxError.system(call: "open", errno: ENOENT, path: "/x")
        #expect("\(error)" == "/x: open: No such file or directory (errno 2)")
        let lock = LinuxError.held(path: "/run/lock", holder: "roostd (pid 7)")
        #expect("\(lock)" == "/run/lock: held by roostd (pid 7); stop it first")
    }
}
