import Readings
import Store

/// What a station does in some hours of a virtual clock, the same for every run with one seed.
///
/// Sixteen channels of noise every 16.7 s, so that three days wrap the smallest ring there is, and
/// two of dust every five minutes; a payload every 600 s, the loss window; a checkpoint every six
/// hours; a new setting after every ninth hour, a restart in order and a crash in turn after every
/// twelfth, the crash with another boot.
package struct StoreScript: Sendable {
    enum Step {
        case append(Int)
        case checkpoint
        case set(Int)
        case restart
        case crash
    }

    struct Payload {
        let boot: BootID
        let bytes: [UInt8]
        let samples: [StreamID: [BootSample]]
        let event: BootEvent
        /// When a run of the node began with it.
        let started: Tick?
        let schedules: Int
        let anchors: Int
    }

    static let streams = [
        StreamDescription(
            id: StreamID(1),
            device: "noise",
            quantities: [Quantity](repeating: .pm25, count: 16)
        ),
        StreamDescription(id: StreamID(2), device: "balcony", quantities: [.pm25, .pm10]),
    ]
    private static let intervals: [Int64] = [167, 3_000]
    private static let windowTenths: Int64 = 6_000
    private static let windowsPerHour = 6

    private(set) var steps: [Step] = []
    private(set) var payloads: [Payload] = []
    private var dice: SplitMix64
    private var bootNumber: UInt8 = 1
    private var tick: Int64 = 0
    private var nextTicks = Self.intervals
    private var level: Int64 = 120
    private var startsRun = true

    package init(hours: Int, seed: UInt64) {
        dice = SplitMix64(seed: seed)
        var settings = 0
        for window in 1...hours * Self.windowsPerHour {
            payloads.append(payload())
            steps.append(.append(payloads.count - 1))
            guard window % Self.windowsPerHour == 0 else { continue }
            let hour = window / Self.windowsPerHour
            if hour % 6 == 0 || hours < 12 && hour % 2 == 0 { steps.append(.checkpoint) }
            if hour % 9 == 1 {
                steps.append(.set(settings))
                settings += 1
            }
            // Off the checkpoints, so that blocks wait in the journal.
            if hour % 12 == 3 { steps.append(.restart) }
            if hour % 12 == 9 || hours < 12 && hour == 5 {
                steps.append(.crash)
                bootNumber += 1
                (tick, nextTicks) = (0, Self.intervals)
            }
            startsRun = [.restart, .crash].contains { $0 == steps.last?.kind }
        }
    }

    private mutating func payload() -> Payload {
        let (begin, boot) = (tick, BootID(bytes: [UInt8](repeating: bootNumber, count: 16)))
        tick += Self.windowTenths
        let wall = WallTime(nanoseconds: (1_790_000_000 + begin / 10) * 1_000_000_000)
        var records: [JournalRecord] = []
        if startsRun {
            records.append(.started(at: Tick(tenths: begin), version: "1.0"))
            for (stream, interval) in zip(Self.streams, Self.intervals) {
                records.append(.stream(stream))
                records.append(
                    .schedule(
                        stream.id,
                        from: Tick(tenths: begin),
                        interval: .milliseconds(interval * 100)
                    )
                )
            }
            records.append(
                .anchor(
                    ClockAnchor(
                        boot: boot,
                        tick: Tick(tenths: begin),
                        wall: wall,
                        isTrusted: true
                    )
                )
            )
        }
        var samples: [StreamID: [BootSample]] = [:]
        for index in Self.streams.indices {
            let found = rows(of: index, boot)
            samples[Self.streams[index].id] = found.samples
            records.append(.samples(Self.streams[index].id, segment: found.segment))
        }
        let event = Event(
            at: MonotonicInstant(nanoseconds: begin * 100_000_000),
            source: "script",
            kind: "window",
            ["number": "\(payloads.count)"]
        )
        records.append(.event(event))
        return Payload(
            boot: boot,
            bytes: JournalRecordCodec.encode(records),
            samples: samples,
            event: BootEvent(boot: boot, event: event),
            started: startsRun ? Tick(tenths: begin) : nil,
            schedules: startsRun ? 2 : 0,
            anchors: startsRun ? 1 : 0
        )
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

extension StoreScript.Step {
    enum Kind { case work, restart, crash }

    var kind: Kind {
        switch self {
        case .append, .checkpoint, .set: .work
        case .restart: .restart
        case .crash: .crash
        }
    }
}
