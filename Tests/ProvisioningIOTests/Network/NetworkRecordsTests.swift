import ControlProtocol
import Core
import FileIO
import Glibc
import Provisioning
import TestSupport
import Testing

@testable import ProvisioningIO

@Suite struct NetworkRecordsTests {
    private struct NoAccounts: AccountTools {
        func make(_ user: LoginUser, for file: String) throws(ProvisionProblem) {}
    }

    private let folder: TestFolder
    private let records: NetworkRecords
    private var root: String { folder.path("root") }

    init() throws {
        folder = try TestFolder(isInMemory: true)
        for name in ["boot", "root", "root/run", "root/etc"] { mkdir(folder.path(name), 0o755) }
        records = NetworkRecords(root: folder.path("root"))
    }

    private func write(_ text: String, _ name: String) throws {
        SettingFile.makeFolder(of: "\(root)/\(name)")
        try Files.replace("\(root)/\(name)", with: Array(text.utf8), mode: 0o600)
    }

    private func text(_ name: String) -> String? { Files.text("\(root)/\(name)") }

    private func network(_ name: String) -> String {
        let wireless = WirelessNetwork(name: name, secret: .passphrase("12345678"))
        return WirelessConfiguration.text(wireless, country: "DE", before: nil) ?? ""
    }

    private func start() -> ProvisionReport {
        var provisioner = Provisioner(
            boot: BootPartition(folder: folder.path("boot"), lockPath: "\(root)/run/lock"),
            root: root,
            accounts: NoAccounts(),
            reader: ConfigurationReader(
                mistakes: { _, _ in [] },
                storeFolder: { _ in "/var/lib/roost" }
            )
        )
        return provisioner.run()
    }

    @Test func aStartRemovesANetworkThatWasNotProved() throws {
        try write(network("old"), SettingsWriter.wireless)
        try write(network("new"), NetworkRecords.candidate)
        #expect(start().problems.isEmpty)
        #expect(text(NetworkRecords.candidate) == nil)
        #expect(text(SettingsWriter.wireless) == network("old"))
        let last = try #require(text(NetworkOutcome.path))
        #expect(last.contains("interrupted") && last.contains(Hexadecimal.text(Array("new".utf8))))
        #expect(!last.contains("12345678"))
        unlink("\(root)/\(NetworkOutcome.path)")
        _ = start()
        #expect(text(NetworkOutcome.path) == nil)
    }

    @Test func aNetworkThatIsProvedTakesTheOldOnesPlace() throws {
        try write(network("old"), SettingsWriter.wireless)
        try write(network("new"), NetworkRecords.candidate)
        try records.adopt()
        _ = start()
        #expect(records.configuration == network("new"))
        #expect(text(NetworkOutcome.path) == nil)
    }

    @Test func surveysWhatTheStationIsConnectedTo() throws {
        #expect(records.survey(scan: "", status: "", at: 5) == NetworkSurvey())
        try write(network("home"), SettingsWriter.wireless)
        for name in ["eth0/carrier", "eth0/device/x", "wlan0/phy80211/x", "wlan0/device/x"] {
            try write("1\n", "sys/class/net/\(name)")
        }
        try write("b8:27:eb:00:35:cc\n", "sys/class/net/wlan0/address")
        let scan = "BSS 02:00:00:00:01:00(on wlan0)\n\tsignal: -41.00 dBm\n\tSSID: a\\x0a\n"
        let status = "wpa_state=COMPLETED\nssid=a\\n\"\nmode=station\n"
        let survey = records.survey(scan: scan, status: status, at: 9)
        #expect(survey.hasRadio && survey.hasCable && survey.accessPoint == "roost-35CC")
        #expect(survey.joined == "610a22" && survey.known == "686f6d65" && survey.country == "DE")
        #expect(survey.networks == [NetworkInRange(network: "610a", signal: -41, kind: .open)])
        try records.keep(survey)
        // A look that finds none, as the radio is busy, forgets none.
        let blind = records.survey(scan: "", status: "wpa_state=SCANNING\nssid=a\n", at: 99)
        #expect(blind.networks == survey.networks && blind.joined == nil)
        try write("10.66.0.1\n", "run/roost-access-point/address")
        #expect(records.survey(scan: "", status: status, at: 99).joined == nil)
    }

