import FileIO
import Glibc
import HardwareIO
import Provisioning
import TestSupport
import Testing

@testable import ProvisioningIO

@Suite struct WirelessCheckTests {
    private struct NoAccounts: AccountTools {
        func make(_ user: LoginUser, for file: String) throws(ProvisionProblem) {}
    }

    private let folder: TestFolder
    private static let station = "name=hut\nfoo=1\ncountry=DE\nwifi=home\nwifi-password=12345678\n"
    private static let denied =
        "wlan0: CTRL-EVENT-SSID-TEMP-DISABLED id=0 ssid=\"home\" auth_failures=1 duration=10 "
        + "reason=WRONG_KEY\n"
    private static let line = "Wi-Fi: 'home' does not accept the password."

    init() throws {
        folder = try TestFolder(isInMemory: true)
        for name in ["boot", "root", "root/run", "root/etc"] { mkdir(folder.path(name), 0o755) }
        write(Self.station, "boot/station.txt")
    }

    private func write(_ text: String, _ name: String) {
        try? WholeFile.write(Array(text.utf8), to: folder.path(name), mode: 0o644)
    }

    private func text(_ name: String) -> String? {
        Files.text(folder.path(name), limit: 1 << 17)
    }

    private var boot: BootPartition {
        BootPartition(folder: folder.path("boot"), lockPath: folder.path("root/run/lock"))
    }

    /// A start, which empties the memory.
    @discardableResult
    private func start() -> ProvisionReport {
        for name in (try? Files.names(in: folder.path("root/run"))) ?? [] {
            unlink(folder.path("root/run/\(name)"))
        }
        var provisioner = Provisioner(
            boot: boot,
            root: folder.path("root"),
            accounts: NoAccounts(),
            reader: ConfigurationReader(
                mistakes: { _, _ in [] },
                storeFolder: { _ in "/var/lib/roost" }
            )
        )
        return provisioner.run()
    }

    @discardableResult
    private func look(_ evidence: String) -> [String] {
        write(evidence, "evidence")
        return WirelessCheck(boot: boot, root: folder.path("root")).run(folder.path("evidence"))
    }

    /// Text of `roost-said.txt`, and its inode: another one after each write.
    private var said: (text: String, file: UInt) {
        var status = stat()
        stat(folder.path("boot/roost-said.txt"), &status)
        return (text("boot/roost-said.txt") ?? "", status.st_ino)
    }

    @Test func saysItBesideWhatTheStartSaid() {
        start()
        let before = said.text
        #expect(look(Self.denied).first?.hasPrefix(Self.line) == true)
        #expect(said.text.contains("line 2: 'foo' is no setting"))
        #expect(said.text.contains("\r\n\(Self.line)") && said.text.contains("stands here no"))
        #expect(text("root/run/roost-said.txt") == said.text)
        #expect(text("root/run/roost-wifi.txt")?.hasPrefix(Self.line) == true)
        #expect(text("root/run/roost-problems.txt")?.contains("Wi-Fi") == false)
        #expect(!said.text.contains("12345678"))
        #expect(look("wpa_state=COMPLETED\n").isEmpty)
        #expect(said.text == before && text("root/run/roost-wifi.txt") == nil)
    }

    @Test func writesTheCardOnceInADayOfIt() {
        start()
        look(Self.denied)
        let first = said.file
        for _ in 0..<10 { look(Self.denied + Self.denied) }
        start()
        look(Self.denied)
        #expect(said.file == first && said.text.contains(Self.line))
        #expect(text("root/run/roost-wifi.txt")?.hasPrefix(Self.line) == true)
        look("wpa_state=COMPLETED\n")
        start()
        #expect(!said.text.contains(Self.line))
    }

    @Test func forgetsItAtTheStartWithOtherSettings() {
        start()
        look(Self.denied)
        write(Self.station.replacing("12345678", with: "87654321"), "boot/station.txt")
        #expect(start().taken == ["station.txt"])
        #expect(!said.text.contains(Self.line) && text("root/run/roost-wifi.txt") == nil)
    }

    @Test func saysThatAllIsWellOnceNothingElseWasWrong() {
        write("wifi=home\ncountry=DE\n", "boot/station.txt")
        start()
        #expect(said.text.isEmpty)
        #expect(look("").first?.contains("'home' is not in range") == true)
        look("wpa_state=COMPLETED\n")
        #expect(said.text.contains("All is well."))
    }

    @Test func writesNothingWithoutAWirelessNetwork() {
        write("name=hut\n", "boot/station.txt")
        start()
        #expect(look(Self.denied).isEmpty)
        #expect(said.text.isEmpty && text("root/run/roost-wifi.txt") == nil)
    }

    @Test func goesOnInMemoryWhereThePartitionCannotBeWritten() {
        start()
        let before = said.text
        // A folder with the name of the temporary file makes the write fail, as on a bad card.
        mkdir(folder.path("boot/.roost-said.txt.new"), 0o755)
        let lines = look(Self.denied)
        #expect(lines.count == 2 && lines[1].hasPrefix("This stands at the station alone"))
        #expect(said.text == before)
        #expect(text("root/run/roost-said.txt")?.contains(Self.line) == true)
        #expect(look(Self.denied).count == 2)
        rmdir(folder.path("boot/.roost-said.txt.new"))
        #expect(look(Self.denied).count == 1 && said.text.contains(Self.line))
    }
}
