import Core
import SQLite

/// Finds what an import would bring, in pieces, and writes nothing into the history.
///
/// What the history does not have goes into a small one in memory, by the same code: the slots that
/// this gives out are those that the import would need. Samples of a file that are twice in it, far
/// from each other, may be counted twice.
package final class HistoryImportTrial {
    /// Slots of each ring in memory, 1 MiB altogether.
    private static let slotCountMax = 128
    /// Slots of the history that are looked at in one piece.
    private static let headerCountMax = 64

    private let small: History
    private let session: HistoryImport
    private var known = 0
    /// Looks ahead in the ring of samples; nil before it does.
    private var ahead: HistoryIntake?
    private var aheadCount = 0

    package init(beside history: History) throws {
        guard !history.isReadOnly else { throw ImportError.readOnly }
        var plan = StorePlan()
        plan.shape = StorePlan.Shape(
            streamCount: history.streamCount,
            slotCounts: history.shape.slotCounts.mapValues { min($0, Self.slotCountMax) }
        )
        let connection = try Connection(":memory:")
        try connection.setPageSize(HistorySchema.pageSize)
        _ = try HistorySchema.migrations(plan).apply(to: connection, version: "trial")
        small = try History(connection, isReadOnly: false)
        session = try HistoryImport(small.connection, small.rings, cursor: 0)
    }

    /// Counts samples of any sources, `HistoryImportRun.pieceCountMax` at most.
    ///
    /// - Throws: `ImportError`, `StoreError.database`.
    package func add(_ samples: [ImportedSample], beside history: History) throws {
        let fresh = try reading(history) {
            try HistoryImport(history.connection, history.rings, cursor: 0).fresh(samples)
        }
        known += samples.count - fresh.count
        defer { for slots in small.rings.values { slots.rest() } }
        try small.connection.transaction(
            .immediate,
            wrapping: Self.failure
        ) { () throws(any Error) in
            try session.add(fresh)
            for slots in small.rings.values { slots.rest() }
        }
    }

    private static func failure(_ error: SQLiteError) -> any Error { StoreError.database(error) }

    /// Looks at some of the slots that would have to make room.
    ///
    /// - Returns: Whether all were looked at.
    package func lookAhead(in history: History) throws -> Bool {
        let wanted = min(session.allocatedCount(.samples), history.slots(.samples).count)
        return try reading(history) {
            let intake = try ahead ?? HistoryIntake(history.connection, history.rings)
            ahead = intake
            let count = min(Self.headerCountMax, wanted - aheadCount)
            for _ in 0..<count { try intake.chains.passOver(.samples) }
            aheadCount += count
            return aheadCount == wanted
        }
    }

    /// The effect that the import would have.
    package func report(beside history: History) throws -> HistoryImportReport {
        try reading(history) {
            var report = HistoryImportReport()
            (report.samples, report.known) = (session.sampleCount, known)
            for (ring, slots) in history.rings {
                let share = Double(session.allocatedCount(ring)) / Double(slots.count)
                report.share = max(report.share, share)
                if ring == .samples { report.samplesShare = share }
            }
            let reader = HistoryReader(history.connection, history.rings)
            let slots = ahead?.allocated(.samples).recycled ?? [:]
            report.overwritten = try HistoryImport.overwritten(slots, reader)
            return report
        }
    }

    private func reading<Value>(_ history: History, _ body: () throws -> Value) rethrows -> Value {
        // An open blob holds a read lock.
        defer { for slots in history.rings.values { slots.rest() } }
        return try body()
    }
}