    @Test func theAccessPointsPasswordIsOnTheBootPartitionAlone() throws {
        #expect(start().notes.isEmpty && Files.text(folder.path("boot/roost-said.txt")) == nil)
        let image = #"{"board":"b","layout":1,"version":"0"}"#
        try write(image, "usr/lib/roost/image.json")
        try write("b8:27:eb:00:35:cc\n", "sys/class/net/wlan0/address")
        let report = start()
        let password = try #require(text("etc/roost/access-point-password")?.prefix { $0 != "\n" })
        let said = try #require(Files.text(folder.path("boot/roost-said.txt")))
        #expect(said.contains("has this password, once the station has an owner: \(password)\r\n"))
        #expect(said.contains("All is well.") && !"\(report)".contains(password))
        for name in (try Files.names(in: "\(root)/run")) {
            #expect(text("run/\(name)")?.contains(password) != true)
        }
        let path = folder.path("wpa.conf")
        #expect(try AccessPoint(root: root, hasOwner: false).write(path) == "roost-35CC")
        #expect(Files.text(path)?.contains(password) == false)
        #expect(try AccessPoint(root: root, hasOwner: true).write(path) == "roost-35CC")
        #expect(Files.text(path)?.contains("psk=\"\(password)\"") == true)
    }

    @Test func theOwnersRuleForTheAccessPointCounts() throws {
        try write(#"{"board":"b","layout":1,"version":"0"}"#, "usr/lib/roost/image.json")
        try write("b8:27:eb:00:35:cc\n", "sys/class/net/wlan0/address")
        let (card, path) = (folder.path("boot/station.txt"), folder.path("wpa.conf"))
        for (rule, isLocked) in [("open", false), ("locked", true)] {
            try Files.replace(card, with: Array("access-point=\(rule)\n".utf8), mode: 0o644)
            #expect(start().taken == ["station.txt"])
            for hasOwner in [true, false] {
                _ = try AccessPoint(root: root, hasOwner: hasOwner).write(path)
                #expect(Files.text(path)?.contains("psk=") == isLocked)
            }
            let said = Files.text(folder.path("boot/roost-said.txt")) ?? ""
            #expect(said.contains("has this password: ") == isLocked)
        }
    }

    /// What the page asks for of the access point stands in its file, and the answer says so.
    @Test(arguments: ["open", "locked", NetworkRequest.afterClaim])
    func theAccessPointIsWhatThePageChose(rule: String) throws {
        try write("locked\n", SettingsWriter.accessPoint)
        let wanted = folder.path("wanted")
        let line = try ControlCodec.line(NetworkRequest(.point, rule: rule))
        try Files.replace(wanted, with: Array(line.utf8), mode: 0o600)
        let boot = BootPartition(folder: folder.path("boot"), lockPath: "\(root)/run/lock")
        let said = try NetworkRun(boot: boot, root: root).run(wanted)
        #expect(said == "access point: \(rule)")
        let isNone = rule == NetworkRequest.afterClaim
        #expect(text(SettingsWriter.accessPoint) == (isNone ? nil : "\(rule)\n"))
        #expect(records.survey.rule == (isNone ? nil : rule))
        #expect(text(wanted) == nil && text(NetworkSurvey.busyPath) == nil)
    }

    @Test func aRuleThatIsNoneChangesNothing() throws {
        try write("locked\n", SettingsWriter.accessPoint)
        let line = #"{"act":"point","rule":"closed"}"#
        try Files.replace(folder.path("wanted"), with: Array(line.utf8), mode: 0o600)
        let boot = BootPartition(folder: folder.path("boot"), lockPath: "\(root)/run/lock")
        #expect(throws: NetworkRequest.Refusal.self) {
            try NetworkRun(boot: boot, root: root).run(folder.path("wanted"))
        }
        #expect(text(SettingsWriter.accessPoint) == "locked\n")
    }
}
