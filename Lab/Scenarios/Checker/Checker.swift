import Configuration
import Core
import PowerCut
import Station
import Store

/// Says whether the promises were kept, from outside: by what a client saw and what the files hold.
///
/// Faults excuse only what software cannot prevent: a card that lies or rots may lose what it
/// acknowledged.
struct Checker {
    /// The first counter-example of a check, as text.
    struct Broken: Error { let words: String }

    let world: World
    let records: LifeRecords
    private(set) var ledgerSeconds: [String: Double] = [:]
    /// The longest time from the last fault to a sensor's next value.
    var resumedAfter: Duration = .zero
    /// Samples that are gone because the card lied or rotted.
    private(set) var betrayedCount = 0
    private let reader: HistoryReader?
    private let readerError: String
    var stored: StoredSamples?
    /// Samples that the ledger says were given up for want of a place, by device, in order of time.
    private var givenUp: [String: [GapMark]] = [:]

    init(_ world: World) {
        (self.world, records) = (world, world.records)
        let path = "\(world.card.folder)/history.db"
        do {
            reader = try HistoryReader(
                path: path,
                tail: (try? world.journalTail()) ?? HistoryTail()
            )
            readerError = ""
        } catch {
            reader = nil
            readerError = "\(error)"
        }
    }

    mutating func verdicts() -> [LifeReport.Verdict] {
        do { stored = try StoredSamples(history(), records) } catch {}
        return [
            verdict("P1") { try $0.everyIntervalIsAccountedFor() },
            verdict("P2") { try $0.acknowledgedIsDurable() },
            verdict("P3") { try $0.theStoreAlwaysOpens() },
            verdict("P4") { try $0.filesStayAndSamplingGoesOn() },
            verdict("P5") { try $0.badSensorsAreNoticed() },
            verdict("P6") { try $0.sensorsKeepTheirNames() },
            verdict("P7") { try $0.lasersAreOff() },
            verdict("P8") { try $0.orderAndTimeHold() },
            verdict("P9") { try $0.nothingHangsOrLoops() },
            verdict("P10") { try $0.oldValuesNeverLookLive() },
            verdict("P11") { try $0.deliveriesAddUp() },
            verdict("alerts") { try $0.alertsGoOn() },
            verdict("camera") { try $0.motionsHavePictures() },
            verdict("cold") { try $0.coldPartsHaveNoValues() },
            verdict("liveness") { try $0.everySensorSamplesAgain() },
        ]
    }

    private mutating func verdict(
        _ promise: String,
        _ check: (inout Checker) throws -> Int
    ) -> LifeReport.Verdict {
        do {
            let count = try check(&self)
            return LifeReport.Verdict(promise: promise, checkCount: count, failure: nil)
        } catch let broken as Broken {
            return LifeReport.Verdict(promise: promise, checkCount: 1, failure: broken.words)
        } catch {
            return LifeReport.Verdict(promise: promise, checkCount: 1, failure: "\(error)")
        }
    }

    func history() throws -> HistoryReader {
        guard let reader else { throw Broken(words: "the history cannot be read: \(readerError)") }
        return reader
    }

    // MARK: What is known of the life

    func segment(_ number: Int32) -> LifeRecords.Segment { records.segments[Int(number)] }

    /// Whether a fault of some kinds was there, or about to be, or just over.
    func hasWindow(
        _ isMeant: (FaultKind) -> Bool,
        from start: MonotonicInstant,
        to end: MonotonicInstant,
        part: String? = nil
    ) -> Bool {
        records.windows.contains { window in
            window.start <= end && window.end >= start && isMeant(window.kind)
                && (part == nil || window.part == nil || window.part == part)
        }
    }

    /// A point of a life, for people.
    func text(_ instant: MonotonicInstant) -> String {
        let seconds = instant.nanoseconds / 1_000_000_000
        let clock = CivilTime(secondsSince1970: Int(seconds)).clockWords
        return "day \(seconds / 86_400) \(clock)"
    }

