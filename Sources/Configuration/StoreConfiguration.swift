import Core
import Profiles
import Store

/// Place and limits of the history; without a store only the last day is kept, in memory.
package struct StoreConfiguration: Hashable, Sendable {
    package static let defaultFolder = "/var/lib/roost"
    /// Bytes of one block of the journal's ring.
    package static let blockSize = Journal.standardBlockSize

    /// Holds `journal.ring`, `history.db` and what belongs to that; nothing else is written there.
    package let folder: String
    /// Location of the journal.
    package let journal: JournalSetting
    /// The size of the history, which never changes.
    package let size: StorePlan.Size
    /// 10 s…1 h of readings that a power cut may cost; longer wears less.
    package let lossWindow: Duration
    /// Blocks of the journal's ring: 64…65 536.
    package let journalBlockCount: Int

    /// Time between two transactions of the history.
    package static let checkpointInterval: Duration = .hours(24)

    init(_ reader: ObjectReader) {
        var reader = reader
        folder = reader.absolutePath("folder") ?? Self.defaultFolder
        journal = JournalSetting(&reader)
        let megabytes = reader.number("megabytes", in: 4...65_536)
        let days = reader.number("days", in: 1...36_500)
        if megabytes != nil, days != nil {
            reader.problem("days", "either megabytes or days, not both")
        }
        size = days.map { .days(Int($0)) } ?? .megabytes(Int(megabytes ?? 64))
        lossWindow = reader.seconds("lossWindowSeconds", in: 10...3_600) ?? .seconds(600)
        // Two days of a busy station, so that a history that cannot be written has time to return.
        journalBlockCount = Int(reader.number("journalBlocks", in: 64...65_536) ?? 512)
        reader.finish()
    }

    /// The plan that the history's file is made by.
    package var plan: StorePlan {
        var journal = JournalPlan()
        journal.blockSize = Self.blockSize
        journal.lossWindow = lossWindow
        journal.checkpointInterval = Self.checkpointInterval
        return StorePlan(size, journal: journal)
    }
}
