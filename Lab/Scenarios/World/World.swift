import Core
import PowerCut
import SimulationKit
import Store

/// All that outlives the process and the boot: parts, card, time, and what will happen.
///
/// Unchecked: one simulation is one thread.
final class World: @unchecked Sendable {
    typealias Action = (Machine) -> Void

    private struct Planned {
        let at: MonotonicInstant
        let number: Int
        let action: Action
    }

    /// 2026-01-01T00:00:00Z.
    static let birth = WallTime(nanoseconds: 1_767_225_600_000_000_000)

    let scenario: Scenario
    let seed: UInt64
    var end: MonotonicInstant
    /// Time from which no fault happens any more.
    let quietFrom: MonotonicInstant
    let parts: [Part]
    let network: WorldNetwork
    let card: LivingCard
    var records = LifeRecords()
    var log = LifeLog()

    // The machine as it was left.
    var mirror: [UInt8] = []
    /// The small files beside the store.
    var settings = SimulatedFolder()
    /// High inputs of the header.
    var highLines: Set<String> = []
    /// When the clock is right again after this boot; nil: not before a person sets it.
    var clockKnownAt: MonotonicInstant? = .boot
    var clockError: Duration = .zero
    /// How long there was no power since the clock was last right: a file's time stamp lacks that.
    var timeOff: Duration = .zero
    /// Time without mains power: its start and its end.
    var batteryUse: (start: MonotonicInstant, end: MonotonicInstant)?
    /// Parts per million from when on.
    var clockSlew: (since: MonotonicInstant, perMillion: Int64)?
    var stalledUntil = MonotonicInstant.boot
    var cutArmed: (model: CardModel, again: Bool)?
    var strangerCount = 0
    var streams: [StreamID: StreamDescription] = [:]
    var follower = WorldFollower()
    /// The server that the courier delivers to.
    let receiver = KeyedReceiver()
    /// The pictures that the camera takes.
    let album = Album()
    var plannedFaults = 0
    var planted: PlantedBug?
    var stopwatch: (() -> MonotonicInstant)?
    /// When each device last gave a value, by its name.
    var lastValueAt: [String: MonotonicInstant] = [:]
    /// Slots of the journal's ring that refuse what is written.
    var badSlots: (first: Int, count: Int)?
    /// The owner has stopped the station to import files.
    var isImportDue = false
    /// The double power cut whose second half has been planned.
    var lastDouble: MonotonicInstant?

    /// Faults that are there now, and perhaps some that are over.
    private var active: [(kind: FaultKind, part: String?, end: MonotonicInstant)] = []
    /// Faults that wait for their moment; as many as are planned, at most.
    private var waiting: [PlannedFault] = []
    private var planned: [Planned] = []  // Sorted, latest first.
    private var plannedCount = 0
    /// Raised when something is planned before all that was planned so far.
    var nextChanged: Signal?

    init(_ scenario: Scenario, seed: UInt64, length: Duration) throws {
        self.scenario = scenario
        self.seed = seed
        end = .boot.advanced(by: length)
        quietFrom = .boot.advanced(by: max(.zero, length - scenario.quiet))
        let weather = Weather(scenario.weather, seed: seed)
        parts = scenario.parts.enumerated().map { number, part in
            Part(part, number: number % 10, weather: weather, seed: seed &+ UInt64(number))
        }
        network = try WorldNetwork(scenario.httpDevices, seed: seed)
        card = try LivingCard(nameDurability: seed % 2 == 0 ? .afterFolderSync : .afterAnySync)
    }

    /// A random value for an instant, independent of earlier events: a life in which a fault is
    /// left out goes on as before.
    func dice(at now: MonotonicInstant) -> SplitMix64 {
        var dice = SplitMix64(seed: seed ^ 0x5EED)
        return SplitMix64(seed: dice.next() ^ UInt64(bitPattern: now.nanoseconds))
    }

    func part(_ name: String?) -> Part? { name.flatMap { name in parts.first { $0.name == name } } }

    var historyTestHooks: HistoryTestHooks {
        HistoryTestHooks(vfs: PowerCutRecording.vfs, streamPlaces: scenario.streamPlaces)
    }

    // MARK: What will happen

    /// Applies an event to the machine that runs then, or runs next.
    func plan(at instant: MonotonicInstant, _ action: @escaping Action) {
        plannedCount += 1
        let new = Planned(at: instant, number: plannedCount, action: action)
        var (low, high) = (0, planned.count)
        while low < high {
            let middle = (low + high) / 2
            if planned[middle].at > instant { low = middle + 1 } else { high = middle }
        }
        planned.insert(new, at: low)
        if low == planned.count - 1 { nextChanged?.raise() }
    }

