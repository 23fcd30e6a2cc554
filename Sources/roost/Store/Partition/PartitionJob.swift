import ClientSupport
import Glibc
import HardwareIO
import LinuxIO
import Store
import StoreQueries

/// Carries out what `PartitionPlan` decides.
struct PartitionJob {
    let disk: TargetDisk
    private(set) var report: PartitionReport

    init(_ disk: TargetDisk) {
        self.disk = disk
        report = PartitionReport(disk.path)
    }

    /// Makes the partition, or says what making it would do.
    ///
    /// - Throws: `ClientFailure`.
    mutating func make(backup: String?, isDryRun: Bool) throws {
        guard let id = GUID(random: Self.random(16)) else { return }
        let plan: PartitionPlan
        do { plan = try PartitionPlan.make(on: disk.sectors, id: id) } catch {
            return refuse(error)
        }
        try describe(plan)
        guard !plan.writes.isEmpty else {
            report.state = "present"
            return report.notes.append("the partition is there already; nothing was changed")
        }
        report.writes = plan.writes.map(text)
        guard !isDryRun else {
            report.state = "possible"
            return report.notes.append("nothing was changed; --make does it")
        }
        try keepTable(plan, backup)
        try carryOut(plan.writes)
        report.state = "made"
        let part = plan.partition
        if disk.device != nil {
            do {
                try disk.sectors.add(
                    partition: part.number,
                    first: part.first,
                    sectorCount: part.sectorCount
                )
            } catch {
                report.notes.append(
                    "the kernel does not know it yet (\(error)); restart the machine"
                )
            }
        }
        report.partitions.append(entry(part, isJournal: true))
        report.notes.append(
            "next: \"store\": {\"journal\": \"auto\"} in /etc/roost/roost.json, "
                + "then: sudo systemctl restart roostd"
        )
    }

    /// Removes the partition; what waits in it for the history becomes a journal in the folder.
    ///
    /// - Throws: `ClientFailure`.
    mutating func undo(backup: String?, folder: StoreFolder) throws {
        let plan: PartitionPlan
        do { plan = try PartitionPlan.undo(on: disk.sectors) } catch { return refuse(error) }
        try describe(plan)
        let part = plan.partition
        try forget(part)
        do {
            try saveWaiting(plan, in: folder)
            try keepTable(plan, backup)
        } catch {
            try? disk.sectors.add(
                partition: part.number,
                first: part.first,
                sectorCount: part.sectorCount
            )
            throw error
        }
        report.writes = plan.writes.map(text)
        try carryOut(plan.writes)
        folder.forgetJournalPartition()
        report.state = "removed"
        report.partitions.removeAll(where: \.isJournal)
        report.journal = nil
        report.blockCount = nil
    }

    // MARK: Steps

    private mutating func refuse(_ refusal: PartitionRefusal) {
        if case .notThere = refusal, let table = try? PartitionTable(disk.sectors) { list(table) }
        report.refusal = PartitionReport.Refusal(
            code: refusal.code,
            sentence: refusal.description,
            nextStep: refusal.nextStep
        )
    }

    private mutating func describe(_ plan: PartitionPlan) throws {
        list(plan.table)
        report.journal = entry(plan.partition, isJournal: true)
        report.blockCount = plan.blockCount
        try disk.demandKernelAgrees(with: plan.table.entries)
    }

    private mutating func list(_ table: PartitionTable) {
        report.table = table.scheme.rawValue
        report.partitions = table.entries.map { entry($0, isJournal: $0 == table.journal) }
    }

    private func entry(_ part: PartitionEntry, isJournal: Bool) -> PartitionReport.Partition {
        PartitionReport.Partition(
            number: part.number,
            device: disk.name(of: part.number),
            startBytes: Int(clamping: part.byteOffset),
            byteCount: Int(clamping: part.byteCount),
            isJournal: isJournal
        )
    }

    mutating func reportSaved(_ count: Int, _ path: String) {
        report.notes.append("\(count) blocks waited for the history; they are in \(path) now")
    }

    private func text(_ write: SectorWrite) -> String {
        "\(write.purpose): \(write.bytes.count) bytes from sector \(write.sector) on"
    }

    private func carryOut(_ writes: [SectorWrite]) throws {
        for write in writes {
            do { try disk.sectors.write(write.sector, write.bytes) } catch {
                let saved = report.backup.map { "; the table as it was is in \($0)" } ?? ""
                throw TargetDisk.failure(
                    "\(error), while \(write.purpose) was written\(saved); see `sudo dmesg | tail`"
                )
            }
        }
    }

    /// Removes it from the kernel's list, which fails while a process uses it.
    private func forget(_ part: PartitionEntry) throws {
        guard let known = disk.device?.partitions.first(where: { $0.number == part.number }) else {
            return
        }
        do { try disk.sectors.remove(partition: part.number) } catch {
            guard case .busy = error else { throw TargetDisk.failure(error, disk.path) }
            let user = Holders.describe(of: known.path) ?? "a program"
            throw TargetDisk.failure(
                "\(known.path): \(user) uses it; "
                    + "stop the station (`sudo systemctl stop roostd`), and try again"
            )
        }
    }

    /// Keeps the sectors of the table in a file, and brings that to the card.
    private mutating func keepTable(_ plan: PartitionPlan, _ named: String?) throws {
        let path = try named ?? Self.freeBackup(for: disk)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let failure = FileBytes.failure(path, "cannot be made")
            throw TargetDisk.failure("\(failure); the table is kept there: give --backup FILE")
        }
        defer { close(descriptor) }
        try FileBytes.write(plan.table.head, to: descriptor, path)
        guard fsync(descriptor) == 0 else { throw FileBytes.failure(path, "cannot be written") }
        report.backup = path
        report.notes.append("to restore: sudo dd if=\(path) of=\(disk.path) conv=notrunc,fsync")
    }

    /// A name that is free: beside an image, else below `/var/backups`.
    private static func freeBackup(for disk: TargetDisk) throws -> String {
        let folder = "/var/backups"
        if disk.device != nil { mkdir(folder, 0o755) }
        let base = disk.device.map { "\(folder)/roost-\($0.name)" } ?? disk.path
        for number in 1...999 where access("\(base).table-\(number)", F_OK) != 0 {
            return "\(base).table-\(number)"
        }
        throw TargetDisk.failure("\(base).table-1…999: all there; give --backup FILE")
    }

    private static func random(_ count: Int) -> [UInt8] {
        var source = SystemRandomNumberGenerator()
        return (0..<count).map { _ in .random(in: 0...255, using: &source) }
    }
}
