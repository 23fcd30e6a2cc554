import HardwareIO
import TestSupport
import Testing

@testable import Doctor

@Suite struct DoctorMediumTests {
    private func findings(_ card: MadeUpCard) throws -> [String: DoctorReport.Entry] {
        let report = try DoctorMediumChecks.report(card)
        return Dictionary(report.findings.map { ($0.name, $0) }) { $1 }
    }

    @Test func aFreshCardHasNothingToDo() throws {
        let report = try DoctorMediumChecks.report(MadeUpCard())
        let bad = report.findings.filter { $0.verdict != .ok }.map { "\($0.name): \($0.words)" }
        #expect(bad == [])
        #expect(report.exitCode == 0 && report.worst == .ok)
        #expect(report.findings.map(\.name) == DoctorMediumChecks.questions.map(\.name))
    }

    @Test func namesWhatIsNoCardOfRoost() throws {
        var card = MadeUpCard()
        card.put([1, 2, 3, 4], at: 440)
        #expect(try findings(card)["table"]?.verdict == .failure)
        card.put([0, 0], at: 510)
        let report = try DoctorMediumChecks.report(card)
        #expect(report.exitCode == 2)
        #expect(report.findings.first?.words == "there is no partition table")
        #expect(report.findings.dropFirst(1).prefix(5).allSatisfy { $0.verdict == .skipped })
    }

    @Test func namesACardThatIsTooSmall() throws {
        var card = MadeUpCard()
        card.bytes.removeLast(2_000 * 512)
        #expect(try findings(card)["table"]?.words.contains("end at") == true)
    }

    @Test func namesMissingBootFiles() throws {
        var card = MadeUpCard()
        // The folder's first entry is the long name of bootcode.bin.
        card.put([0], at: 128 * 512)
        let boot = try #require(try findings(card)["boot-files"])
        #expect(boot.verdict == .failure && boot.words.contains("bootcode.bin"))
    }

    @Test func saysWhichRootStarts() throws {
        var card = MadeUpCard()
        card.putFile("slot.txt", "slot=2\ntrial=3\nnumber=4\n")
        // The last file of a name is added behind the first, which counts.
        #expect(try findings(card)["start"]?.verdict == .ok)
        card.put([UInt8](repeating: 0, count: 4_096), at: 4_096 * 512)
        let none = try #require(try findings(card)["start"])
        #expect(none.verdict == .failure && none.words.contains("neither root"))
        card.put(MadeUpCard.superblock(blocks: 128), at: 5_120 * 512)
        let other = try #require(try findings(card)["start"])
        #expect(other.verdict == .warning && other.words.contains("root 3 starts"))
        card.put(MadeUpCard.superblock(blocks: 129), at: 5_120 * 512)
        #expect(try findings(card)["start"]?.words.contains("larger than") == true)
    }

    @Test func namesJournalAndDataThatAreNone() throws {
        var card = MadeUpCard()
        card.put([0], at: 7_168 * 512)
        #expect(try findings(card)["journal"]?.verdict == .failure)
        card.put(MadeUpCard.superblock(state: 2, blocks: 256), at: 8_192 * 512)
        #expect(try findings(card)["data"]?.verdict == .warning)
        card.put(MadeUpCard.superblock(incompatible: 4, blocks: 256), at: 8_192 * 512)
        #expect(try findings(card)["data"]?.verdict == .note)
        card.put([UInt8](repeating: 0, count: 4_096), at: 8_192 * 512)
        #expect(try findings(card)["data"]?.verdict == .failure)
    }

    @Test func tellsAStartWhatIsWrongWithItsCard() {
        var card = MadeUpCard()
        card.putFile("station.txt", "foo=1\r\n")
        #expect(DoctorMediumChecks.faults(card) == [])
        card.put([0], at: 7_168 * 512)
        card.put([UInt8](repeating: 0, count: 4_096), at: 4_096 * 512)
        card.put(MadeUpCard.superblock(blocks: 128), at: 5_120 * 512)
        let faults = DoctorMediumChecks.faults(card)
        #expect(faults.count == 2 && faults.allSatisfy { $0.hasPrefix("The card (") })
        #expect(faults[0].contains("root 3 starts, as root 2") && faults[1].contains("journal"))
    }

    @Test func readsTheOwnersFilesAsTheStationDoes() throws {
        var card = MadeUpCard()
        card.putFile("station.txt", "name=hut\r\nfoo=1\r\n")
        card.putFile("roost-said.txt", "What.\r\n\r\nstation.txt, line 2: wrong.\r\n")
        let found = try findings(card)
        #expect(found["station-files"]?.verdict == .warning)
        #expect(found["station-files"]?.details.first?.hasPrefix("station.txt, line 2") == true)
        #expect(found["said"]?.details == ["station.txt, line 2: wrong."])
    }
}