    /// Drops the plans, which may hold this instance, and the card's files.
    func finish() {
        planned = []
        card.discard()
    }

    var nextPlanned: MonotonicInstant? { planned.last?.at }

    /// Removes and returns the events that are due.
    func takePlanned(by now: MonotonicInstant) -> Action? {
        guard let next = planned.last, next.at <= now else { return nil }
        planned.removeLast()
        return next.action
    }

    // MARK: Faults

    /// Notes that a fault has shown itself.
    func fire(_ kind: FaultKind) { records.fired[kind, default: 0] += 1 }

    func open(_ fault: PlannedFault, at now: MonotonicInstant) {
        log.line("fault \(fault.kind.rawValue) \(fault.part ?? "-")", at: now)
        let end = now.advanced(by: fault.length)
        active.removeAll { $0.end <= now }
        active.append((fault.kind, fault.part, end))
        records.windows.append(
            LifeRecords.Window(kind: fault.kind, part: fault.part, start: now, end: end)
        )
    }

    func isOpen(_ kind: FaultKind, part: String? = nil, at now: MonotonicInstant) -> Bool {
        guard !active.isEmpty else { return false }
        return active.contains {
            $0.kind == kind && $0.end > now && (part == nil || $0.part == part)
        }
    }

    /// Lets a fault wait for its moment; see `FaultKind.waitsForItsMoment`.
    func arm(_ fault: PlannedFault) { waiting.append(fault) }

    /// Whether a fault waits for a moment such as this one; then it begins here.
    func meets(_ kind: FaultKind, part: String? = nil, at now: MonotonicInstant) -> Bool {
        guard !waiting.isEmpty, now < quietFrom,
            let index = waiting.firstIndex(where: { $0.kind == kind && $0.part == part })
        else { return false }
        let fault = waiting.remove(at: index)
        let length = min(fault.length, now.duration(to: quietFrom))
        open(PlannedFault(kind, at: fault.at, for: length, to: part), at: now)
        return true
    }

    /// When the last fault of a kind ends or ended.
    func end(of kind: FaultKind, part: String? = nil) -> MonotonicInstant? {
        records.windows.last { $0.kind == kind && $0.part == part }?.end
    }

    /// Ends a fault whose effect is over, sooner or later than planned.
    func close(_ kind: FaultKind, part: String? = nil, at now: MonotonicInstant) {
        active.removeAll { $0.kind == kind && $0.part == part }
        let index = records.windows.lastIndex { $0.kind == kind && $0.part == part }
        if let index { records.windows[index].end = now }
    }

    // MARK: Time

    /// The machine's wall clock: from a time server, or before that late by as much as a file's
    /// time stamp is; nil while its clock was never set.
    func wallReading(at now: MonotonicInstant) -> WallReading? {
        let said = trueTime(at: now).nanoseconds + error(at: now)
        if let clockKnownAt, clockKnownAt <= now {
            timeOff = .zero
            let bug = planted == .wrongDates ? now.nanoseconds / 1_000 : 0
            return WallReading(WallTime(nanoseconds: said + bug), .synchronised)
        }
        let kept = said - (Self.stampAge + timeOff).wholeNanoseconds
        guard kept >= Self.oldest.nanoseconds else { return nil }
        return WallReading(WallTime(nanoseconds: kept), .fileStamp)
    }

    /// How old the time stamp is that a clock goes on from.
    private static let stampAge = Duration.minutes(40)
    /// 2020: a clock that says less was never set.
    private static let oldest = WallTime(nanoseconds: 1_577_836_800_000_000_000)

    func trueTime(at now: MonotonicInstant) -> WallTime {
        WallTime(nanoseconds: Self.birth.nanoseconds + now.nanoseconds)
    }

    private func error(at now: MonotonicInstant) -> Int64 {
        let slewed = clockSlew.map { slew in
            (now.nanoseconds - slew.since.nanoseconds) / 1_000_000 * slew.perMillion
        }
        return clockError.wholeNanoseconds + (slewed ?? 0) + wrongYear(at: now)
    }

    /// Nanoseconds of a server's wrong year, which outlives a boot of the machine.
    private func wrongYear(at now: MonotonicInstant) -> Int64 {
        let year = Duration.hours(365 * 24).wholeNanoseconds
        return (isOpen(.clockYearAhead, at: now) ? year : 0)
            - (isOpen(.clockYearBack, at: now) ? year : 0)
    }
}
