import ControlProtocol
import Core
import Feeds
import Store
import StoreQueries
import Supervision

/// Fetches the values of one service, and hands them to the station.
///
/// The station knows each value by its source, series and time, so what is fetched twice is kept
/// once: this task remembers nothing over a restart, and reads in the history since when it asks.
package actor FeedTask: Child {
    /// What it works with.
    struct World: Sendable {
        let link: any StationLink
        let network: any CourierNetwork
        let secrets: any SecretSource
        let clock: any NodeClock
        let seed: UInt64
        /// Nil asks from the present on.
        var history: (any HistoryAccess)?
    }

    /// How it stands, for reports.
    package struct Standing: Hashable, Sendable {
        package var trouble: DeliveryReason?
        package var isHeld = false
        package var lastFetch: MonotonicInstant?
        package var next: MonotonicInstant
        package var counts = FeedCounts()
        /// Where its series belong to; sorted by their names.
        package var places: [FeedPlace] = []
    }

    /// After a failure it is tried again within these, doubled each time.
    private static let retries: ClosedRange<Duration> = .seconds(30) ... .seconds(600)
    /// Not all stations ask at the same second.
    private static let spread: Duration = .seconds(300)
    /// Pages of one turn; the next turn goes on behind them.
    private static let pageLimit = 100
    /// So many requests of a turn go at once, further ones apart: data.gov.sg takes six in 10 s.
    private static let burst = 2
    private static let apart: Duration = .seconds(3)
    private static let grace: Duration = .seconds(900)

    private let entry: FeedEntry
    private let world: World
    private let heartbeat: Heartbeat
    private var random: SplitMix64
    private var failureCount = 0
    private var lastValues: WallTime?
    /// What the server said of a page, so that it need not send it again, and what follows it.
    private var marks: [String: Mark] = [:]
    /// Pages of earlier days that were taken in a turn that ended early.
    private var passed: Set<String> = []
    /// Where a turn stopped at `pageLimit`, by the first page.
    private var rest: [String: String] = [:]
    package private(set) var standing: Standing
    private let wakeUp = Signal()

    init(_ entry: FeedEntry, in world: World, heartbeat: Heartbeat) {
        (self.entry, self.world, self.heartbeat) = (entry, world, heartbeat)
        random = SplitMix64(seed: world.seed)
        standing = Standing(next: world.clock.now)
    }

    package func run() async throws {
        while !Task.isCancelled {
            heartbeat.beat(nextWithin: entry.period + Self.spread + Self.grace)
            let wait = try await turn()
            let next = world.clock.now.advanced(by: wait)
            standing.next = next
            _ = try await world.clock.wait(for: wakeUp, until: next, tolerance: .seconds(10))
        }
    }

    /// Asks now.
    package func wake() { wakeUp.raise() }

    /// - Returns: The time until the next turn.
    private func turn() async throws -> Duration {
        do {
            try await fetchAll()
            (standing.trouble, standing.isHeld, failureCount) = (nil, false, 0)
            try await locate()
            return entry.period + Self.spread * part()
        } catch let trouble as FeedTrouble {
            (standing.trouble, standing.isHeld) = (trouble.reason, trouble.isHeld)
            failureCount += 1
            // A page that is refused for good is not asked for again.
            if trouble.isHeld { rest = [:] }
            guard !trouble.isHeld else { return max(entry.period, .seconds(3_600)) }
            let doubled = Self.retries.lowerBound * Double(1 << min(failureCount - 1, 8))
            let wait = min(doubled, Self.retries.upperBound) * (0.5 + part() / 2)
            return max(wait, .seconds(trouble.afterSeconds ?? 0))
        }
    }

    /// In [0, 1).
    private func part() -> Double { Double(random.next() >> 11) / Double(1 << 53) }

    // MARK: One turn

    private func fetchAll() async throws {
        let now = try await time()
        if lastValues == nil { lastValues = try await newest() }
        let paths = entry.kind.paths(at: now, since: lastValues)
        guard !paths.isEmpty || entry.kind.wantsNothing else {
            throw FeedTrouble("no-clock", "the station does not know what time it is")
        }
        // What is asked for each time may have changed since a turn that ended early.
        let present = Set(entry.kind.paths(at: now, since: now))
        var round = Round()
        for first in rest.keys.sorted() + paths where !passed.contains(first) {
            try await take(from: first, &round)
            if !present.contains(first), rest[first] == nil { passed.insert(first) }
        }
        passed = []
        // Pages of other days are not asked for again.
        if marks.count > Self.pageLimit { marks = [:] }
        standing.counts.omitted = round.omitted
        if let now, let lastValues {
            standing.counts.missedDays += entry.kind.missedDays(at: now, since: lastValues)
        }
        standing.lastFetch = world.clock.now
        lastValues = now
    }

    /// What one turn has done.
    private struct Round {
        var requestCount = 0
        var omitted = 0
    }

    /// Takes a page and those that follow it.
    private func take(from first: String, _ round: inout Round) async throws {
        var path = rest[first] ?? first
        while round.requestCount < Self.pageLimit {
            heartbeat.beat(nextWithin: Self.grace)
            if round.requestCount >= Self.burst {
                try await world.clock.sleep(for: Self.apart, tolerance: .seconds(1))
            }
            round.requestCount += 1
            let next: String?
            if let page = try await fetch(path) {
                try await hand(over: page.rows.rows)
                marks[path] = page.mark
                take(page.rows.places)
                round.omitted += page.rows.omittedCount
                next = page.rows.next
            } else {
                next = marks[path]?.next
            }
            guard let next else {
                rest[first] = nil
                return
            }
            path = entry.kind.path(first, continuedBy: next)
        }
        rest[first] = path
    }

    /// Asks where the stations are, once a process.
    ///
    /// Without that the values are worth as much: the trouble is said, and it is asked again in the
    /// next turn.
    private func locate() async throws {
        guard standing.places.isEmpty, let path = entry.kind.registryPath else { return }
        do {
            take(try await fetch(path)?.rows.places ?? [])
        } catch let trouble as FeedTrouble {
            let words = "where the stations are is not known: \(trouble.reason.words)"
            standing.trouble = DeliveryReason(trouble.reason.code, words)
        }
    }

    private func take(_ places: [FeedPlace]) {
        var known = Dictionary(standing.places.map { ($0.series, $0) }) { $1 }
        for place in places { known[place.series] = place }
        standing.places = Array(
            known.values.sorted { $0.series < $1.series }.prefix(FeedRows.placesMax)
        )
    }

    /// When the newest value is that the station has of this service; nil for none.
    private func newest() async throws -> WallTime? {
        let prefix = entry.kind.source + ":"
        do {
            return try await world.history?.read { reader, times in
                let streams = try reader.streams()
                    .filter { $0.id.isImported && $0.device.hasPrefix(prefix) }
                return try streams.compactMap { stream in
                    try StoreExtent(reader, times, of: stream.id).newest?.wall
                }
                .max()
            } ?? nil
        } catch let error where !(error is CancellationError) {
            throw FeedTrouble("station", "the history cannot be read: \(error)")
        }
    }

    private func time() async throws -> WallTime? {
        do {
            let report = try await world.link.ask(ControlRequest(.clock), ClockReport.self)
            return report.isSure ? report.time.flatMap { WallTime(iso8601: $0) } : nil
        } catch let error where !(error is CancellationError) {
            throw FeedTrouble("station", "the station does not answer: \(error)")
        }
    }

    private struct Mark {
        let fields: [OutboundRequest.Field]
        let next: String?
    }

    private struct Page {
        let rows: FeedRows
        let mark: Mark
    }

    /// nil: nothing has changed since.
    private func fetch(_ path: String) async throws -> Page? {
        var request = OutboundRequest(.get, MaskedText(entry.url + path), try fields())
        request.fields += marks[path]?.fields ?? []
        request.trust = entry.trust
        request.answerLimit = FeedRows.byteCountMax
        let answer: OutboundAnswer
        do { answer = try await world.network.exchange(request) } catch let error as NetworkFailure
        {
            throw FeedTrouble(DeliveryJudge.judge(error))
        }
        if answer.status == 304, marks[path] != nil { return nil }
        guard answer.isSuccess, !answer.isHTML else {
            throw FeedTrouble(DeliveryJudge.judge(answer))
        }
        do {
            let rows = try entry.kind.decode(answer.body, of: path)
            return Page(rows: rows, mark: Mark(fields: Self.marks(answer), next: rows.next))
        } catch { throw FeedTrouble(error, DeliveryJudge.retryAfter(answer)) }
    }

    private static func marks(_ answer: OutboundAnswer) -> [OutboundRequest.Field] {
        if let tag = answer.fields["etag"], tag.utf8.count <= 200 {
            return [.init("If-None-Match", MaskedText(tag))]
        }
        guard let date = answer.fields["last-modified"], date.utf8.count <= 64 else { return [] }
        return [.init("If-Modified-Since", MaskedText(date))]
    }

    private func fields() throws -> [OutboundRequest.Field] {
        let accept = OutboundRequest.Field("Accept", "application/json")
        do throws(SecretError) {
            switch entry.kind {
            case .arpa(_, let token?):
                return [accept, .init("X-App-Token", "\(try world.secrets.secret(token))")]
            case .peer(_, _, let token?):
                let value: MaskedText = "Bearer \(try world.secrets.secret(token))"
                return [accept, .init("Authorization", value)]
            default: return [accept]
            }
        } catch { throw FeedTrouble("secret", "\(error)", isHeld: true) }
    }

    private func hand(over rows: [ImportRow]) async throws {
        for batch in FeedBatches.split(rows) {
            let report: ImportsReport
            do {
                report = try await world.link.ask(.imports(batch), ImportsReport.self)
            } catch let failure as ControlFailure {
                throw FeedTrouble(failure.code, "the station: \(failure.message)")
            } catch let error where !(error is CancellationError) {
                throw FeedTrouble("station", "the station does not answer: \(error)")
            }
            standing.counts.add(report)
        }
    }
}

/// Why a turn of a feed ended early.
private struct FeedTrouble: Error {
    let reason: DeliveryReason
    var isHeld = false
    var afterSeconds: Int?

    init(_ code: String, _ words: String, isHeld: Bool = false) {
        (reason, self.isHeld) = (DeliveryReason(code, words), isHeld)
    }

    init(_ outcome: DeliveryOutcome) {
        switch outcome {
        case .hold(let reason), .refused(let reason): (self.reason, isHeld) = (reason, true)
        case .later(let reason, let seconds): (self.reason, afterSeconds) = (reason, seconds)
        case .unknown(let reason), .foreign(let reason): self.reason = reason
        case .delivered, .partly: reason = DeliveryReason("foreign", "no answer of a feed")
        }
    }

    init(_ fault: FeedFault, _ afterSeconds: Int?) {
        self.afterSeconds = afterSeconds
        switch fault {
        case .busy: reason = DeliveryReason("busy", fault.message)
        case .refused: reason = DeliveryReason("refused", fault.message)
        case .tooLarge, .notJSON, .shape: reason = DeliveryReason("foreign", fault.message)
        }
    }
}
