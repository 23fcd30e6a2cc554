import HardwareIO
import Provisioning

/// Checks of a card in a reader, or of the image of one.
package enum DoctorMediumChecks {
    private struct Check: Sendable {
        let name: String
        let asks: String
        let decide: @Sendable (DoctorMedium) -> DoctorFinding
    }

    private static let all = [
        Check(name: "table", asks: "Does it hold the partitions of Roost?", decide: table),
        Check(name: "boot-files", asks: "Is all there that a board starts by?", decide: bootFiles),
        Check(name: "start", asks: "Which root starts, and is it whole?", decide: start),
        Check(name: "other-root", asks: "What does the other root hold?", decide: otherRoot),
        Check(name: "journal", asks: "Is the journal's partition marked?", decide: journal),
        Check(name: "data", asks: "Is the data partition well?", decide: data),
        Check(name: "station-files", asks: "Are the owner's files right?", decide: stationFiles),
        Check(name: "said", asks: "What did the station say at its last start?", decide: said),
    ]

    /// The questions of all checks; they need no card.
    package static var questions: [DoctorReport.Question] {
        all.map { DoctorReport.Question(name: $0.name, asks: $0.asks) }
    }

    /// Answers each question, in the order of `questions`.
    ///
    /// - Parameter disk: The card or image; nothing is written to it.
    /// - Returns: The findings.
    /// - Throws: `StorageError` when it cannot be read at all.
    package static func report(_ disk: some DiskSectors) throws(StorageError) -> DoctorReport {
        let medium = try DoctorMedium(disk)
        return DoctorReport(
            findings: all.map { check in
                let finding = check.decide(medium)
                return DoctorReport.Entry(
                    name: check.name,
                    verdict: finding.verdict,
                    words: finding.words,
                    details: finding.details,
                    next: finding.next
                )
            }
        )
    }

    /// Returns the faults of the card that a station runs from, a sentence each, for its owner.
    ///
    /// Faults of the owner's files are left out: the station's start reports those.
    package static func faults(_ disk: some DiskSectors) -> [String] {
        let report: DoctorReport
        do throws(StorageError) { report = try Self.report(disk) } catch {
            return ["The card cannot be read: \(error)."]
        }
        return report.findings.compactMap { entry in
            guard entry.verdict == .failure || entry.verdict == .warning,
                entry.name != "station-files", entry.name != "said"
            else { return nil }
            return "The card (\(entry.name)): \(entry.words)\(entry.next.map { "; \($0)" } ?? "")."
        }
    }

    private static let noTable = DoctorFinding.skipped("it is no card of Roost")
    private static let again = "write the image to the card again, and save the history first"

    @Sendable private static func table(_ medium: DoctorMedium) -> DoctorFinding {
        guard let layout = medium.layout else {
            return .failure("there is no partition table", next: "write the image to the card")
        }
        guard layout.diskNumber == DoctorMedium.diskNumber else {
            return .failure(
                "it has a table, and not the number of a card of Roost",
                next: "take the card or the image of a station"
            )
        }
        let wanted: [(Int, UInt8)] = [(1, 0x0C), (2, 0x83), (3, 0x83), (5, 0xDA), (6, 0x83)]
        let missing = wanted.filter { number, type in
            !layout.partitions.contains { $0.number == number && $0.type == type }
        }.map { "\($0.0)" }
        guard missing.isEmpty else {
            return .failure("partition \(missing.inWords) is missing or another one", next: again)
        }
        let end = layout.partitions.map { $0.first + $0.sectorCount }.max() ?? 0
        guard end <= medium.sectorCount else {
            return .failure(
                "the partitions end at \(end >> 11) MiB, and there are \(medium.sectorCount >> 11)",
                next: "take a larger card, or write the image again: its copy ended early"
            )
        }
        return .ok("\(layout.partitions.count) partitions in \(medium.sectorCount >> 11) MiB")
    }

    @Sendable private static func bootFiles(_ medium: DoctorMedium) -> DoctorFinding {
        guard medium.layout != nil else { return noTable }
        guard let boot = medium.boot else {
            return .failure("the boot partition cannot be read", next: again)
        }
        let wanted = [
            "bootcode.bin", "start.elf", "start4.elf", "config.txt", "u-boot.bin", "boot.scr",
            "words.txt",
        ]
        let missing = wanted.filter { (boot.file($0)?.byteCount ?? 0) == 0 }
        guard missing.isEmpty else {
            return .failure(
                "the boot partition lacks \(missing.inWords)",
                next: "copy them from the image's boot partition, or write the card again"
            )
        }
        return .ok("\(boot.files.count) files on the boot partition")
    }

    private static func text(_ block: ExtSuperblock, of byteCount: UInt64) -> String? {
        if UInt64(block.byteCount) > byteCount { return "larger than its partition" }
        return block.hasErrors ? "marked as damaged" : nil
    }

    @Sendable private static func start(_ medium: DoctorMedium) -> DoctorFinding {
        guard medium.layout != nil else { return noTable }
        let slots = medium.slots
        let start = BootStart(slots) { slot in
            medium.roots.contains { $0.slot == slot && $0.superblock != nil }
        }
        guard let slot = start.root,
            let root = medium.roots.first(where: { $0.slot == slot }), let block = root.superblock
        else { return .failure("neither root holds a file system: nothing starts", next: again) }
        let name = "root \(slot.rawValue)"
        if let fault = text(block, of: root.byteCount) {
            return .failure("\(name) starts, and is \(fault)", next: again)
        }
        if slots.isTrialWaiting, slot == slots.trial {
            return .hint("\(name) is tried at the next start; \(slots.good.rawValue) is good")
        }
        guard slot == slots.good else {
            return .warning(
                "\(name) starts, as root \(slots.good.rawValue), the good one, is no file system",
                next: "install an update: roost update install"
            )
        }
        if let trial = slots.trial {
            return .hint("\(name) starts; root \(trial.rawValue) was tried and is not good")
        }
        return .ok("\(name) starts, and is the good one")
    }

    @Sendable private static func otherRoot(_ medium: DoctorMedium) -> DoctorFinding {
        guard medium.layout != nil else { return noTable }
        let other = medium.slots.good.other
        guard let root = medium.roots.first(where: { $0.slot == other }),
            let block = root.superblock
        else { return .ok("root \(other.rawValue) is free for an update") }
        if let fault = text(block, of: root.byteCount) {
            return .hint("root \(other.rawValue) is \(fault); the next update replaces it")
        }
        return .ok("root \(other.rawValue) holds a version, too")
    }

    @Sendable private static func journal(_ medium: DoctorMedium) -> DoctorFinding {
        guard medium.layout != nil else { return noTable }
        guard let journal = medium.journal else {
            return .failure(
                "partition 5 is not marked as the journal's: the station writes a file instead",
                next: "at the station: sudo roost store partition /dev/mmcblk0p5"
            )
        }
        return .ok("\(journal.blockCount) blocks of \(journal.blockSize) bytes")
    }

    @Sendable private static func data(_ medium: DoctorMedium) -> DoctorFinding {
        guard medium.layout != nil else { return noTable }
        guard let block = medium.data else {
            return .failure(
                "partition 6 holds no file system: the next start makes it anew, and history and "
                    + "settings are lost",
                next: "save a copy of the card first, if there was a history on it"
            )
        }
        if block.hasErrors {
            return .warning(
                "the data partition is marked as damaged; the next start repairs it",
                next: "sudo e2fsck -f on partition 6, or start the station"
            )
        }
        let size = "\(block.byteCount >> 20) MiB"
        guard !block.needsRecovery, block.isClean else {
            return .hint("\(size), not unmounted in order: the next start takes over what waits")
        }
        return .ok(size)
    }

    @Sendable private static func stationFiles(_ medium: DoctorMedium) -> DoctorFinding {
        guard let boot = medium.boot else { return noTable }
        // The station's own start says which time zones it knows.
        let readers: [(String, ([UInt8]) -> [ProvisionProblem])] = [
            (StationFile.name, { StationFile.read($0) { _ in true }.problems }),
            (ImagerScript.name, { ImagerScript.read($0) { _ in true }.problems }),
            (CloudInitFiles.userName, { CloudInitFiles.readUser($0) { _ in true }.problems }),
            (CloudInitFiles.networkName, { CloudInitFiles.readNetwork($0).problems }),
            (ClaimCode.name, { ClaimCode.problem($0).map { [$0] } ?? [] }),
        ]
        let found = readers.compactMap { name, read in
            boot.bytes(name).map { (name, read($0)) }
        }
        guard !found.isEmpty else { return .ok("there are none: a station needs none") }
        let problems = found.flatMap(\.1)
        guard problems.isEmpty else {
            return .warning(
                "\(problems.count) thing\(problems.count == 1 ? "" : "s") to correct",
                next: "correct them on any computer"
            ).with(details: problems.map(\.description))
        }
        return .ok("\(found.map(\.0).inWords) can be read")
    }

    @Sendable private static func said(_ medium: DoctorMedium) -> DoctorFinding {
        guard let bytes = medium.boot?.bytes(ProvisionWords.name, limit: 16_384) else {
            return .ok("nothing")
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
            .dropFirst().prefix(40).map { PlainText.shown($0, limit: 300) }
        guard !lines.isEmpty, lines != ["All is well."] else { return .ok("all is well") }
        return DoctorFinding.hint("see \(ProvisionWords.name)").with(details: lines)
    }
}
