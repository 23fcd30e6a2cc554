import Provisioning
import Testing

@testable import Doctor
@testable import Station

@Suite struct DoctorBoardTests {
    private func finding(
        _ name: String,
        _ change: (inout MadeUpMachine) -> Void
    ) throws -> DoctorFinding {
        var machine = try MadeUpMachine(model: Boards.four)
        machine.files["/usr/lib/roost/image.json"] = #"{"version":"0.2.0"}"#
        machine.files["/run/roost-slot"] = "2\n"
        machine.files["/run/roost-data-on"] = "card\n"
        machine.files["/boot/firmware/slot.txt"] = "slot=2\n"
        machine.files["/proc/mounts"] = "/dev/mmcblk0p2 / ext4 ro,noatime 0 0\n"
        change(&machine)
        let facts = try machine.facts(in: MadeUpTree())
        let check = try #require(DoctorBoardChecks.image.first { $0.name == name })
        return check.decide(facts)
    }

    @Test func aStationFromAnImageIsWell() throws {
        let root = try finding("image-root") { _ in }
        #expect(root == .ok("root 2, version 0.2.0, is the good one"))
        #expect(try finding("image-data") { _ in }.verdict == .ok)
        #expect(try finding("image-start") { _ in }.verdict == .ok)
        #expect(try finding("image-files") { _ in }.verdict == .ok)
    }

    @Test func saysWhereItIsInATrial() throws {
        let trial = "slot=2\ntrial=3\nnumber=4\n"
        let waits = try finding("image-root") { $0.files["/boot/firmware/slot.txt"] = trial }
        #expect(waits.verdict == .note && waits.sentence.contains("root 3 is tried"))
        let fell = try finding("image-root") {
            $0.files["/boot/firmware/slot.txt"] = trial
            $0.files["/boot/firmware/tried.txt"] = "tried=4\n"
        }
        #expect(fell.verdict == .warning && fell.sentence.contains("did not become good"))
        let standIn = try finding("image-root") { $0.files["/run/roost-slot"] = "3\n" }
        #expect(standIn.verdict == .warning && standIn.sentence.contains("did not start"))
        let hidden = try finding("image-root") { $0.files["/boot/firmware/slot.txt"] = nil }
        #expect(hidden.verdict == .note)
    }

    @Test func namesARootThatCanBeWrittenAndDataInMemory() throws {
        let root = try finding("image-root") {
            $0.files["/proc/mounts"] = "/dev/mmcblk0p2 / ext4 rw,noatime 0 0\n"
        }
        #expect(root.verdict == .warning)
        let data = try finding("image-data") { $0.files["/run/roost-data-on"] = "memory\n" }
        #expect(data.verdict == .failure)
    }

    @Test func whatThisStationCountsAsAFault() throws {
        let files = try MadeUpTree()
        let tree = DoctorTree(root: files.root)
        #expect(CardStart.findings(tree) == StartFindings())
        let text = "station.txt, line 2: wrong\n\u{1B}[31mred\n"
        try files.put(["/run/roost-problems.txt": text, "/run/roost-data-on": "memory\n"], [:])
        let found = CardStart.findings(tree)
        #expect(found.isDataInMemory && found.fileProblems.count == 2)
        #expect(found.fileProblems[0] == "station.txt, line 2: wrong")
        #expect(!found.fileProblems[1].contains("\u{1B}") && found.wireless == nil)
        try files.put(["/run/roost-wifi.txt": "Wi-Fi: 'a' is not in range.\n"], [:])
        #expect(CardStart.findings(tree).wireless == "Wi-Fi: 'a' is not in range.")
    }

    @Test func repeatsWhatTheStationSaidOfItsFiles() throws {
        let files = try finding("image-files") {
            $0.files["/run/roost-said.txt"] = "What.\r\n\r\nstation.txt, line 2: wrong.\r\n"
        }
        #expect(files.verdict == .note && files.details == ["station.txt, line 2: wrong."])
    }

    @Test(arguments: [
        "The card cannot be written: it is protected, or worn out.",
        "The card is smaller than the image: it has 3000 MiB and needs 3700.",
        "The data partition could not be repaired and is made anew: settings, accounts and history "
            + "are lost.",
    ])
    func repeatsWhatTheStartSaidOfTheCard(sentence: String) throws {
        let said = "What.\r\n\r\n\(sentence)\r\nstation.txt, line 2: wrong.\r\n"
        let change = { (machine: inout MadeUpMachine) in
            machine.files["/run/roost-start.said"] = "\(sentence)\n"
            machine.files["/run/roost-said.txt"] = said
        }
        let start = try finding("image-start", change)
        #expect(start.verdict == .warning && start.details == [sentence])
        let files = try finding("image-files", change)
        #expect(files.details == ["station.txt, line 2: wrong."])
        let alone = try finding("image-files") {
            change(&$0)
            $0.files["/run/roost-said.txt"] = "What.\r\n\r\n\(sentence)\r\n"
        }
        #expect(alone.verdict == .ok)
    }

    @Test func showsWhatTheStartSaidAsPlainText() throws {
        let long = String(repeating: "x", count: 400)
        let start = try finding("image-start") {
            $0.files["/run/roost-start.said"] = "\u{1b}[2Jred\n" + "\(long)\n"
        }
        #expect(start.details.count == 2 && !start.details[0].contains("\u{1b}"))
        #expect(start.details[1].count <= 301)
    }

    /// A card in a reader, mounted below some folder.
    @Test func aCardThatDoesNotRunHasItsFilesRead() throws {
        func card(_ name: String, _ files: [String: String]) throws -> DoctorFinding {
            try finding(name) {
                $0.user = nil
                for (name, text) in files { $0.files["/boot/firmware/\(name)"] = text }
            }
        }
        let wrong = try card("image-files", ["station.txt": "name=hut\r\nfoo=1\r\n"])
        #expect(wrong.verdict == .warning && wrong.sentence == "1 thing to correct")
        #expect(wrong.details.first?.hasPrefix("station.txt, line 2") == true)
        let said = try card(
            "image-files",
            ["station.txt": "name=hut\n", "roost-said.txt": "What.\r\n\r\nThe card is small.\r\n"]
        )
        #expect(said.verdict == .note && said.details == ["The card is small."])
        let well = try card("image-files", ["roost-said.txt": "What.\r\n\r\nAll is well.\r\n"])
        #expect(well.verdict == .ok)
        let boot = try card("image-boot", [:])
        #expect(boot.verdict == .failure && boot.sentence.contains("bootcode.bin"))
        let whole = Dictionary(uniqueKeysWithValues: BootFiles.names.map { ($0, "content") })
        #expect(try card("image-boot", whole).verdict == .ok)
        let hidden = try finding("image-boot") { $0.files["/boot/firmware/slot.txt"] = nil }
        #expect(hidden.verdict == .skipped)
    }

    @Test func isNothingToPackages() throws {
        for check in DoctorBoardChecks.image {
            let finding = try finding(check.name) { $0.files["/usr/lib/roost/image.json"] = nil }
            #expect(finding.verdict == .ok)
        }
    }
}
