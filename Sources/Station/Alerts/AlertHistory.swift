import Alerts
import Core
import Store

/// Past data for alerts: means for their averages, and alerts that earlier processes raised.
struct AlertHistory: Sendable {
    /// Query to the store for the past.
    struct Question: Sendable {
        let boot: BootID
        let now: MonotonicInstant
        let timeline: AlertTimeline
        /// From the timeline to seconds since 1970; nil while no clock is known: then earlier boots
        /// have no place on it.
        let shift: Int?
        /// Engine whose rules need averages from the past.
        let engine: AlertEngine
        /// Whether a sure clock dates the earlier boots.
        let isSure: Bool
        /// Whether the events are wanted.
        let wantsEvents: Bool
        /// Whether only events of earlier boots are wanted: this boot's are restored already.
        let isRedating: Bool
        /// Records that no block has yet, oldest first, and the first one's lowest possible number.
        var unwritten: [[UInt8]] = []
        var earliest: UInt64 = 0

        var second: Int { timeline.second(of: now) }
    }

    /// A mean of a channel, over seconds of the timeline.
    struct Mean: Sendable {
        let value: FixedPoint
        let from: Int
        let to: Int
        /// Values that are left out of it.
        let omitted: Int
    }

    /// Events that are looked through for the newest list of what stands.
    private static let eventLimit = 50_000

    /// By channel, oldest first.
    private(set) var means: [Channel: [Mean]] = [:]
    private(set) var past = RestoredAlerts()
    private let question: Question
    var isRedating: Bool { question.isRedating }

    /// Reads it; only on the disk thread.
    ///
    /// - Throws: `StoreError`.
    init(_ question: Question, _ store: StationStore) throws {
        self.question = question
        try store.read { tail in
            for (index, payload) in question.unwritten.enumerated() {
                let earliest = question.earliest + UInt64(index)
                tail.appendUnwritten(payload, boot: question.boot, earliest: earliest)
            }
        } _: { reader in
            let boots = try boots(reader)
            try readMeans(reader, boots)
            if !question.isSure { past.floor = question.timeline.base }
            if question.wantsEvents { try readPast(reader, boots) }
        }
    }

    // MARK: Boots

    /// A boot with a place on the timeline.
    private struct Boot {
        let id: BootID
        var from: Tick
        var to: Tick
        /// The second of its begin.
        let base: Int

        func second(of tick: Tick) -> Int {
            base + Int(tick.tenths).flooredDivision(by: 10).quotient
        }

        /// The part of it that lies between two seconds; nil where there is none.
        func span(_ seconds: Range<Int>) -> HistorySpan? {
            let first = max(from, Tick(tenths: Int64(seconds.lowerBound - base) * 10))
            let last = min(to, Tick(tenths: Int64(seconds.upperBound - base) * 10))
            guard first < last else { return nil }
            return HistorySpan(boot: id, from: first, to: last)
        }
    }

    /// Oldest first; the present one is the last.
    private mutating func boots(_ reader: HistoryReader) throws -> [Boot] {
        let now = Tick(question.now)
        let runs = try NodeRuns.all(in: reader, now: (question.boot, now))
        let clock = ClockAnchors(runs: runs, anchors: try reader.anchors())
        var boots: [Boot] = []
        for run in runs where run.boot != question.boot {
            if let index = boots.firstIndex(where: { $0.id == run.boot }) {
                boots[index].from = min(boots[index].from, run.started)
                boots[index].to = max(boots[index].to, Tick(tenths: run.ended.tenths + 1))
                continue
            }
            guard let shift = question.shift, let wall = clock.time(run.boot, run.ended)?.wall
            else { continue }
            let end = Int(wall.nanoseconds).flooredDivision(by: 1_000_000_000).quotient - shift
            let base = end - Int(run.ended.tenths).flooredDivision(by: 10).quotient
            let to = Tick(tenths: run.ended.tenths + 1)
            boots.append(Boot(id: run.boot, from: run.started, to: to, base: base))
        }
        // The last run is the present one.
        if let last = runs.dropLast().last {
            let base = ([here] + boots).first { $0.id == last.boot }?.base
            past.lastAt = base.map { $0 + Int(last.ended.tenths).flooredDivision(by: 10).quotient }
        }
        return boots + [here]
    }

