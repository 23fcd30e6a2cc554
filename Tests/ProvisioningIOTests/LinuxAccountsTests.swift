import FileIO
import Glibc
import Provisioning
import TestSupport
import Testing

@testable import ProvisioningIO

@Suite struct LinuxAccountsTests {
    private static let hash = "$6$salt$0123456789abcdef"

    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
        mkdir(folder.path("root"), 0o755)
        for name in ["root/etc", "root/etc/sudoers.d", "programs"] {
            mkdir(folder.path(name), 0o755)
        }
        write("root:x:0:0::/root:/bin/sh\n", "root/etc/passwd", 0o644)
        write("sudo:x:27:\n", "root/etc/group", 0o644)
        // These programs record their arguments and input, in place of Debian's.
        for name in ["useradd", "chpasswd", "usermod"] {
            let program = """
                #!/bin/sh
                echo "\(name) $*" >>'\(folder.path("calls"))'
                [ \(name) = useradd ] || cat >>'\(folder.path("read"))'
                """
            write(program, "programs/\(name)", 0o755)
        }
    }

    private func write(_ text: String, _ name: String, _ mode: mode_t) {
        try? WholeFile.write(Array(text.utf8), to: folder.path(name), mode: mode)
    }

    private func make(_ user: LoginUser) throws {
        let accounts = LinuxAccounts(root: folder.path("root"), programs: folder.path("programs"))
        try accounts.make(user, for: "firstrun.sh")
    }

    /// Every user of the machine can read the arguments of a program.
    @Test func givesThePasswordToNoArguments() throws {
        var user = LoginUser(name: "anna", keys: [])
        user.passwordHash = Self.hash
        try make(user)
        let calls = try #require(Files.text(folder.path("calls")))
        let root = folder.path("root")
        #expect(
            calls.split(separator: "\n") == [
                "useradd --create-home --shell /bin/bash --groups sudo --root \(root) anna",
                "chpasswd --encrypted --root \(root)",
            ]
        )
        #expect(Files.text(folder.path("read")) == "anna:\(Self.hash)\n")
    }

    @Test func aProgramThatFailsIsSaid() throws {
        write("#!/bin/sh\nexit 3\n", "programs/chpasswd", 0o755)
        var user = LoginUser(name: "anna", keys: [])
        user.passwordHash = Self.hash
        let wanted = user
        let error = #expect(throws: ProvisionProblem.self) { try make(wanted) }
        #expect("\(try #require(error))".contains("chpasswd: 3"))
    }
}
