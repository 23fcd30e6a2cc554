import FoundationEssentials
import HardwareIO
import Testing

@testable import roost

@Suite struct PartitionFactsTests {
    private static let card = """
        DEVNAME=/dev/mmcblk0p3
        PART_ENTRY_SCHEME=dos
        PART_ENTRY_UUID=8eee4cf7-03
        PART_ENTRY_TYPE=0xda
        PART_ENTRY_NUMBER=3

        """

    private func facts(
        _ text: String = Self.card,
        sectorCount: UInt64 = 8_192,
        firstByte: Int? = nil
    ) -> PartitionFacts {
        PartitionFacts(
            path: "/dev/mmcblk0p3",
            disk: "/dev/mmcblk0",
            number: 3,
            sectorCount: sectorCount,
            tags: PartitionFacts.tags(text),
            firstByte: firstByte
        )
    }

    @Test func anEmptyOneOfOurTypeIsMarked() {
        #expect(facts().refusal == nil)
        let mark = facts().mark(blockSize: 4_096)
        #expect(mark == JournalPartition(blockSize: 4_096, blockCount: 1_023))
        let type = "PART_ENTRY_SCHEME=gpt\nPART_ENTRY_TYPE=1045a06a-224e-461b-893a-072608b434ff"
        #expect(facts(type).refusal == nil)
    }

    @Test func whatIsInUseIsRefusedByItsName() {
        let found = facts(Self.card + "TYPE=ext4\nUSAGE=filesystem\n")
        #expect(found.refusal == .inUse("ext4"))
        #expect(found.sentence(.inUse("ext4")) == "/dev/mmcblk0p3: holds ext4")
        #expect(facts(Self.card + "PTTYPE=dos\n").refusal == .inUse("dos"))
    }

    @Test(arguments: [
        ("PART_ENTRY_SCHEME=dos\nPART_ENTRY_TYPE=0x83", "0x83"), ("", nil),
        ("PART_ENTRY_SCHEME=gpt\nPART_ENTRY_TYPE=0xda", "0xda"),
        ("PART_ENTRY_SCHEME=mac\nPART_ENTRY_TYPE=0xda", "0xda"), ("PART_ENTRY_SCHEME=dos", nil),
    ])
    func anotherTypeIsRefused(text: String, type: String?) {
        #expect(facts(text).refusal == .otherType(type))
    }

    @Test func anotherTypeHasTheCommandThatChangesIt() {
        let card = facts("PART_ENTRY_SCHEME=dos\nPART_ENTRY_TYPE=0x83")
        let command = "sudo sfdisk --part-type /dev/mmcblk0 3 0xda"
        #expect(card.nextStep(.otherType("0x83")).hasSuffix(command))
        #expect(facts("").nextStep(.otherType(nil)).contains("sfdisk --list /dev/mmcblk0"))
    }

    @Test func itHasOneToSixteenMiB() {
        for count in [2_048, 32_768] as [UInt64] {
            #expect(facts(sectorCount: count).refusal == nil)
        }
        for count in [0, 2_047, 32_769, .max / 512] as [UInt64] {
            #expect(facts(sectorCount: count).refusal == .wrongSize(byteCount: count * 512))
        }
    }

    @Test func aByteThatIsNotZeroIsRefused() {
        let found = facts(firstByte: 4_000_000)
        #expect(found.refusal == .notEmpty(byteOffset: 4_000_000))
        #expect(found.nextStep(.notEmpty(byteOffset: 4_000_000)).contains("blkdiscard"))
    }

    @Test func theRuleOfUdevHasTheSameTypes() throws {
        let project = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let file = project.appending(path: "packaging/systemd/72-roost-journal.rules")
        let rules = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        for (scheme, type) in JournalPartition.types {
            let name = "ENV{ID_PART_ENTRY_"
            let line = "\(name)SCHEME}==\"\(scheme)\", \(name)TYPE}==\"\(type)\""
            #expect(rules.contains(line), "\(scheme)")
        }
    }

    @Test func theReportSaysWhatComesNext() {
        let marked = PartitionReport("/dev/mmcblk0p3", isNew: true)
        #expect(marked.state == "marked" && marked.refusal == nil)
        #expect(marked.lines.last?.contains("systemctl restart roostd") == true)
        let refused = PartitionReport(facts(), .wrongSize(byteCount: 1_024))
        #expect(refused.refusal?.code == "wrongSize" && refused.state == "refused")
        #expect(refused.lines.count == 2 && refused.lines[0].contains("has 1 KiB"))
    }
}
