import PowerCut
import SQLite

/// A workload that writes, and a check of the files that it leaves.
package struct PowerCutWorkload {
    package let name: String
    /// Whether it is wrong on purpose: then the play must find failures, or the play is blind.
    package let isPlanted: Bool
    package let write: (PowerCutRecording) throws -> Void
    package let verify: (PowerCutState) throws -> Void
    /// Counts of the workload's operations, after it has run; nil where it does not count.
    package var census: () -> StoreCensus? = { nil }

    /// All workloads that `scripts/check powercut` plays.
    package static var all: [PowerCutWorkload] {
        [
            sqlite(.truncate, .full), sqlite(.persist, .full), sqlite(.delete, .extra),
            sqlite(.wal, .full), toy(acknowledgesTooEarly: false),
            // The folder is not synced after the journal is deleted: it comes back and is played.
            sqlite(.delete, .full, isPlanted: true),
            sqlite(.truncate, .normal, isPlanted: true), sqlite(.wal, .normal, isPlanted: true),
            sqlite(.truncate, .off, isPlanted: true), sqlite(.memory, .full, isPlanted: true),
            toy(acknowledgesTooEarly: true),
        ]
    }

    /// A whole store through three days, and the same with the planted bug.
    package static func stores(hours: Int, seed: UInt64) throws -> [PowerCutWorkload] {
        let script = StoreScript(hours: hours, seed: seed)
        return try [false, true].map { isPlanted in
            let store = try StoreWorkload(script, acknowledgesTooEarly: isPlanted)
            return PowerCutWorkload(
                name: isPlanted ? "store-early" : "store",
                isPlanted: isPlanted,
                write: store.write,
                verify: store.verify,
                census: { store.census }
            )
        }
    }

    private static func sqlite(
        _ mode: JournalMode,
        _ synchronous: SynchronousMode,
        isPlanted: Bool = false
    ) -> PowerCutWorkload {
        let numbers = NumbersInSQLite(mode: mode, synchronous: synchronous, count: 30)
        return PowerCutWorkload(
            name: "sqlite-\(mode)-\(synchronous)",
            isPlanted: isPlanted,
            write: numbers.write,
            verify: numbers.verify
        )
    }

    private static func toy(acknowledgesTooEarly: Bool) -> PowerCutWorkload {
        let store = ToyStore(acknowledgesTooEarly: acknowledgesTooEarly)
        return PowerCutWorkload(
            name: acknowledgesTooEarly ? "toy-early" : "toy",
            isPlanted: acknowledgesTooEarly,
            write: store.write,
            verify: store.verify
        )
    }
}
