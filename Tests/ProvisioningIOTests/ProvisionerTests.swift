import FileIO
import Glibc
import HardwareIO
import Provisioning
import Synchronization
import TestSupport
import Testing

@testable import ProvisioningIO

@Suite struct ProvisionerTests {
    private final class RecordingAccounts: AccountTools {
        let made = Mutex<[LoginUser]>([])
        let fails: Bool

        init(fails: Bool = false) { self.fails = fails }

        func make(_ user: LoginUser, for file: String) throws(ProvisionProblem) {
            if fails { throw ProvisionProblem(file, "no user can be made", next: "Wait") }
            made.withLock { $0.append(user) }
        }
    }

    private let folder: TestFolder
    private let accounts = RecordingAccounts()
    private static let key =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKcVh8bqJ3vQ3n1m0m9zC2yq8v0kYt0l3mY6xq7r8s9t anna@pc"

    init() throws {
        folder = try TestFolder(isInMemory: true)
        for name in ["boot", "root", "root/run", "root/etc", "root/usr"] {
            mkdir(folder.path(name), 0o755)
        }
        for name in ["share", "share/zoneinfo", "share/zoneinfo/Europe"] {
            mkdir(folder.path("root/usr/\(name)"), 0o755)
        }
        write("TZif2", "root/usr/share/zoneinfo/Europe/Berlin")
    }

    private func write(_ text: String, _ name: String) {
        try? WholeFile.write(Array(text.utf8), to: folder.path(name), mode: 0o644)
    }

    private func text(_ name: String) -> String? {
        Files.text(folder.path(name), limit: 1 << 17)
    }

    @discardableResult
    private func run(
        _ accounts: (any AccountTools)? = nil,
        cardFaults: [String] = [],
        mistakes: [String] = [],
        hasOwner: Bool = false
    ) -> ProvisionReport {
        var provisioner = Provisioner(
            boot: BootPartition(
                folder: folder.path("boot"),
                lockPath: folder.path("root/run/lock")
            ),
            root: folder.path("root"),
            accounts: accounts ?? self.accounts,
            cardFaults: cardFaults,
            hasOwner: { hasOwner },
            reader: ConfigurationReader(
                mistakes: { _, _ in mistakes },
                storeFolder: { _ in "/var/lib/roost" }
            )
        )
        return provisioner.run()
    }

    /// Returns each file of a folder with its content and the moment of its last change.
    private func state(_ name: String) -> [String: String] {
        var state: [String: String] = [:]
        func look(_ path: String) {
            for name in (try? Files.names(in: path)) ?? [] {
                var status = stat()
                lstat("\(path)/\(name)", &status)
                if status.st_mode & S_IFMT == S_IFDIR { look("\(path)/\(name)") }
                let content = Files.text("\(path)/\(name)", limit: 1 << 17) ?? ""
                state["\(path)/\(name)"] =
                    "\(content) \(status.st_ino) \(status.st_mtim.tv_sec) \(status.st_mtim.tv_nsec)"
            }
        }
        look(folder.path(name))
        return state
    }

    private static let station = """
        name=balcony
        country=DE
        wifi=home
        wifi-password=12345678
        timezone=Europe/Berlin
        user=anna
        ssh-key=\(key)

        """

    @Test func doesNothingWithoutFiles() {
        let report = run()
        #expect(report.problems.isEmpty && report.taken.isEmpty)
        #expect(text("boot/roost-said.txt") == nil)
        #expect(text("root/etc/hostname") == nil)
    }

