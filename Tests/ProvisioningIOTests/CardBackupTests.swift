import Backup
import ControlProtocol
import FileIO
import Glibc
import HardwareIO
import Provisioning
import TestSupport
import Testing

@testable import ProvisioningIO

/// A backup and a reset on the boot partition.
@Suite struct CardBackupTests {
    private struct NoAccounts: AccountTools {
        func make(_ user: LoginUser, for file: String) throws(ProvisionProblem) {}
    }

    private static let part = StationPart(
        settings: #"{"name": "Balkon"}"#,
        names: ["device.usb-1": "{}"],
        laserSeconds: ["sds011 A160": 3_600]
    )
    private static let password = "correct horse"
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder(isInMemory: true)
        for name in ["boot", "root", "root/run", "root/etc", "root/var", "root/var/lib"] {
            mkdir(folder.path(name), 0o755)
        }
    }

    private func write(_ bytes: [UInt8], _ name: String) throws {
        SettingFile.makeFolder(of: folder.path(name))
        try Files.replace(folder.path(name), with: bytes, mode: 0o644)
    }

    private func text(_ name: String) -> String? { Files.text(folder.path(name), limit: 1 << 17) }

    private func run() -> ProvisionReport {
        var provisioner = Provisioner(
            boot: BootPartition(folder: folder.path("boot"), lockPath: folder.path("root/lock")),
            root: folder.path("root"),
            accounts: NoAccounts(),
            reader: ConfigurationReader(
                mistakes: { _, _ in [] },
                storeFolder: { try Self.storeFolder(Files.text($0) ?? "") },
                journalPath: { Files.text($0)?.contains("named") == true ? "/ring" : nil }
            )
        )
        return provisioner.run()
    }

    private static func backup() throws -> [UInt8] {
        try BackupFile(
            name: "Balkon",
            station: nil,
            time: nil,
            leftOut: [],
            parts: [
                .init(.station, try ControlCodec.line(part)), .init(.courier, #"{"targets":{}}"#),
                .init(.dashboard, #"{"people":[]}"#), .init(.camera, #"{"record":false}"#),
            ]
        ).bytes(passphrase: password)
    }

    @Test func handsTheBackupToTheProgramsAndRemovesIt() throws {
        try write(Self.backup(), "boot/roost-restore.backup")
        try write(Array("\(Self.password)\r\n".utf8), "boot/roost-restore-passphrase.txt")
        #expect(run().taken == ["roost-restore.backup"])
        #expect(text("root/var/lib/roost/settings.json") == Self.part.settings)
        let kept = try #require(text("root/var/lib/roost/restore.json"))
        #expect(try ControlCodec.message(StationPart.self, from: kept) == Self.part)
        #expect(text("root/var/lib/roost-courier/settings.json") == #"{"targets":{}}"#)
        #expect(text("root/var/lib/roost-eyes/settings.json") == #"{"record":false}"#)
        #expect(text("root/var/lib/roost-web/roost-restore-people.json") == #"{"people":[]}"#)
        #expect(text("boot/roost-restore.backup") == nil)
        #expect(text("boot/roost-restore-passphrase.txt") == nil)
        #expect(text("boot/roost-said.txt")?.contains("the backup of Balkon is") == true)
        #expect(run().taken.isEmpty)
    }

    @Test func phonesAndBrowsersGoIntoAFileOfTheirOwn() throws {
        let content = #"{"push":{"subscribers":["ab"]},"targets":{}}"#
        let backup = BackupFile(
            name: "Balkon",
            station: nil,
            time: nil,
            leftOut: [],
            parts: [.init(.courier, content)]
        )
        try write(backup.bytes(passphrase: Self.password), "boot/roost-restore.backup")
        try write(Array(Self.password.utf8), "boot/roost-restore-passphrase.txt")
        #expect(run().taken == ["roost-restore.backup"])
        let folder = "root/var/lib/roost-courier"
        #expect(text("\(folder)/settings.json") == #"{"targets":{}}"#)
        let kept = text("\(folder)/restore-subscribers.json")
        #expect(kept == #"{"push":{"subscribers":["ab"]}}"#)
    }

    @Test(arguments: ["wrong", ""])
    func aWrongPassphraseChangesNothing(_ passphrase: String) throws {
        try write(Self.backup(), "boot/my.backup")
        if !passphrase.isEmpty {
            try write(Array(passphrase.utf8), "boot/roost-restore-passphrase.txt")
        }
        let report = run()
        #expect(report.problems.map(\.file) == ["my.backup"] && report.taken.isEmpty)
        #expect(report.problems.first?.sentence.contains("passphrase") == true)
        #expect(text("root/var/lib/roost/settings.json") == nil)
        #expect(text("boot/my.backup") != nil)
    }

    @Test func aCutFileChangesNothing() throws {
        try write(Array(Self.backup().dropLast(9)), "boot/my.backup")
        try write(Array(Self.password.utf8), "boot/roost-restore-passphrase.txt")
        #expect(run().problems.first?.sentence.contains("cut or damaged") == true)
        #expect(text("root/var/lib/roost/settings.json") == nil)
    }

    /// The power was lost before the files were removed: they go at the next start, and are not
    /// restored again.
    @Test func aBackupThatStaysIsRemovedLater() throws {
        try write(Self.backup(), "boot/roost-restore.backup")
        try write(Array(Self.password.utf8), "boot/roost-restore-passphrase.txt")
        try write(Array("memory".utf8), "root/run/roost-data-on")
        #expect(run().taken == ["roost-restore.backup"])
        #expect(text("boot/roost-said.txt")?.contains("is restored") == false)
        #expect(text("boot/roost-restore.backup") != nil)
        #expect(unlink(folder.path("root/run/roost-data-on")) == 0)
        try write(Array(#"{"title":"since"}"#.utf8), "root/var/lib/roost/settings.json")
        #expect(run().taken.isEmpty)
        #expect(text("root/var/lib/roost/settings.json")?.contains("since") == true)
        #expect(text("boot/roost-restore.backup") == nil)
        #expect(text("boot/roost-restore-passphrase.txt") == nil)
    }

    /// What the owner before put on the card still lies there, and does not come back.
    @Test func theFilesOfTheOwnerBeforeDoNotCountAgain() throws {
        try write(Array("{}".utf8), "root/etc/roost/image.json")
        let before = #"{"targets":[]}"#
        try write(Array(before.utf8), "boot/courier.json")
        #expect(run().taken == ["courier.json"])
        try write([], "boot/roost-reset-everything.txt")
        #expect(run().taken == ["roost-reset-everything.txt"])
        #expect(text("root/etc/roost/courier.json") == nil)
        #expect(run().taken.isEmpty && text("root/etc/roost/courier.json") == nil)
        try write(Array(#"{"targets":[],"receivers":[]}"#.utf8), "boot/courier.json")
        #expect(run().taken == ["courier.json"])
    }

    @Test(arguments: ["keep the history", "not history", "?"])
    func aTextThatIsNotKnownRemovesNothing(_ words: String) throws {
        try write([1], "root/var/lib/roost-web/web.db")
        try write(Array(words.utf8), "boot/roost-reset-everything.txt")
        let report = run()
        #expect(report.taken.isEmpty && report.problems.count == 1)
        #expect(text("root/var/lib/roost-web/web.db") != nil)
    }

    /// The file's text in place of a configuration; one that begins with `?` cannot be read.
    private static func storeFolder(_ text: String) throws -> String {
        guard !text.hasPrefix("?") else { throw FileError("roost.json", .folder) }
        return text.hasPrefix("/") ? text : "/var/lib/roost"
    }

    /// Another folder may hold files of others, too: only ours go.
    @Test func theFolderThatTheConfigurationNamesIsCleared() throws {
        let ours = [
            "settings.json", "settings.json.last", "history.db", "history.db-wal", "journal.ring",
        ]
        for name in ours + ["letters.txt"] { try write([1], "root/mnt/disk/\(name)") }
        try write(Array("/mnt/disk".utf8), "root/etc/roost/roost.json")
        try write(Array("history".utf8), "boot/roost-reset-everything.txt")
        #expect(run().problems.isEmpty)
        #expect(ours.filter { text("root/mnt/disk/\($0)") != nil }.isEmpty)
        #expect(text("root/mnt/disk/letters.txt") != nil)
    }

    @Test func aConfigurationThatCannotBeReadIsSaid() throws {
        try write(Array("?".utf8), "root/etc/roost/roost.json")
        try write([1], "root/var/lib/roost/settings.json")
        try write([], "boot/roost-reset-everything.txt")
        let report = run()
        #expect(report.problems.first?.sentence.contains("only /var/lib/roost was") == true)
        #expect(text("root/var/lib/roost/settings.json") == nil)
    }

    /// The last values wait in the journal's partition, outside of every folder.
    @Test(arguments: [true, false]) func theJournalsPartitionIsOverwritten(isMarked: Bool) throws {
        let mark = JournalPartition(blockSize: 512, blockCount: 4)
        let ring = [UInt8](repeating: 7, count: 4 * 512)
        try write((isMarked ? mark.block : [UInt8](repeating: 1, count: 512)) + ring, "partition")
        try write([1], "root/var/lib/roost/history.db")
        let note = folder.path("root/var/lib/roost/\(JournalPartition.noteName)")
        #expect(symlink(folder.path("partition"), note) == 0)
        try write(Array("history".utf8), "boot/roost-reset-everything.txt")
        #expect(run().taken == ["roost-reset-everything.txt"])
        let left = try Files.read(folder.path("partition"), limit: 4_096)
        #expect(left.count == 5 * 512)
        #expect(JournalPartition(left) == (isMarked ? mark : nil))
        #expect(left.dropFirst(512).allSatisfy { $0 == (isMarked ? 0 : 7) })
    }

    /// A ring that `roost.json` names by its path: a partition without a mark, or a file.
    @Test func theJournalThatIsNamedIsOverwritten() throws {
        let block = JournalPartition.blockMagic + [UInt8](repeating: 7, count: 4_092)
        let other = [UInt8](repeating: 9, count: 4_096)
        let empty = [UInt8](repeating: 0, count: 4_096)
        try write(Array("/mnt/named".utf8), "root/etc/roost/roost.json")
        try write(block + empty + other + block, "root/ring")
        try write(Array("history".utf8), "boot/roost-reset-everything.txt")
        let report = run()
        #expect(report.taken == ["roost-reset-everything.txt"] && report.problems.isEmpty)
        let left = try Files.read(folder.path("root/ring"), limit: 1 << 16)
        #expect(left == empty + empty + other + empty)
    }

    /// What is not there, or has no journal, is said, and nothing of it changes.
    @Test(arguments: [true, false]) func aJournalOutOfReachIsSaid(isThere: Bool) throws {
        try write(Array("/mnt/named".utf8), "root/etc/roost/roost.json")
        let letters = [UInt8](repeating: 65, count: 8_192)
        if isThere { try write(letters, "root/ring") }
        SettingFile.makeFolder(of: folder.path("root/mnt/named/x"))
        let note = folder.path("root/mnt/named/\(JournalPartition.noteName)")
        #expect(symlink(folder.path("gone"), note) == 0)
        try write(Array("history".utf8), "boot/roost-reset-everything.txt")
        let report = run()
        #expect(report.taken == ["roost-reset-everything.txt"])
        let said = report.problems.map(\.sentence)
        #expect(said.count == 2 && said[0].contains("gone is not there"), "\(said)")
        #expect(said.last?.contains(isThere ? "no journal of Roost" : "is not there") == true)
        if isThere { #expect(try Files.read(folder.path("root/ring"), limit: 1 << 16) == letters) }
    }

    /// After a reset the Wi-Fi's password is nowhere, and the card does not say otherwise.
    @Test func theWiFiThatWentIsNotSaidToBeKept() throws {
        let station = "wifi=home\nwifi-password=12345678\n"
        let image = #"{"board": "pi3", "layout": 1, "version": "1"}"#
        try write(Array(image.utf8), "root/usr/lib/roost/image.json")
        try write(Array(station.utf8), "boot/station.txt")
        #expect(run().taken == ["station.txt"])
        try write([], "boot/roost-reset-everything.txt")
        #expect(run().taken == ["roost-reset-everything.txt"])
        let said = try #require(text("boot/roost-said.txt"))
        #expect(said.contains("has no Wi-Fi password any more") && !said.contains("was taken into"))
    }

    @Test(arguments: [false, true]) func everythingIsRemovedOnce(_ history: Bool) throws {
        let secret = [
            "var/lib/roost/settings.json", "var/lib/roost-web/web.db", "etc/roost/courier.json",
            "var/lib/roost-courier/settings.json", "var/lib/roost-eyes/pictures",
            "var/lib/roost-web/update/a", "etc/roost/secrets/influx",
        ]
        for name in secret + ["var/lib/roost/history.db", "etc/roost/roost.json"] {
            try write([1], "root/\(name)")
        }
        try write(Array((history ? "History\n" : "").utf8), "boot/roost-reset-everything.txt")
        #expect(run().taken == ["roost-reset-everything.txt"])
        #expect(secret.filter { text("root/\($0)") != nil }.isEmpty)
        #expect((text("root/var/lib/roost/history.db") == nil) == history)
        #expect(text("root/etc/roost/roost.json") != nil)
        #expect(text("boot/roost-reset-everything.txt") == nil)
        #expect(text("boot/roost-said.txt")?.contains("has no owner, settings") == true)
        try write([1], "root/var/lib/roost-web/web.db")
        #expect(run().taken.isEmpty && text("root/var/lib/roost-web/web.db") != nil)
    }
}