    private var here: Boot {
        Boot(
            id: question.boot,
            from: Tick(tenths: 0),
            to: Tick(tenths: Tick(question.now).tenths + 1),
            base: question.timeline.base
        )
    }

    // MARK: Means

    private mutating func readMeans(_ reader: HistoryReader, _ boots: [Boot]) throws {
        let now = question.second
        for stream in try reader.streams() where !stream.id.isImported {
            for (index, channel) in stream.channels.enumerated() {
                guard let reach = question.engine.reach(of: channel) else { continue }
                let (minutes, quarters) = (reach.minutes, max(reach.minutes, reach.quarters))
                let ranges: [(RollupTier, Int, Int)] = [
                    (.sixHours, reach.sixHours, quarters), (.quarterHour, reach.quarters, minutes),
                    (.minute, minutes, 0),
                ]
                var found = Gathering(decimals: channel.quantity.decimals)
                for (tier, from, to) in ranges where from > to {
                    let seconds = now - from..<now - to + 1
                    for boot in boots {
                        guard let span = boot.span(seconds) else { continue }
                        try HistorySeries(reader).eachBucket(
                            stream.id,
                            channel: index,
                            [span],
                            of: tier
                        ) { _, tick, bucket in
                            found.add(bucket, from: boot.second(of: tick), tier)
                        }
                    }
                }
                if !found.means.isEmpty { means[channel, default: []] += found.means }
            }
        }
        for channel in means.keys { means[channel]?.sort { $0.from < $1.from } }
    }

    /// Makes means of buckets, one after the other.
    private struct Gathering {
        let decimals: Int
        private(set) var means: [Mean] = []
        private var omitted = 0

        init(decimals: Int) { self.decimals = decimals }

        /// A bucket counts back from its end for as long as its values cover.
        mutating func add(_ bucket: RollupBucket, from start: Int, _ tier: RollupTier) {
            omitted += Int(bucket.omitted)
            guard let mean = bucket.mean, mean.magnitude < 9e17 else { return }
            let end = start + Int(tier.seconds)
            let covered = Int(clamping: bucket.covered / 10)
            let from = max(means.last?.to ?? .min, end - max(covered, 1))
            guard from < end else { return }
            let value = FixedPoint(Int64(mean.rounded()), decimals: decimals)
            means.append(Mean(value: value, from: from, to: end, omitted: omitted))
            omitted = 0
        }
    }

    // MARK: Events

    private mutating func readPast(_ reader: HistoryReader, _ boots: [Boot]) throws {
        let bases = Dictionary(boots.map { ($0.id, $0) }) { $1 }
        let start = question.timeline.base
        var search = Search(
            limit: Self.eventLimit,
            ignored: question.isRedating ? question.boot : nil
        )
        try HistoryEvents(reader).eachFromNewest { search.append($0) }
        for (found, event) in search.events.reversed() {
            let tick = Tick(found.event.instant)
            // An earlier boot that nothing dates ended before this one began.
            let second = bases[found.boot]?.second(of: tick) ?? start
            past.apply(event, at: min(second, question.second))
        }
    }

    /// Searches back for the newest complete list of raised alerts.
    private struct Search {
        let limit: Int
        let ignored: BootID?
        /// Newest first.
        private(set) var events: [(found: BootEvent, event: AlertEvent)] = []
        private var count = 0
        /// Parts of a list that were met, of the same list.
        private var parts: [Int] = []

        init(limit: Int, ignored: BootID?) { (self.limit, self.ignored) = (limit, ignored) }

        mutating func append(_ found: BootEvent) -> Bool {
            count += 1
            guard found.boot != ignored, case .alert(let event) = found.event.kind else {
                return count < limit
            }
            guard case .standing(let standing) = event else {
                events.append((found, event))
                return count < limit
            }
            if standing.part == standing.parts { parts = [] }
            parts.append(standing.part)
            events.append((found, event))
            guard standing.part == 1 else { return count < limit }
            if parts == Array((1...max(standing.parts, 1)).reversed()) { return false }
            // A power cut took some of it: what was before counts, and its own number.
            let isOfList = { (event: AlertEvent) in
                if case .standing = event { true } else { false }
            }
            events.removeAll { isOfList($0.event) }
            parts = []
            return count < limit
        }
    }
}
