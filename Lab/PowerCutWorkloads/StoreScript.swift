import Core
import Store

/// The script of a station for some hours of virtual time, the same for every run with one seed.
///
/// Sixteen channels of noise every 16.7 s, so that three days wrap the smallest ring there is, and
/// two of dust every five minutes; a payload every 600 s, the loss window; a checkpoint every six
/// hours, each second one while an export is reading; a value of another program every second
/// hour; a new setting after every ninth hour, a restart in order and a crash in turn after every
/// twelfth, the crash with another boot; and once a new version, which migrates the history.
struct StoreScript: Sendable {
    enum Step {
        case append(Int)
        case checkpoint
        case set(Int)
        /// A value of another program's series, each an hour after the one before.
        case merge(Int)
        case restart
        case crash
        case upgrade
        case beginExport
        case endExport
    }

    struct Payload {
        let boot: BootID
        let bytes: [UInt8]
        let samples: [StreamID: [BootSample]]
        let event: BootEvent
        /// When a run of the node began with it.
        let started: Tick?
        /// Seconds of wall time at its end.
        let wallSeconds: Int64
    }

    static let streams = [
        StreamDescription(
            id: StreamID(1),
            device: "noise",
            quantities: [Quantity](repeating: .pm25, count: 16)
        ),
        StreamDescription(id: StreamID(2), device: "balcony", quantities: [.pm25, .pm10]),
    ]
    static let intervals: [Int64] = [167, 3_000]
    private static let recoveryBoot: UInt8 = 250
    private static let windowTenths: Int64 = 6_000
    private static let windowsPerHour = 6
    /// Seconds from one boot to the next.
    private static let offSeconds: Int64 = 60
    private static let firstWallSeconds: Int64 = 1_790_000_000

    private(set) var steps: [Step] = []
    private(set) var payloads: [Payload] = []
    private var dice: SplitMix64
    private var bootNumber: UInt8 = 1
    private var bootedAt = Self.firstWallSeconds
    private var tick: Int64 = 0
    private var nextTicks = Self.intervals
    private var level: Int64 = 120
    private var startsRun = true

    init(hours: Int, seed: UInt64) {
        dice = SplitMix64(seed: seed)
        var merges = 0
        let isShort = hours < 12
        let upgradeHour = isShort ? hours - 2 : hours * 5 / 9
        var settings = 0
        for window in 1...hours * Self.windowsPerHour {
            let hour = window / Self.windowsPerHour
            let isFull = window % Self.windowsPerHour == 0
            // Off the checkpoints, so that blocks wait in the journal.
            let isRestart = isFull && (hour % 12 == 3)
            payloads.append(payload(stops: isRestart))
            startsRun = false
            steps.append(.append(payloads.count - 1))
            guard isFull else { continue }
            if hour % 12 == 5 || isShort && hour == 3 { steps.append(.beginExport) }
            if hour % 6 == 0 || isShort && hour % 2 == 0 { steps.append(.checkpoint) }
            if hour % 12 == 7 || isShort && hour == 5 { steps.append(.endExport) }
            if hour == upgradeHour { steps.append(.upgrade) }
            if hour % 9 == 1 {
                steps.append(.set(settings))
                settings += 1
            }
            if hour % 2 == 1 {
                steps.append(.merge(merges))
                merges += 1
            }
            if isRestart { steps.append(.restart) }
            let isCrash = hour % 12 == 9 || isShort && hour == 5
            if isCrash {
                steps.append(.crash)
                bootNumber += 1
                bootedAt = payloads[payloads.count - 1].wallSeconds + Self.offSeconds
                (tick, nextTicks) = (0, Self.intervals)
            }
            startsRun = isRestart || isCrash || hour == upgradeHour
        }
    }

    static let imported = "elsewhere:west"

    /// The values of `merge`: each is its number.
    static func imported(_ number: Int) -> ImportedSample {
        ImportedSample(
            source: imported,
            wall: WallTime(seconds: Int(firstWallSeconds) + number * 3_600),
            values: [.init(.pm25, FixedPoint(Int64(number), decimals: 1))]
        )
    }

