import Core
import TestSupport

@testable import Store
@testable import StoreQueries

/// A history of one dust sensor, as the journal would hand it over.
package final class QueryFixture {
    package static let stream = StreamDescription(
        id: StreamID(1),
        device: "dust",
        quantities: [.pm25, .pm10]
    )

    /// One boot: samples at an interval, and when it began.
    package struct Boot {
        package var started: String
        package var minutes: Int
        package var intervalSeconds: Int64 = 60
        /// Minutes without a sample, from when the ledger finds gaps.
        package var silent: [Range<Int>] = []
        /// Minutes whose values are marked as humid.
        package var humid: [Range<Int>] = []
        package var events: [(minute: Int, kind: EventKind.Plain, severity: EventSeverity)] = []
        /// Motions of a sensor: when they begin, and how long they are; nil where none ended.
        package var motions: [(source: String, second: Int64, length: Int64?)] = []
        package var isDated = true
        /// Blocks of other devices, in the order of time.
        package var others: [[JournalRecord]] = []

        package init(
            started: String,
            minutes: Int,
            intervalSeconds: Int64 = 60,
            silent: [Range<Int>] = [],
            events: [(minute: Int, kind: EventKind.Plain, severity: EventSeverity)] = []
        ) {
            (self.started, self.minutes) = (started, minutes)
            (self.intervalSeconds, self.silent, self.events) = (intervalSeconds, silent, events)
        }
    }

    private let folder: TestFolder
    package let reader: HistoryReader
    package let times: StoreTimes
    /// Path of the store.
    package var path: String { folder.path }

    /// - Parameters:
    ///   - boots: Oldest first.
    ///   - value: The value in tenths, by seconds since the boot.
    /// - Throws: What the store or the folder throws.
    package init(_ boots: [Boot], value: (Int64) -> Int64 = { _ in 100 }) throws {
        folder = try TestFolder(isInMemory: true)
        let path = folder.path("history.db")
        let (history, _) = try HistoryFile.open(path: path, plan: StorePlan(.megabytes(4)))
        var sequence: UInt64 = 0
        for (number, boot) in boots.enumerated() {
            let id = BootID(bytes: Array(repeating: UInt8(number + 1), count: 16))
            for records in Self.records(boot, id, value) {
                sequence += 1
                try history.append([
                    JournalBlock(
                        sequence: sequence,
                        boot: id,
                        payload: JournalRecordCodec.encode(records)
                    )
                ])
            }
        }
        try history.close()
        reader = try HistoryReader(path: path)
        times = try StoreTimes(reader)
    }

    package func channel(_ name: String = "dust/pm25") throws -> StoreChannel {
        guard let found = try StoreChannel(name, in: reader) else { throw Missing(name: name) }
        return found
    }

    package static func wall(_ text: String) -> WallTime {
        WallTime(iso8601: text) ?? WallTime(nanoseconds: 0)
    }

    package static func range(_ from: String, _ to: String) -> TimeRange {
        TimeRange(from: wall(from), to: wall(to))
    }

    private struct Missing: Error { let name: String }

    private static func motion(
        _ source: String,
        _ second: Int64,
        _ length: Int64?
    ) -> [JournalRecord] {
        let begin = Event(
            at: Tick(tenths: second * 10).instant,
            source: source,
            kind: .motion,
            severity: .info
        )
        guard let length else { return [.event(begin)] }
        let end = Event(
            at: Tick(tenths: (second + length) * 10).instant,
            source: source,
            kind: .motionEnded,
            ["seconds": "\(length)"]
        )
        return [.event(begin), .event(end)]
    }

    private static func records(
        _ boot: Boot,
        _ id: BootID,
        _ value: (Int64) -> Int64
    ) -> [[JournalRecord]] {
        let interval = boot.intervalSeconds
        var first: [JournalRecord] = [
            .started(at: Tick(tenths: 0), version: "1"), .stream(stream),
            .schedule(stream.id, from: Tick(tenths: 0), interval: .seconds(interval)),
        ]
        if boot.isDated {
            let wall = wall(boot.started)
            let anchor = ClockAnchor(
                boot: id,
                tick: Tick(tenths: 0),
                wall: wall,
                isTrusted: true
            )
            first.append(.anchor(anchor))
        }
        first += boot.events.map { event in
            .event(
                Event(
                    at: Tick(tenths: Int64(event.minute) * 600).instant,
                    source: "dust",
                    kind: .plain(event.kind),
                    severity: event.severity
                )
            )
        }
        first += boot.motions.flatMap(Self.motion)
        var blocks = [first]
        var second: Int64 = 0
        while second < Int64(boot.minutes) * 60 {
            // A segment of a day at most.
            let end = min(second + 86_400, Int64(boot.minutes) * 60)
            var encoder = SegmentEncoder(
                decimals: [1, 1],
                startingAt: Tick(tenths: second * 10)
            )
            var count = 0
            while second < end {
                if !boot.silent.contains(where: { $0.contains(Int(second / 60)) }) {
                    let isHumid = boot.humid.contains { $0.contains(Int(second / 60)) }
                    let quality: Quality = isHumid ? .humid : []
                    let outcome = Outcome.value(FixedPoint(value(second), decimals: 1), quality)
                    encoder.append(Tick(tenths: second * 10), [outcome, outcome])
                    count += 1
                }
                second += interval
            }
            if count > 0 {
                blocks.append([.samples(stream.id, segment: encoder.finished())])
            }
        }
        return blocks + boot.others
    }

    /// A boot of three hours in which `attic`, a later stream, takes the place of `dust` after one.
    package static func boot(followedFrom started: String) -> Boot {
        let attic = StreamDescription(
            id: StreamID(2),
            device: "attic",
            quantities: stream.quantities
        )
        let hour: Int64 = 36_000
        var encoder = SegmentEncoder(decimals: [1, 1], startingAt: Tick(tenths: hour))
        for minute in 60..<Int64(180) {
            let outcome = Outcome.value(FixedPoint(minute, decimals: 1))
            encoder.append(Tick(tenths: minute * 600), [outcome, outcome])
        }
        var boot = Boot(started: started, minutes: 180, silent: [60..<180])
        boot.others = [
            [.schedule(stream.id, from: Tick(tenths: hour), interval: nil), .stream(attic)],
            [.schedule(attic.id, from: Tick(tenths: hour), interval: .seconds(60))],
            [.samples(attic.id, segment: encoder.finished())],
        ]
        return boot
    }
}
