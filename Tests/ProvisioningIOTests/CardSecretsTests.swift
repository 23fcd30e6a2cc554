import FileIO
import Glibc
import HardwareIO
import Provisioning
import TestSupport
import Testing

@testable import ProvisioningIO

@Suite struct CardSecretsTests {
    private struct NoAccounts: AccountTools {
        func make(_ user: LoginUser, for file: String) {}
    }

    private let folder: TestFolder

    init() throws {
        folder = try TestFolder(isInMemory: true)
        for name in ["boot", "boot/secrets", "root", "root/run", "root/etc"] {
            mkdir(folder.path(name), 0o755)
        }
    }

    private func write(_ bytes: [UInt8], _ name: String) throws {
        try WholeFile.write(bytes, to: folder.path(name), mode: 0o644)
    }

    private func write(_ text: String, _ name: String) throws { try write(Array(text.utf8), name) }

    private func text(_ name: String) -> String? {
        Files.text(folder.path(name), limit: 1 << 17)
    }

    @discardableResult
    private func run() -> ProvisionReport {
        var provisioner = Provisioner(
            boot: BootPartition(
                folder: folder.path("boot"),
                lockPath: folder.path("root/run/lock")
            ),
            root: folder.path("root"),
            accounts: NoAccounts(),
            reader: ConfigurationReader(
                mistakes: { _, _ in [] },
                storeFolder: { _ in "/var/lib/roost" }
            )
        )
        return provisioner.run()
    }

    private func mode(_ name: String) -> mode_t {
        var status = stat()
        return stat(folder.path(name), &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test func movesThemToTheCourier() throws {
        try write("s3cret\r\n", "boot/secrets/influx.txt")
        try write([0xEF, 0xBB, 0xBF] + Array("line 1\nline 2\n".utf8), "boot/secrets/AuthKey.p8")
        #expect(run().taken == ["secrets/AuthKey.p8", "secrets/influx.txt"])
        #expect(text("root/etc/roost/secrets/influx") == "s3cret")
        #expect(text("root/etc/roost/secrets/AuthKey.p8") == "line 1\nline 2")
        #expect(mode("root/etc/roost/secrets/influx") == 0o600)
        #expect(mode("root/etc/roost/secrets") == 0o700)
        #expect(access(folder.path("boot/secrets"), F_OK) != 0)
        let said = text("boot/roost-said.txt") ?? ""
        #expect(said.contains("secrets/influx.txt: it was taken into the station and removed"))
        #expect(!said.contains("s3cret"))
    }

    @Test func saysWhatIsNoSecret() throws {
        let wrong: [(String, [UInt8])] = [
            ("two words", Array("a".utf8)), ("empty", []), ("line", Array("\n".utf8)),
            ("utf16", [0xFF, 0xFE, 0x61, 0, 0x62, 0]), ("zeros", [0, 0, 0]),
            ("large", [UInt8](repeating: 0x61, count: 65_537)), ("twice.txt", Array("b".utf8)),
        ]
        for (name, bytes) in wrong { try write(bytes, "boot/secrets/\(name)") }
        try write("a", "boot/secrets/twice")
        try write("x", "boot/secrets/._twice")
        let report = run()
        #expect(report.taken == ["secrets/twice"])
        #expect(Set(report.problems.map(\.file)) == Set(wrong.map { "secrets/\($0.0)" }))
        for (name, bytes) in wrong {
            #expect(try Files.read(folder.path("boot/secrets/\(name)"), limit: 1 << 17) == bytes)
        }
        #expect(try Files.names(in: folder.path("root/etc/roost/secrets")) == ["twice"])
    }

    /// What the card holds when the power is lost before the marks, before the removal, or in it.
    @Test func losesNoneWithThePower() throws {
        let secret = String(repeating: "k", count: 1_500)
        let kept = "root/etc/roost/secrets/key"
        let marks = "root/etc/roost/provisioned.json"
        try write(secret, "boot/secrets/key")
        run()
        let removed = try #require(text(marks))
        let torn = [UInt8](repeating: 0, count: 512) + Array(secret.utf8.dropFirst(512))
        for left in [Array(secret.utf8), torn, [UInt8](repeating: 0, count: 1_500)] {
            mkdir(folder.path("boot/secrets"), 0o755)
            try write(left, "boot/secrets/key")
            #expect(run().problems.isEmpty)
            #expect(text(kept) == secret)
            #expect(access(folder.path("boot/secrets"), F_OK) != 0)
            #expect(text(marks) == removed)
        }
        // Stored, and not marked yet.
        mkdir(folder.path("boot/secrets"), 0o755)
        try write(secret, "boot/secrets/key")
        unlink(folder.path(marks))
        #expect(run().taken == ["secrets/key"])
        #expect(text(kept) == secret && text(marks) == removed)
    }

    @Test func changesNoneThatTheOwnerChangedWhileItsFileStays() throws {
        try write("memory\n", "root/run/roost-data-on")
        try write("first", "boot/secrets/influx")
        run()
        #expect(text("boot/secrets/influx") == "first")
        try write("second", "root/etc/roost/secrets/influx")
        #expect(run().taken.isEmpty)
        #expect(text("root/etc/roost/secrets/influx") == "second")
        unlink(folder.path("root/run/roost-data-on"))
        run()
        #expect(access(folder.path("boot/secrets"), F_OK) != 0)
        #expect(text("root/etc/roost/secrets/influx") == "second")
    }

    @Test func saysThatThereAreTooMany() throws {
        for index in 0..<66 { try write("x", "boot/secrets/s\(100 + index)") }
        let report = run()
        #expect(report.taken.count == 64)
        #expect(report.problems.map(\.file) == ["secrets"])
        #expect(run().taken.count == 2)
    }
}
