import Core
import SQLite

/// Adds records that a recovered history lacks, from blocks checkpointed into the one before.
///
/// Chains that lost their ends get samples and events after those. Rows of small tables that were
/// written where a page rotted are only in the journal: rows newer than all known ones are added as
/// well. Rollups are not made again.
final class JournalReplay {
    private let intake: HistoryIntake
    private let floors: HistoryFloors
    private var newestRun: HistoryPosition?
    private var newestSchedules: [StreamID: HistoryPosition] = [:]

    init(_ intake: HistoryIntake, after floors: HistoryFloors) throws(StoreError) {
        (self.intake, self.floors) = (intake, floors)
        do throws(SQLiteError) {
            for run in try intake.catalogue.runs() { newestRun = position(run.boot, run.started) }
            for schedule in try intake.catalogue.schedules() {
                newestSchedules[schedule.stream] = position(schedule.boot, schedule.from)
            }
        } catch { throw .database(error) }
    }

    private func position(_ boot: BootID, _ tick: Tick) -> HistoryPosition? {
        intake.ordinals[boot].map { HistoryPosition(boot: $0, tick: tick) }
    }

    func apply(_ block: JournalBlock) throws(StoreError) {
        guard let boot = try ordinal(of: block.boot) else { return }
        for record in JournalRecordCodec.contents(block.payload).records {
            switch record {
            case .samples(let stream, let segment):
                guard let floor = floors.samples[stream] else { continue }
                try apply(segment, of: stream, boot, after: floor)
            case .event(let event):
                let position = HistoryPosition(boot: boot, tick: Tick(event.instant))
                guard let floor = floors.events, position > floor else { continue }
                try intake.events.append(event, boot: boot)
                intake.taken.events += 1
            case .started(let tick, _):
                let position = HistoryPosition(boot: boot, tick: tick)
                guard newestRun.map({ $0 < position }) ?? true else { continue }
                newestRun = position
                try intake.append(record, boot)
            case .stopped(let tick):
                guard let newestRun, newestRun.boot == boot, newestRun.tick <= tick else {
                    continue
                }
                try intake.append(record, boot)
            case .schedule(let stream, let tick, _):
                let position = HistoryPosition(boot: boot, tick: tick)
                guard newestSchedules[stream].map({ $0 < position }) ?? true else { continue }
                newestSchedules[stream] = position
                try intake.append(record, boot)
            case .stream, .anchor: try intake.append(record, boot)
            case .cursor(let cursor): try intake.keep(cursor, of: block.sequence)
            }
        }
    }

    private func apply(
        _ segment: [UInt8],
        of stream: StreamID,
        _ boot: UInt32,
        after floor: HistoryPosition
    ) throws(StoreError) {
        guard let known = intake.streams[stream],
            var decoder = try? SegmentDecoder(segment, decimals: known.decimals)
        else { return }
        var writer: SampleWriter
        if let open = intake.retakers[stream] {
            writer = open
        } else {
            writer = SampleWriter(decimals: known.decimals, try intake.chains.samples(known))
        }
        while let (tick, outcomes) = (try? decoder.next()) ?? nil {
            guard HistoryPosition(boot: boot, tick: tick) > floor else { continue }
            try writer.append(boot: boot, tick, outcomes)
            intake.taken.samples += 1
        }
        intake.retakers[stream] = writer
    }

    /// The number of a boot, or the one that was given last when its row is lost.
    ///
    /// Nil when it cannot be known: it has a number, and a new one would put it behind all others.
    private func ordinal(of boot: BootID) throws(StoreError) -> UInt32? {
        if let known = intake.ordinals[boot] { return known }
        let newest = Int64(intake.ordinals.values.max() ?? 0)
        guard let given = intake.numbers["boot"], given > newest else { return nil }
        intake.numbers["boot"] = newest
        defer { intake.numbers["boot"] = given }
        return try intake.ordinal(of: boot)
    }
}
