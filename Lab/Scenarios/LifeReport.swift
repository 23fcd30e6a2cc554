import Core
import PowerCut
import SQLite
import Store

/// The result of one life: figures, ledger and verdicts.
package struct LifeReport: Codable, Sendable {
    /// Whether a promise was kept.
    package struct Verdict: Codable, Hashable, Sendable {
        /// `P1`…`P11`, `alerts`, `camera`, `cold` or `liveness`.
        package let promise: String
        /// How many things were checked; 0 means that nothing was put to the test.
        package let checkCount: Int
        /// The first counter-example; nil when the promise was kept.
        package let failure: String?
    }

    package let scenario: String
    package let seed: UInt64
    package let days: Double
    let deviceDays: Double
    package internal(set) var sampleCount = 0
    package internal(set) var valueCount = 0
    package internal(set) var eventCount = 0
    package internal(set) var acknowledgedCount = 0
    /// Samples that a card which lied or rotted has lost.
    package internal(set) var betrayedCount = 0
    /// How often the history had no place for a stream, and how often it had places again.
    package internal(set) var fullCount = 0
    package internal(set) var refoundCount = 0
    package internal(set) var processCount = 0
    package internal(set) var bootCount = 0
    /// How processes ended, by name of the cause.
    package internal(set) var endings: [String: Int] = [:]
    package internal(set) var wakeUps = 0
    package internal(set) var cardByteCount = 0
    package internal(set) var cardWriteCount = 0
    package internal(set) var cardSyncCount = 0
    package internal(set) var laserHours = 0.0
    /// Laser time by time with power, of the part that had it on most.
    package internal(set) var laserDuty = 0.0
    /// The same without unavoidable time: while no station ran to command it, after its own start,
    /// and while a person asked for `live`.
    package internal(set) var ownLaserDuty = 0.0
    /// The longest time from the last fault to a sensor's next value.
    package internal(set) var resumedSeconds = 0.0
    /// Seconds of all channels by cause; `covered` is what readings cover.
    package internal(set) var ledger: [String: Double] = [:]
    package internal(set) var plannedFaultCount = 0
    /// How often each kind has shown itself.
    package internal(set) var fired: [String: Int] = [:]
    package internal(set) var logHash = ""
    package internal(set) var verdicts: [Verdict] = []

    package var failures: [Verdict] { verdicts.filter { $0.failure != nil } }

    /// Covered time by elapsed time, all channels together.
    package var availability: Double {
        let moot: [GapCause] = [.notScheduled, .notMeasured]
        let all =
            ledger.values.reduce(0, +)
            - moot.reduce(0) { $0 + ledger[$1.rawValue, default: 0] }
        return all > 0 ? ledger["covered", default: 0] / all : 0
    }

    init(_ world: World, _ life: Life) {
        let records = world.records
        let end = records.segments.last?.end ?? world.end
        scenario = life.scenario.name
        seed = life.order.seed
        days = MonotonicInstant.boot.duration(to: end).inSeconds / 86_400
        deviceDays = days * Double(life.scenario.deviceCount)
        sampleCount = records.samples.count
        valueCount = records.samples.count(where: \.hasValue)
        eventCount = records.events.count
        acknowledgedCount = records.acknowledged.count
        fullCount = records.events.count { $0.event.kind == .plain(.historyFull) }
        refoundCount = records.events.count { $0.event.kind == .plain(.historyHasPlaces) }
        processCount = records.segments.count
        bootCount = Set(records.segments.map(\.boot)).count
        for segment in records.segments { endings[segment.ending.text, default: 0] += 1 }
        wakeUps = records.wakeUps
        let wear = world.card.wear
        (cardByteCount, cardWriteCount) = (wear.byteCount, wear.writeCount)
        cardSyncCount = wear.syncCount
        for part in world.parts where part.isDust {
            let laser = part.laserTime(at: end)
            laserHours += laser.inSeconds / 3_600
            let powered = part.timeWithPower(at: end)
            guard powered > .hours(1) else { continue }
            laserDuty = max(laserDuty, laser / powered)
            let others = part.laserAlone + records.continuousTime
            if powered > others {
                ownLaserDuty = max(ownLaserDuty, (laser - others) / (powered - others))
            }
        }
        plannedFaultCount = world.plannedFaults
        for (kind, count) in records.fired { fired[kind.rawValue, default: 0] += count }
        for part in world.parts {
            for (kind, count) in part.counts { fired[kind.rawValue, default: 0] += count }
        }
        logHash = String(world.log.hash, radix: 16)
        if life.order.planted == .impatientSchedule {
            let path = "\(world.card.folder)/history.db"
            let history = try? Connection(path, mode: .readWrite)
            try? history?.executeScript("UPDATE schedules SET interval = interval / 4")
        }
        var checker = Checker(world)
        verdicts = checker.verdicts()
        ledger = checker.ledgerSeconds
        betrayedCount = checker.betrayedCount
        resumedSeconds = checker.resumedAfter.inSeconds
    }
}

extension LifeEnding {
    /// The report as text, without varying figures.
    var text: String {
        switch self {
        case .finished: "end of the life"
        case .restarted: "restarted in order"
        case .rebooted: "rebooted in order"
        case .poweredOff: "powered off in order"
        case .killed(let kind): "killed: \(kind.rawValue)"
        case .stopTimedOut: "stop timed out"
        case .endedItself: "ended itself"
        case .gaveUp: "gave up"
        case .serviceWatchdog: "systemd's watchdog"
        case .boardWatchdog: "board's watchdog"
        case .powerCut: "power cut"
        }
    }
}
