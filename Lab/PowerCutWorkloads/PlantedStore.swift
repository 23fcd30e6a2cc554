import Core
import Store

/// A store whose ledger has each cause that samples, marks and the ring itself can give.
///
/// Some causes need a life that does not come by itself: a card that stalls for hours, or a ring
/// that has turned. Here each has a stretch of its own, for checks of what explains it.
package struct PlantedStore {
    /// Time between two samples of the second boot, in tenths of a second.
    private static let interval: Int64 = 600
    /// Samples in each stretch of a cause, and among the values after it.
    private static let stretchSamples = 30
    /// Days at one sample a second that fill the ring more than once.
    private static let oldDays = 7
    private static let day: Int64 = 864_000
    private static let started = WallTime(seconds: 1_775_001_600)  // 2026-04-01T00:00:00Z

    private static let stream = StreamDescription(
        id: StreamID(1),
        device: "dust",
        quantities: [.pm25, .pm10]
    )
    private static let boots = [1, 2].map { BootID(bytes: Array(repeating: $0, count: 16)) }

    private let history: History
    private var sequence: UInt64 = 0
    private var now: Int64 = 0
    private var marks: [GapMark] = []

    /// Makes `history.db` in an empty folder.
    ///
    /// - Throws: `StoreError`.
    package static func write(to folder: String) throws {
        let plan = StorePlan(.megabytes(4))
        let (history, _) = try HistoryFile.open(path: folder + "/history.db", plan: plan)
        var store = PlantedStore(history: history)
        try store.turnTheRing()
        try store.liveThroughAll()
        try history.close()
    }

    private init(history: History) { self.history = history }

    /// Writes so many samples that the first are overwritten.
    private mutating func turnTheRing() throws {
        try append(Self.beginning(0, interval: 10, wall: Self.started), 0)
        var random = UInt64(15)
        for _ in 0..<Self.oldDays * 24 {
            var encoder = SegmentEncoder(decimals: [1, 1], startingAt: Tick(tenths: now))
            for _ in 0..<3_600 {
                // Random values, which the codec cannot compress.
                random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let value = Int64(random >> 52)
                encoder.append(Tick(tenths: now), Self.values(value))
                now += 10
            }
            try append([.samples(Self.stream.id, segment: encoder.finished())], 0)
        }
    }

    /// Values, then each cause with values after it.
    private mutating func liveThroughAll() throws {
        let wall = WallTime(tenths: Self.started.tenths + Int64(Self.oldDays) * Self.day + 36_000)
        now = 0
        try append(Self.beginning(1, interval: Self.interval, wall: wall), 1)
        try samples(Self.values(100))
        for reason in NoData.allCases {
            try samples([.noData(reason), .noData(reason)])
            try samples(Self.values(100))
        }
        for cause in [GapCause.cardDropped, .noPlace, .damaged, .suspended] {
            leaveOut(cause)
            try samples(Self.values(100))
        }
        now += Self.interval / 2 + Self.interval / 4  // Late.
        try samples(Self.values(100))
        now += Int64(Self.stretchSamples) * Self.interval  // Unexplained.
        try samples(Self.values(100))
        let end = Tick(tenths: now).instant
        try append(marks.map { .event($0.event(at: end, in: Self.boots[1])) }, 1)
    }

    private mutating func samples(_ outcomes: [Outcome]) throws {
        var encoder = SegmentEncoder(decimals: [1, 1], startingAt: Tick(tenths: now))
        for _ in 0..<Self.stretchSamples {
            encoder.append(Tick(tenths: now), outcomes)
            now += Self.interval
        }
        try append([.samples(Self.stream.id, segment: encoder.finished())], 1)
    }

    private mutating func leaveOut(_ cause: GapCause) {
        // Each sample covers the interval before it.
        let from = GapMark.Place(Self.boots[1], Tick(tenths: now - Self.interval))
        now += Int64(Self.stretchSamples) * Self.interval
        let to = GapMark.Place(Self.boots[1], Tick(tenths: now))
        marks.append(GapMark(cause, of: Self.stream.id, from: from, to: to))
    }

    private mutating func append(_ records: [JournalRecord], _ boot: Int) throws {
        sequence += 1
        try history.append([
            JournalBlock(
                sequence: sequence,
                boot: Self.boots[boot],
                payload: JournalRecordCodec.encode(records)
            )
        ])
    }

    private static func beginning(
        _ boot: Int,
        interval: Int64,
        wall: WallTime
    ) -> [JournalRecord] {
        let start = Tick(tenths: 0)
        let anchor = ClockAnchor(boot: boots[boot], tick: start, wall: wall, isTrusted: true)
        return [
            .started(at: start, version: RoostVersion.text), .stream(stream),
            .schedule(stream.id, from: start, interval: .seconds(interval / 10)), .anchor(anchor),
        ]
    }

    private static func values(_ tenths: Int64) -> [Outcome] {
        let value = Outcome.value(FixedPoint(tenths, decimals: 1), [])
        return [value, value]
    }
}
