import ControlProtocol
import Glibc
import HardwareIO
import Provisioning
import TestSupport
import Testing

@testable import ProvisioningIO

@Suite struct ImageMachineTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder(isInMemory: true)
        for name in [
            "run", "boot", "boot/firmware", "usr", "usr/lib", "usr/lib/roost", "usr/share",
            "usr/share/roost", "usr/share/roost/update-keys.d", "etc", "etc/roost",
            "etc/roost/update-keys.d", "data", "data/system", "dev",
        ] { mkdir(folder.path(name), 0o755) }
    }

    private func write(_ text: String, _ name: String) throws {
        try WholeFile.write(Array(text.utf8), to: folder.path(name), mode: 0o644)
    }

    private func makeImage() throws {
        try write(
            #"{"board":"rpi-arm64","layout":1,"version":"0.1.0+git3","build":"2026-11-25 abc"}"#,
            "usr/lib/roost/image.json"
        )
    }

    @Test func isNoneWithoutItsDescription() throws {
        #expect(ImageMachine(root: folder.path) == nil)
        try write("{", "usr/lib/roost/image.json")
        #expect(ImageMachine(root: folder.path) == nil)
    }

    @Test func isKnownBeforeItEverRan() throws {
        try makeImage()
        let machine = try #require(ImageMachine(root: folder.path))
        #expect(machine.board == "rpi-arm64" && machine.layout == 1)
        #expect(machine.version == "0.1.0+git3" && machine.build == "2026-11-25 abc")
        #expect(machine.running == nil && machine.dataOn == nil && machine.record == nil)
    }

    @Test func readsWhatTheMemoryDiskSays() throws {
        try makeImage()
        try write("3\n", "run/roost-slot")
        try write("memory\n", "run/roost-data-on")
        try write("slot=2\ntrial=3\nnumber=8\n", "boot/firmware/slot.txt")
        try write("tried=8\n\n\n", "boot/firmware/tried.txt")
        let machine = try #require(ImageMachine(root: folder.path))
        #expect(machine.running == .second && machine.dataOn == "memory")
        #expect(TrialState(machine.slots, running: .second) == .onTrial(.second))
    }

    @Test func findsWhatIsWrongWithItsCard() throws {
        try makeImage()
        for name in BootFiles.names { try write("content", "boot/firmware/\(name)") }
        try write("slot=2\n", "boot/firmware/slot.txt")
        try write("2\n", "run/roost-slot")
        let mark = JournalPartition(blockSize: 4_096, blockCount: 2).block
        try WholeFile.write(mark, to: folder.path("dev/root5"), mode: 0o644)
        func faults() throws -> [String] {
            CardFaults(of: try #require(ImageMachine(root: folder.path))).all
        }
        #expect(try faults() == [])
        try write("", "boot/firmware/boot.scr")
        unlink(folder.path("boot/firmware/start.elf"))
        #expect(try faults().first?.contains("lacks start.elf, boot.scr;") == true)
        for name in ["start.elf", "boot.scr"] { try write("content", "boot/firmware/\(name)") }
        try write("3\n", "run/roost-slot")
        #expect(try faults().map { $0.contains("root 3 runs, as root 2") } == [true])
        // A root on trial, and one that runs after a trial, are no fault of the card.
        try write("slot=2\ntrial=3\nnumber=4\n", "boot/firmware/slot.txt")
        try write("tried=4\n", "boot/firmware/tried.txt")
        #expect(try faults() == [])
        try write("2\n", "run/roost-slot")
        #expect(try faults() == [])
        try write("no mark", "dev/root5")
        let device = folder.path("dev/root5")
        #expect(try faults().map { $0.contains("partition 5") } == [true])
        #expect(try faults().first?.contains("sudo roost store partition \(device).") == true)
        unlink(device)
        #expect(try faults().map { $0.contains("partition 5 is absent") } == [true])
    }

    @Test func trustsTheKeysOfBothFoldersAndNamesWhatIsNone() throws {
        try makeImage()
        let pem = """
            -----BEGIN PUBLIC KEY-----
            MCowBQYDK2VwAyEAOGG63Dryg6DobOpiVU926dgvM1mzlwhn0oWje5gi2Ug=
            -----END PUBLIC KEY-----

            """
        try write(pem, "usr/share/roost/update-keys.d/a.pem")
        try write(pem, "etc/roost/update-keys.d/same.pem")
        try write("no key", "etc/roost/update-keys.d/b.pem")
        try write("left alone", "etc/roost/update-keys.d/README")
        let (keys, leftOut) = try #require(ImageMachine(root: folder.path)).keys()
        #expect(keys.map(\.id) == ["26070ae7defa03e5"])
        #expect(leftOut.map(\.path) == ["/etc/roost/update-keys.d/b.pem"])
    }

    @Test func namesAFolderOfKeysThatCannotBeRead() throws {
        try makeImage()
        try write("no key", "etc/roost/update-keys.d/b.pem")
        let keys = folder.path("etc/roost/update-keys.d")
        #expect(rename(keys, keys + ".before") == 0 && symlink(keys, keys) == 0)
        let leftOut = try #require(ImageMachine(root: folder.path)).keys().leftOut
        #expect(leftOut.map(\.path) == ["/etc/roost/update-keys.d"])
        #expect(leftOut.first?.why.isEmpty == false)
    }

    @Test func keepsWhatBecameOfAnUpdate() throws {
        try makeImage()
        let machine = try #require(ImageMachine(root: folder.path))
        var record = UpdateRecord(state: .refused)
        (record.version, record.why) = ("0.2.0", "for another board")
        machine.show(record)
        #expect(access(machine.progressPath, F_OK) == 0)
        machine.keep(record)
        #expect(machine.record == record)
        #expect(access(machine.progressPath, F_OK) != 0)
    }
}