    /// The same for a place on the timeline, which begins with the first process.
    private func text(tenths: Int64) -> String {
        text(.boot.advanced(by: .milliseconds(tenths * 100)))
    }

    // MARK: P1

    private mutating func everyIntervalIsAccountedFor() throws -> Int {
        let reader = try history()
        let runs = try NodeRuns.all(in: reader)
        let clock = ClockAnchors(runs: runs, anchors: try reader.anchors())
        let timeline = GapLedgerTimeline(runs: runs, clock: clock)
        let range = 0..<max(0, timeline.length)
        var firstGap: Int64?
        var names: [StreamID: String] = [:]
        let reports = try GapLedgerReports.all(
            of: reader,
            along: timeline,
            within: range,
            stretch: { stream, stretch in
                names[stream.id] = stream.device
                guard stretch.cause == .unexplained else { return }
                firstGap = min(firstGap ?? .max, stretch.range.lowerBound)
            }
        )
        let marks = try GapMarks.all(in: reader).filter { $0.cause == .noPlace }
        givenUp = Dictionary(grouping: marks) { mark in
            mark.stream.flatMap { names[$0] }.map(records.firstName) ?? ""
        }
        let lines = reports.flatMap(\.lines)
        for line in lines {
            ledgerSeconds["covered", default: 0] += Double(line.coveredTenths) / 10
            for gap in line.gaps {
                ledgerSeconds[gap.cause.rawValue, default: 0] += Double(gap.tenths) / 10
            }
        }
        for line in lines {
            guard line.remainderTenths == 0 else {
                throw Broken(words: "\(line.channel): \(line.remainderTenths) tenths too much")
            }
            if let gap = line.gaps.first(where: { $0.cause == .unexplained }) {
                let seconds = Double(gap.tenths) / 10
                throw Broken(
                    words: "\(line.channel): \(seconds) s unexplained, \(gap.count) gaps, "
                        + "the first of any channel about \(text(tenths: firstGap ?? 0))"
                )
            }
        }
        for report in reports where report.misplacedCount > 0 {
            let channel = report.lines.first?.channel ?? ""
            let first = report.firstMisplaced ?? ""
            throw Broken(
                words: "\(channel): \(report.misplacedCount) entries out of place, first \(first)"
            )
        }
        guard !lines.isEmpty else { throw Broken(words: "the history has no streams") }
        return lines.count
    }

    // MARK: P2

    static let cardTrouble: Set<FaultKind> = [
        .cardStall, .cardLongStall, .cardSlow, .cardFull, .cardReadOnly, .cardError,
        .failingWrites, .longReader, .diskHang,
    ]
    /// Faults that make a card lose what it acknowledged, which no software can prevent.
    ///
    /// Not after `logRot`: what lies in the log alone, the journal has too.
    static let faithless: Set<FaultKind> = [.lyingSync, .journalRot, .historyRot, .lostPage]

    /// Whether a store reports damage after it, also when nothing is lost.
    private static func isReportable(_ kind: FaultKind) -> Bool {
        kind == .logRot || cardTrouble.contains(kind)
    }

    private mutating func acknowledgedIsDurable() throws -> Int {
        guard let stored else { throw Broken(words: "the history cannot be read: \(readerError)") }
        var count = 0
        if !records.acknowledged.isEmpty {
            for claim in records.acknowledged {
                // A stream that is gone from the ring has given its place to another.
                let device = stored.devices[claim.stream] ?? claim.device
                let segment = records.segments[claim.segment]
                let key = StoredSamples.Key(
                    boot: segment.boot,
                    tick: claim.tick,
                    digest: claim.digest
                )
                let at = segment.bootedAt.advanced(by: .milliseconds(claim.tick.tenths * 100))
                guard !isExpired(device, segment, claim.tick), !wasBetrayed(at) else { continue }
                guard try stored.holds(device, key) || wasGivenUp(device, segment, claim.tick)
                else {
                    throw Broken(words: "\(device) of \(text(at)) was acknowledged and is lost")
                }
                count += 1
            }
        }
        for sample in records.samples {
            let segment = segment(sample.segment)
            guard isOwed(sample, segment) else { continue }
            let device = records.devices[Int(sample.device)]
            guard !isExpired(device, segment, sample.tick) else { continue }
            let isThere = try holds(sample, of: device, in: segment, stored)
            guard try isThere || wasGivenUp(device, segment, sample.tick) else {
                if wasBetrayed(sample.at) {
                    betrayedCount += 1
                    continue
                }
                throw Broken(
                    words: "\(device) of \(text(sample.at)) is lost, "
                        + "\(segment.ending.text) at \(text(segment.end))"
                )
            }
            count += 1
        }
        let follower = FollowerCheck(records: records) { [checker = self] at in
            checker.hadCardTrouble(before: at)
        }
        return try count + importsAreWhole(stored) + follower.run()
    }