    @Test func takesStationTextOnceAndMasksItsPassword() throws {
        write(Self.station, "boot/station.txt")
        let report = run()
        #expect(report.taken == ["station.txt"] && report.problems.isEmpty)
        #expect(text("root/etc/hostname") == "balcony\n")
        #expect(text("root/etc/hosts")?.contains("127.0.1.1\tbalcony\n") == true)
        #expect(text("root/etc/timezone") == "Europe/Berlin\n")
        var buffer = [CChar](repeating: 0, count: 200)
        let count = readlink(folder.path("root/etc/localtime"), &buffer, 199)
        let link = String(decoding: buffer.prefix(max(0, count)).map(UInt8.init), as: UTF8.self)
        #expect(link == "/usr/share/zoneinfo/Europe/Berlin")
        let wireless = "root/etc/wpa_supplicant/wpa_supplicant-wlan0.conf"
        #expect(text(wireless)?.contains("psk=\"12345678\"") == true)
        var status = stat()
        #expect(stat(folder.path(wireless), &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(accounts.made.withLock { $0 } == [LoginUser(name: "anna", keys: [Self.key])])
        #expect(text("root/etc/roost/ssh") == "")
        #expect(
            text("boot/station.txt") == Self.station.replacing("=12345678\n", with: "=(taken) \n")
        )
        #expect(text("boot/roost-said.txt")?.contains("stands here no longer") == true)
    }

    @Test func writesNothingAtTheNextStart() {
        write(Self.station, "boot/station.txt")
        write("{}", "boot/roost.json")
        write("user=x\n", "boot/station.txt.txt")
        run()
        let before = state("boot").merging(state("root/etc")) { $1 }
        let report = run()
        #expect(report.taken.isEmpty)
        #expect(state("boot").merging(state("root/etc")) { $1 } == before)
        #expect(accounts.made.withLock { $0.count } == 1)
    }

    @Test func keepsWhatTheOwnerChangedAtTheStationUntilTheFileChanges() {
        write(Self.station, "boot/station.txt")
        run()
        write("attic\n", "root/etc/hostname")
        run()
        #expect(text("root/etc/hostname") == "attic\n")
        write(
            text("boot/station.txt")?.replacing("balcony", with: "cellar") ?? "",
            "boot/station.txt"
        )
        #expect(run().taken == ["station.txt"])
        #expect(text("root/etc/hostname") == "cellar\n")
        // The password is kept, though it is in the file no longer.
        let wireless = text("root/etc/wpa_supplicant/wpa_supplicant-wlan0.conf")
        #expect(wireless?.contains("psk=\"12345678\"") == true)
    }

    @Test func asksForThePasswordOfAnotherNetwork() throws {
        write(Self.station, "boot/station.txt")
        run()
        write(text("boot/station.txt")?.replacing("=home", with: "=work") ?? "", "boot/station.txt")
        let report = run()
        #expect(report.problems.map(\.file) == ["station.txt"])
        #expect(report.problems[0].nextStep.contains("(taken)"))
        let wireless = text("root/etc/wpa_supplicant/wpa_supplicant-wlan0.conf")
        #expect(wireless?.contains("ssid=686f6d65") == true)
    }

    @Test func saysWhatIsWrongAndThatItIsRightAgain() {
        write("name=hut\nfoo=1\n", "boot/station.txt")
        run()
        let said = text("boot/roost-said.txt") ?? ""
        #expect(said.contains("station.txt, line 2: 'foo' is no setting"))
        #expect(said.contains("\r\n") && text("root/run/roost-said.txt") == said)
        let problems = text("root/run/roost-problems.txt")
        #expect(problems?.hasPrefix("station.txt, line 2: 'foo' is no setting") == true)
        #expect(problems?.count { $0 == "\n" } == 1)
        #expect(text("root/etc/hostname") == "hut\n")
        write("name=hut\n", "boot/station.txt")
        run()
        #expect(text("boot/roost-said.txt")?.contains("All is well.") == true)
        #expect(text("root/run/roost-said.txt") == nil)
        #expect(text("root/run/roost-problems.txt") == nil)
    }

    @Test func repeatsWhatTheStartOfTheCardSays() {
        write("The data partition was damaged and is repaired.\n", "root/run/roost-start.said")
        #expect(run(cardFaults: ["The card: it is not marked."]).start.count == 2)
        #expect(text("boot/roost-said.txt")?.contains("The card: it is not marked.") == true)
        #expect(text("boot/roost-said.txt")?.contains("was damaged and is repaired") == true)
    }

    @Test func keepsSecretsOnTheCardWhileTheDataIsInMemory() {
        write("memory\n", "root/run/roost-data-on")
        write(Self.station, "boot/station.txt")
        let report = run()
        #expect(text("boot/station.txt") == Self.station)
        #expect(report.notes.count == 1 && report.notes[0].contains("stay in the files"))
    }

    @Test func takesAConfigurationThatIsRight() {
        write(#"{"name": "x"}"#, "boot/roost.json")
        #expect(run().taken == ["roost.json"])
        #expect(text("root/etc/roost/roost.json") == #"{"name": "x"}"#)
        write("edited at the station", "root/etc/roost/roost.json")
        run()
        #expect(text("root/etc/roost/roost.json") == "edited at the station")
    }

    @Test(arguments: ["courier.json", "eyes.json"])
    func takesTheConfigurationOfAnotherProgram(_ name: String) {
        write("{}", "boot/\(name)")
        let report = run(mistakes: ["targets[0].type: is absent"])
        #expect(report.taken.isEmpty && report.problems.map(\.file) == [name])
        #expect(text("root/etc/roost/\(name)") == nil)
        #expect(text("boot/roost-said.txt")?.contains("is absent; the file is not used") == true)
        #expect(run().taken == [name])
        #expect(text("root/etc/roost/\(name)") == "{}")
    }

    @Test func saysWhichFilesAreNotRead() {
        let wrong = [
            "Roost.JSON", "courier.json.txt", "eyes.txt", "faces.json", "roost-clame.txt",
            "station.json", "station.txt.txt",
        ]
        for name in wrong + ["issue.txt", "notes.txt", "station-example.txt", "tried.txt"] {
            write("x", "boot/\(name)")
        }
        #expect(run().problems.map(\.file) == wrong)
        let said = text("boot/roost-said.txt") ?? ""
        #expect(said.contains("Roost.JSON: a file of this name is not read. Call it roost.json."))
        #expect(said.contains("eyes.txt: a file of this name is not read. Call it eyes.json."))
        #expect(said.contains("faces.json: a file of this name is not read. Read are station.txt,"))
    }

    @Test func keepsThePresentConfigurationForAWrongOne() {
        write("{", "boot/roost.json")
        let report = run(mistakes: ["devices[0].port: is no path"])
        #expect(report.problems.count == 1 && report.taken.isEmpty)
        #expect(text("root/etc/roost/roost.json") == nil)
        #expect(text("boot/roost-said.txt")?.contains("devices[0].port: is no path") == true)
    }

    @Test func handsTheClaimToTheDashboardAndRemovesIt() {
        mkdir(folder.path("root/var"), 0o755)
        write("ABCD-efgh 12\r\n", "boot/roost-claim.txt")
        #expect(run().taken == ["roost-claim.txt"])
        #expect(text("root/var/lib/roost-web/roost-claim.txt") == "ABCD-efgh 12\r\n")
        #expect(text("boot/roost-claim.txt") == nil)
        write("no!", "boot/roost-claim.txt")
        #expect(run().problems.map(\.file) == ["roost-claim.txt"])
        #expect(text("boot/roost-claim.txt") == "no!")
    }

    @Test func hasTheDashboardRemoveItsAccountsOnce() {
        mkdir(folder.path("root/var"), 0o755)
        let (card, due) = (
            "boot/roost-reset-accounts.txt", "root/var/lib/roost-web/roost-reset-accounts.txt"
        )
        write("", card)
        write("ABCD-efgh 12\n", "boot/roost-claim.txt")
        #expect(run(hasOwner: true).taken == ["roost-reset-accounts.txt", "roost-claim.txt"])
        #expect(text(card) == nil && text(due) == "")
        #expect(text("root/var/lib/roost-web/roost-claim.txt") == "ABCD-efgh 12\n")
        func says() -> Bool {
            text("boot/roost-said.txt")?.contains("all accounts of the dashboard are") == true
        }
        #expect(says())
        // The page was not opened yet, then it was, then it has an owner.
        run(hasOwner: true)
        #expect(text(due) == "" && says())
        unlink(folder.path(due))
        #expect(run().taken.isEmpty && says())
        #expect(run(hasOwner: true).taken.isEmpty && !says())
        #expect(text(due) == nil)
        write("", card)
        #expect(run(hasOwner: true).taken == ["roost-reset-accounts.txt"])
    }

    @Test func oneThatStaysOnTheCardRemovesNoOtherAccounts() {
        let due = "root/var/lib/roost-web/roost-reset-accounts.txt"
        mkdir(folder.path("root/var"), 0o755)
        write("memory\n", "root/run/roost-data-on")
        write("", "boot/roost-reset-accounts.txt")
        run(hasOwner: true)
        unlink(folder.path(due))
        #expect(run(hasOwner: true).taken.isEmpty)
        #expect(text(due) == nil && text("boot/roost-reset-accounts.txt") == "")
    }

    /// A second code, or the first one on a card that was claimed otherwise: it makes no account.
    @Test func saysThatACodeIsNotUsedWhereTheStationHasAnOwner() {
        mkdir(folder.path("root/var"), 0o755)
        write("ABCD-efgh 12\n", "boot/roost-claim.txt")
        #expect(run(hasOwner: true).taken.isEmpty)
        #expect(text("boot/roost-claim.txt") == nil)
        #expect(text("root/var/lib/roost-web/roost-claim.txt") == nil)
        for _ in 0..<2 {
            let said = text("boot/roost-said.txt") ?? ""
            #expect(said.contains("roost-claim.txt: it was not used, as the station has an owner"))
            #expect(!said.contains("was taken"))
            run(hasOwner: true)
        }
        // The owner begins anew.
        write("ABCD-efgh 12\n", "boot/roost-claim.txt")
        #expect(run().taken == ["roost-claim.txt"])
        #expect(text("boot/roost-said.txt")?.contains("not used") == false)
    }

    @Test func removesImagersFilesThatHoldSecrets() {
        let custom = "/usr/lib/raspberrypi-sys-mods/imager_custom"
        write(
            "\(custom) set_hostname hut\n\(custom) set_wlan 'a' '12345678' 'DE'\n",
            "boot/firstrun.sh"
        )
        write("hostname: hill\n", "boot/user-data")
        let report = run()
        #expect(report.taken == ["user-data", "firstrun.sh"])
        #expect(text("boot/firstrun.sh") == nil)
        #expect(text("boot/user-data") == "hostname: hill\n")
        #expect(text("root/etc/hostname") == "hut\n")
        #expect(text("boot/roost-said.txt")?.contains("firstrun.sh: it was taken") == true)
        let said = text("boot/roost-said.txt")
        run()
        #expect(text("boot/roost-said.txt") == said)
    }

    @Test func keepsAFileOfImagerThatIsWrong() {
        let custom = "/usr/lib/raspberrypi-sys-mods/imager_custom"
        let script = "\(custom) set_hostname -\n\(custom) set_wlan 'a' '12345678' 'DE'\n"
        write(script, "boot/firstrun.sh")
        #expect(run().notes.count == 1)
        #expect(text("boot/firstrun.sh") == script)
        // The country of one file stays when another names the network.
        write("wifi=b\nwifi-password=87654321\n", "boot/station.txt")
        run()
        let wireless = text("root/etc/wpa_supplicant/wpa_supplicant-wlan0.conf")
        #expect(wireless?.hasPrefix("country=DE\n") == true)
        #expect(wireless?.contains("ssid=62") == true)
    }

    @Test func keepsAPasswordThatItCouldNotTake() {
        let wrong = "name=hut\ncountry=DE\nwify=home\nwifi-password=12345678\n"
        write(wrong, "boot/station.txt")
        let notes = run().notes
        #expect(notes.count == 1 && notes[0].contains("stands in it while the file is wrong"))
        #expect(text("boot/station.txt") == wrong)
        write(wrong.replacing("wify", with: "wifi"), "boot/station.txt")
        #expect(run().problems.isEmpty)
        #expect(text("boot/station.txt")?.contains("=(taken) \n") == true)
    }

    @Test func removesWhatWasWipedBeforeALossOfPower() {
        write(String(repeating: "\0", count: 700), "boot/firstrun.sh")
        write(String(repeating: "\0", count: 12), "boot/roost-claim.txt")
        #expect(run().problems.isEmpty)
        #expect(text("boot/firstrun.sh") == nil && text("boot/roost-claim.txt") == nil)
    }

    @Test func triesAgainWhatCouldNotBeTaken() {
        write(Self.station, "boot/station.txt")
        let report = run(RecordingAccounts(fails: true))
        #expect(report.problems.count == 1 && report.taken.isEmpty)
        #expect(text("boot/station.txt") == Self.station)
        #expect(run().taken == ["station.txt"])
    }

    @Test func goesOnWithFilesThatAreNone() {
        mkdir(folder.path("boot/station.txt"), 0o755)
        symlink("/dev/zero", folder.path("boot/roost.json"))
        write(String(repeating: "a", count: 300_000), "boot/user-data")
        write("\u{0}\u{1}\u{2}", "boot/firstrun.sh")
        let report = run()
        let files = Set(report.problems.map(\.file))
        #expect(files == ["user-data", "firstrun.sh", "station.txt", "roost.json"])
    }
}