    /// Returns the first payload that a node writes when the power is back after `count` payloads.
    ///
    /// - Parameters:
    ///   - number: 1, or 2 when the power went again during the recovery.
    /// - Returns: A payload of a boot of its own, an hour later than what was before.
    func recovery(after count: Int, number: Int = 1) -> Payload {
        var script = self
        script.bootNumber = Self.recoveryBoot + UInt8(number)
        // An hour later; also than the payload that may be there unacknowledged.
        let last = payloads.prefix(count + 1).last?.wallSeconds ?? Self.firstWallSeconds
        script.bootedAt = last + 3_600 * Int64(2 * number - 1)
        (script.tick, script.nextTicks, script.startsRun) = (0, Self.intervals, true)
        script.dice = SplitMix64(seed: UInt64(count))
        return script.payload(stops: false)
    }

    private mutating func payload(stops: Bool) -> Payload {
        let (begin, boot) = (tick, BootID(bytes: [UInt8](repeating: bootNumber, count: 16)))
        tick += Self.windowTenths
        var records = startsRun ? Self.start(boot, begin, wall: bootedAt + begin / 10) : []
        var samples: [StreamID: [BootSample]] = [:]
        for index in Self.streams.indices {
            let found = rows(of: index, boot)
            samples[Self.streams[index].id] = found.samples
            records.append(.samples(Self.streams[index].id, segment: found.segment))
        }
        let event = Event(
            at: MonotonicInstant(nanoseconds: begin * 100_000_000),
            source: "script",
            kind: .other("window"),
            ["number": "\(payloads.count)"]
        )
        records.append(.event(event))
        records.append(.cursor(cursor))
        if stops { records.append(.stopped(at: Tick(tenths: tick))) }
        return Payload(
            boot: boot,
            bytes: JournalRecordCodec.encode(records),
            samples: samples,
            event: BootEvent(boot: boot, event: event),
            started: startsRun ? Tick(tenths: begin) : nil,
            wallSeconds: bootedAt + tick / 10
        )
    }

    /// The cursor that a follower left with this payload; after a cut it is another follower.
    private var cursor: StoreCursor {
        let name = bootNumber < Self.recoveryBoot ? Self.follower : "after the cut"
        return StoreCursor(name: name, blob: Self.blob(payloads.count))
    }

    static let follower = "follower"

    static func blob(_ number: Int) -> [UInt8] { Array("\(number)".utf8) }

    private static func start(_ boot: BootID, _ begin: Int64, wall: Int64) -> [JournalRecord] {
        var records: [JournalRecord] = [.started(at: Tick(tenths: begin), version: "1.0")]
        for (stream, interval) in zip(streams, intervals) {
            records.append(.stream(stream))
            records.append(
                .schedule(
                    stream.id,
                    from: Tick(tenths: begin),
                    interval: .milliseconds(interval * 100)
                )
            )
        }
        let anchor = ClockAnchor(
            boot: boot,
            tick: Tick(tenths: begin),
            wall: WallTime(nanoseconds: wall * 1_000_000_000),
            isTrusted: true
        )
        return records + [.anchor(anchor)]
    }

    private mutating func rows(
        of index: Int,
        _ boot: BootID
    ) -> (samples: [BootSample], segment: [UInt8]) {
        let stream = Self.streams[index]
        var samples: [BootSample] = []
        var encoder = SegmentEncoder(
            decimals: stream.quantities.map(\.decimals),
            startingAt: Tick(tenths: nextTicks[index])
        )
        while nextTicks[index] <= tick {
            let at = Tick(tenths: nextTicks[index])
            let outcomes = stream.quantities.map { _ -> Outcome in
                level = max(5, level + Int64.random(in: -3...3, using: &dice))
                let mantissa = index == 0 ? Int64.random(in: 0..<1 << 35, using: &dice) : level
                return .value(FixedPoint(mantissa, decimals: 1))
            }
            encoder.append(at, outcomes)
            samples.append(BootSample(boot: boot, tick: at, outcomes: outcomes))
            nextTicks[index] += Self.intervals[index]
        }
        return (samples, encoder.finished())
    }
}