    /// Whether a card lied, refused or rotted before an instant.
    func hadCardTrouble(before at: MonotonicInstant) -> Bool {
        records.windows.contains { window in
            let isTrouble =
                Self.faithless.contains(window.kind) || Self.cardTrouble.contains(window.kind)
            return isTrouble && window.start <= at
        }
    }

    /// Demands what was imported, as long as the ring has not come round.
    private func importsAreWhole(_ stored: StoredSamples) throws -> Int {
        guard !records.imports.contains(where: \.hasOverwritten),
            !hasWindow(Self.faithless.contains, from: .boot, to: world.end)
        else { return 0 }
        let imports = Dictionary(grouping: records.imports, by: \.device)
        for (device, imports) in imports.sorted(by: { $0.key < $1.key }) {
            let wanted = imports.map(\.sampleCount).reduce(0, +)
            let found = stored.importedCounts[device, default: 0]
            guard found == wanted else {
                throw Broken(
                    words: "\(wanted) samples of \(device) were imported, \(found) are there"
                )
            }
        }
        return imports.count
    }

    /// Whether the ledger has a sample without a place; then the station has reported it.
    private func wasGivenUp(
        _ device: String,
        _ segment: LifeRecords.Segment,
        _ tick: Tick
    ) throws -> Bool {
        func key(_ boot: BootID, _ tick: Tick) -> (boot: Int, tick: Tick) {
            (records.segments.firstIndex { $0.boot == boot } ?? .max, tick)
        }
        let place = key(segment.boot, tick)
        // Not the ledger's stretches: the sample that follows may cover the same time.
        let isMarked = givenUp[records.firstName(of: device), default: []].contains { mark in
            key(mark.from.boot, mark.from.tick) <= place && place < key(mark.to.boot, mark.to.tick)
        }
        guard isMarked else { return false }
        guard records.events.contains(where: { $0.event.kind == .plain(.historyFull) }) else {
            throw Broken(words: "samples of \(device) found no place, and no event says so")
        }
        return true
    }

    /// Whether a card lied or rotted later in such a way that it may have lost what it
    /// acknowledged.
    ///
    /// Bit rot may hit anything older; a sync that lied may have been that of a daily checkpoint.
    private func wasBetrayed(_ at: MonotonicInstant) -> Bool {
        records.windows.contains { window in
            guard Self.faithless.contains(window.kind) else { return false }
            let isBefore = at <= window.end.advanced(by: .hours(26))
            guard window.kind == .lyingSync else { return isBefore }
            return isBefore && at >= window.start.advanced(by: .hours(-26))
        }
    }

    private func isExpired(
        _ device: String,
        _ segment: LifeRecords.Segment,
        _ tick: Tick
    ) -> Bool {
        // Far fewer than the smallest ring holds: then nothing may be gone, but for imports.
        let pushed = records.imports.last(where: \.hasOverwritten)
        guard records.samples.count > 200_000 || pushed != nil else { return false }
        guard let oldest = stored?.oldest[records.firstName(of: device)] else {
            let at = segment.bootedAt.advanced(by: .milliseconds(tick.tenths * 100))
            return pushed.map { at <= $0.at } ?? false
        }
        guard let first = records.segments.first(where: { $0.boot == oldest.boot }) else {
            return false
        }
        return segment.bootedAt < first.bootedAt
            || segment.boot == oldest.boot && tick < oldest.tick
    }

    /// Whether a sample had to outlive the end of its process.
    private func isOwed(
        _ sample: LifeRecords.Sample,
        _ segment: LifeRecords.Segment
    ) -> Bool {
        let (start, end) = (sample.at, segment.end)
        guard let open = segment.storeOpenAt, open <= end else { return false }
        // A keeper tries again five minutes after a refusal, and has its window then.
        let slack = world.scenario.lossWindow + .minutes(6)
        guard
            !hasWindow(
                Self.cardTrouble.contains,
                from: start.advanced(by: .zero - slack),
                to: end
            )
        else { return false }
        // A mirror that is refused at the next start holds nothing of the process before either.
        let isMirrored = !hasWindow(
            { $0 == .mirrorRefused },
            from: segment.start,
            to: end.advanced(by: Life.restartPause)
        )
        if segment.ending.isOrderly || (!segment.ending.losesPages && isMirrored) { return true }
        // No process writes while the machine is suspended.
        let asleep = records.windows.filter { $0.kind == .suspend }.reduce(Duration.zero) {
            let (from, to) = (max($1.start, start), min($1.end, end))
            return from < to ? $0 + from.duration(to: to) : $0
        }
        return start.advanced(by: world.scenario.lossWindow + .seconds(15) + asleep) <= end
    }

    // MARK: P3

    /// Faults during which no process runs, or only until the next hang.
    private static let standstills: Set<FaultKind> = [.suspend, .freeze, .longFreeze, .boardHang]
    /// Longest opening in simulated time, the card's stalls included, and in processor time.
    private static let openingMax: Duration = .seconds(2)

    private func theStoreAlwaysOpens() throws -> Int {
        _ = try history()
        var count = 0
        for segment in records.segments {
            let soon = segment.start.advanced(by: .seconds(10))
            guard segment.end > soon,
                !hasWindow(
                    { Self.cardTrouble.contains($0) || Self.standstills.contains($0) },
                    from: segment.start.advanced(by: .minutes(-6)),
                    to: soon
                )
            else { continue }
            guard let open = segment.storeOpenAt else {
                throw Broken(words: "after the start of \(text(segment.start)) no store opened")
            }
            guard segment.start.duration(to: open) <= Self.openingMax else {
                throw Broken(words: "the store opened \(text(open)), late")
            }
            if let took = segment.openingTime, took > Self.openingMax {
                throw Broken(words: "the store took \(took) to open at \(text(segment.start))")
            }
            count += 1
        }
        guard !hasWindow(Self.faithless.contains, from: .boot, to: world.end) else { return count }
        for heard in records.events where heard.event.source == "store" {
            let isLoss =
                heard.event.kind == .plain(.historySetAside)
                || heard.event.kind == .plain(.storeDamaged)
            guard !isLoss || hasWindow(Self.isReportable, from: .boot, to: heard.at) else {
                throw Broken(words: "\(heard.event.kind.name) at \(text(heard.at))")
            }
        }
        return count
    }
}

extension World {
    /// Reads the journal's blocks that wait at the end because the history has no place for them.
    fileprivate func journalTail() throws -> HistoryTail {
        let size = card.byteCounts["journal.ring"] ?? 0
        guard size > 0 else { return HistoryTail() }
        let reader = try HistoryReader(path: "\(card.folder)/history.db")
        let storage = try PowerCutBlockStorage(
            path: "\(card.folder)/journal.ring",
            blockSize: StoreConfiguration.blockSize,
            blockCount: size / StoreConfiguration.blockSize
        )
        let journal = try Journal(storage, reusableUpTo: try reader.cursor())
        return journal.tail(after: try reader.cursor(), try reader.newestPlace())
    }
}
