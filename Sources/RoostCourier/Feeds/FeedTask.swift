import ControlProtocol
import Core
import Runtime
import Store
import StoreQueries

/// Fetches the values of one service, and hands them to the station.
///
/// The station knows each value by its source, series and time, so a value that is fetched twice is
/// kept once: this task keeps nothing over a restart, and reads in the history where to begin. A
/// part (`FeedPart`) that fails does not delay the others.
actor FeedTask: DeliveryTask {
    /// Dependencies of a feed task.
    struct World: Sendable {
        let link: any QuestionClient
        let network: any CourierNetwork
        let secrets: any SecretSource
        let clock: any NodeClock
        let seed: UInt64
        /// The station's history; without it, fetching starts at the present.
        var history: (any HistoryAccess)?
    }

    /// State of the feed, for reports.
    struct Standing: Hashable, Sendable {
        var delivery = DeliveryStanding()
        var counts = FeedCounts()
        /// Places of the series, sorted by name.
        var places: [FeedLocation] = []
    }

    /// Wait after a failure, doubled each time within these bounds.
    private static let retries: ClosedRange<Duration> = .seconds(30) ... .seconds(600)
    /// Random spread, so that not all stations ask at the same second.
    private static let spread: Duration = .seconds(300)
    /// Pages of one turn, shared by its parts; the next turn goes on after them.
    private static let pageLimit = 100
    /// Bytes of a place's name; a place with a longer one is on no map.
    private static let placeNameMax = 200
    /// Requests of a turn that go at once; later ones are spaced: data.gov.sg takes six in 10 s.
    private static let burst = 2
    private static let apart: Duration = .seconds(3)
    private static let grace: Duration = .seconds(900)

    private let entry: FeedEntry
    private let world: World
    private var random: SplitMix64
    private var failureCount = 0
    /// Time of the last turn; nil while it was unknown.
    private var askedAt: WallTime?
    /// Progress of each part; empty until the history was read.
    private var progress: [FeedPart: FeedProgress] = [:]
    /// Validators (`ETag`, date) and next page of each page fetched, by path.
    ///
    /// Bound: `pageLimit`, then all are dropped.
    private var marks: [String: Mark] = [:]
    /// Whether the registry answered.
    private var isLocated = false
    /// Sensors that are skipped, with the reason.
    private var differing: [String: String] = [:]
    private(set) var standing = Standing()
    private let wakeUp = Signal()
    private let loop: DeliveryLoop
    private var isWoken = false

    init(_ entry: FeedEntry, in world: World, heartbeat: Heartbeat) {
        (self.entry, self.world) = (entry, world)
        random = SplitMix64(seed: world.seed)
        let promise = entry.period + Self.spread + Self.grace
        loop = DeliveryLoop(heartbeat: heartbeat, clock: world.clock, promise: promise)
        standing.delivery.nextTry = world.clock.now
    }

    func run() async throws {
        try await loop.run(turn, rest: rest) { standing.delivery.sourceTrouble = $0 }
    }

    private func turn() async throws -> MonotonicInstant? {
        let wait = try await fetchDue()
        let next = world.clock.now.advanced(by: wait)
        standing.delivery.nextTry = next
        return next
    }

    private func rest(until next: MonotonicInstant) async throws {
        isWoken = try await world.clock.wait(for: wakeUp, until: next, tolerance: .seconds(10))
    }

    /// Begins a turn now.
    func wake(within time: Duration = .zero) { wakeUp.raise() }

    func fill(_ report: inout OutboxReport) {
        standing.delivery.fill(&report, at: world.clock.now)
        if report.code == FeedTrouble.unfinished.reason.code { report.state = .waiting }
        (report.values, report.places) = (standing.counts, standing.places)
    }

    /// - Returns: The time until the next turn.
    private func fetchDue() async throws -> Duration {
        let regular = entry.period + Self.spread * part()
        do {
            let doubt = try await locate() ?? difference
            let wentWell = try await fetchAll(isWoken)
            let troubles = entry.kind.parts.compactMap { progress[$0]?.trouble }
            guard let first = troubles.first(where: { !$0.isHeld }) ?? troubles.first else {
                standing.delivery.set(doubt ?? silence, isHeld: false)
                failureCount = 0
                return regular
            }
            let wait = fail(first, isHeld: first.isHeld && !wentWell)
            // After a failure of one server, the other parts are still asked in time.
            guard wentWell else { return wait }
            guard !first.isHeld else {
                failureCount = 0
                return regular
            }
            return min(wait, regular)
        } catch let trouble as FeedTrouble {
            return fail(trouble, isHeld: trouble.isHeld)
        }
    }

    /// - Returns: The time until the next try.
    private func fail(_ trouble: FeedTrouble, isHeld: Bool) -> Duration {
        standing.delivery.set(trouble.reason, isHeld: isHeld)
        failureCount += 1
        guard !isHeld else { return max(entry.period, .seconds(3_600)) }
        let doubled = Self.retries.lowerBound * Double(1 << min(failureCount - 1, 8))
        let wait = min(doubled, Self.retries.upperBound) * (0.5 + part() / 2)
        return max(wait, .seconds(trouble.afterSeconds ?? 0))
    }

    /// Returns a random number in [0, 1).
    private func part() -> Double { Double(random.next() >> 11) / Double(1 << 53) }

    // MARK: One turn

    /// Fetches each part that is due.
    ///
    /// - Returns: Whether one of them went well.
    /// - Throws: `FeedTrouble` where none can go well; that of one part is in its progress.
    private func fetchAll(_ isWoken: Bool) async throws -> Bool {
        // A retry fetches only parts that failed, and parts that became due.
        if isWoken || failureCount == 0 {
            for part in progress.keys { progress[part]?.begin(isWoken: isWoken) }
        }
        let (now, parts) = (try await time(), entry.kind.parts)
        askedAt = now
        if progress.isEmpty, !parts.isEmpty { try await readHistory() }
        guard now != nil || parts.isEmpty || entry.kind.asksByDay else {
            throw FeedTrouble("no-clock", "the station does not know what time it is")
        }
        let due = parts.filter {
            progress[$0]?.isDue(at: world.clock.now, every: entry.period) ?? true
        }
        var round = Round()
        for (index, part) in due.enumerated() {
            let share = max(1, (Self.pageLimit - round.requestCount) / (due.count - index))
            round.end = round.requestCount + share
            do {
                try await fetch(part, at: now, &round)
            } catch let trouble as FeedTrouble where trouble.isOfPart {
                let named = parts.count > 1 ? trouble.of(part) : trouble
                progress[part]?.fail(named, at: world.clock.now)
            }
        }
        if !due.isEmpty { standing.counts.omitted = round.omitted }
        standing.counts.missedDays = progress.values.map(\.missedDays).max() ?? 0
        let wentWell = parts.isEmpty || parts.contains { progress[$0]?.trouble == nil }
        if wentWell { standing.delivery.lastDelivery = world.clock.now }
        return wentWell
    }

    /// Counts of one turn.
    private struct Round {
        var requestCount = 0
        /// Value of `requestCount` at which the present part stops.
        var end = 0
        var omitted = 0
    }

    /// Fetches a part: the rest of an earlier turn, then the newer values.
    private func fetch(_ part: FeedPart, at now: WallTime?, _ round: inout Round) async throws {
        if let rest = progress[part]?.rest { try await follow(rest, of: part, &round) }
        let paths = entry.kind.paths(of: part, at: now, since: progress[part]?.reach.all)
        // The list of requests may have changed since a turn that ended early.
        let open = Set(entry.kind.paths(of: part, at: now, since: now))
        for first in paths where progress[part]?.passed.contains(first) != true {
            let isOver = entry.kind.asksByDay && !open.contains(first)
            let place = FeedProgress.Place(first: first, path: first, begun: now, isClosed: isOver)
            try await follow(place, of: part, &round)
        }
        let newest = progress[part]?.reach.newest
        let missed = now.flatMap { now in
            newest.map { entry.kind.missedDays(at: now, since: $0) }
        }
        progress[part]?.finish(now, at: world.clock.now, missed: missed ?? 0)
    }

    /// Fetches a page and those that follow it.
    private func follow(
        _ start: FeedProgress.Place,
        of part: FeedPart,
        _ round: inout Round
    ) async throws {
        var (place, tokens) = (start, Set<String>())
        while round.requestCount < round.end {
            loop.heartbeat.beat(nextWithin: Self.grace)
            if round.requestCount >= Self.burst {
                try await world.clock.sleep(for: Self.apart, tolerance: .seconds(1))
            }
            round.requestCount += 1
            let next: String?
            if let page = try await fetch(place.path, of: part) {
                let rows = taken(page.rows.rows, &round)
                try await hand(over: rows)
                let times = rows.lazy.filter { $0.value != nil }.map(\.time)
                if let newest = times.compactMap({ WallTime(iso8601: $0) }).max() {
                    progress[part]?.saw(newest)
                }
                merge(page.rows.places)
                round.omitted += page.rows.omittedCount
                if let fault = page.rows.fault { throw FeedTrouble(fault) }
                if marks.count >= Self.pageLimit { marks = [:] }
                marks[place.path] = page.mark
                next = page.rows.next
            } else {
                next = marks[place.path]?.next
            }
            guard let next else {
                progress[part]?.end(place)
                if !entry.kind.asksByDay { progress[part]?.reached(place.begun) }
                return
            }
            guard tokens.insert(next).inserted else {
                round.omitted += 1
                throw FeedTrouble(.continuation("it leads to the same page again"))
            }
            place.path = entry.kind.path(place.first, continuedBy: next)
        }
        progress[part]?.stop(at: place)
        throw FeedTrouble.unfinished
    }

    /// Returns the rows, except of sensors that the registry describes differently.
    private func taken(_ rows: [ImportRow], _ round: inout Round) -> [ImportRow] {
        guard !differing.isEmpty else { return rows }
        let taken = rows.filter { differing[String($0.series.prefix { $0 != "/" })] == nil }
        round.omitted += rows.count - taken.count
        return taken
    }

    /// Asks the registry where the sensors are and what they measure, once in each process.
    ///
    /// When the registry does not answer, values are fetched all the same: the trouble is reported,
    /// and the registry is asked again in the next turn.
    private func locate() async throws -> DeliveryReason? {
        guard !isLocated, let path = entry.kind.registryPath else { return nil }
        do {
            guard let rows = try await fetch(path, of: nil)?.rows else { return nil }
            merge(rows.places)
            (differing, isLocated) = (rows.differing, true)
            return nil
        } catch let trouble as FeedTrouble {
            let words = "where the stations are is not known: \(trouble.reason.words)"
            return DeliveryReason(trouble.reason.code, words)
        }
    }

    /// Difference between the registry and the configuration; nil where there is none.
    private var difference: DeliveryReason? {
        let words = differing.sorted { $0.key < $1.key }.map(\.value)
        guard let first = words.first else { return nil }
        let others = words.count > 1 ? "\(words.count) sensors differ: " : ""
        return DeliveryReason("sensor", others + first)
    }

    /// The part that gives no values, and since when; nil while every part gives some.
    private var silence: DeliveryReason? {
        let limit = entry.kind.silenceLimit
        return entry.kind.parts.lazy.compactMap { [progress, askedAt] part in
            let known = progress[part] ?? FeedProgress(FeedPart.Reach())
            return known.silence(of: part, longerThan: limit, at: askedAt)
        }.first
    }

    private func merge(_ places: [FeedLocation]) {
        var known = Dictionary(standing.places.map { ($0.series, $0) }) { $1 }
        for place in places where place.name.utf8.count <= Self.placeNameMax {
            guard place.series.utf8.count <= Self.placeNameMax else { continue }
            known[place.series] = place
        }
        standing.places = Array(
            known.values.sorted { $0.series < $1.series }.prefix(FeedRows.placesMax)
        )
    }

    /// Reads from the history how far the station's values of each part reach.
    private func readHistory() async throws {
        let prefix = entry.kind.source + ":"
        let known: [FeedPart.Known]
        do {
            known =
                try await world.history?.read { reader, times in
                    let streams = try reader.streams()
                        .filter { $0.id.isImported && $0.device.hasPrefix(prefix) }
                    return try streams.compactMap { stream in
                        guard let newest = try StoreExtent(reader, times, of: stream.id).newest
                        else { return nil }
                        return FeedPart.Known(
                            device: String(stream.device.dropFirst(prefix.count)),
                            quantities: stream.quantities.map(\.name),
                            newest: newest.wall
                        )
                    }
                } ?? []
        } catch let error where !(error is CancellationError) {
            throw FeedTrouble("station", "the history cannot be read: \(error)")
        }
        for part in entry.kind.parts { progress[part] = FeedProgress(part.reach(in: known)) }
    }

    private func time() async throws -> WallTime? {
        do {
            let report = try await world.link.ask(GetClock())
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

    /// Fetches one page; nil when it has not changed.
    private func fetch(_ path: String, of part: FeedPart?) async throws -> Page? {
        var request = OutboundRequest(.get, MaskedText(entry.url + path), try fields())
        request.fields += marks[path]?.fields ?? []
        request.trust = entry.trust
        request.answerLimit = FeedRows.byteCountMax
        let answer: OutboundAnswer
        do { answer = try await world.network.exchange(request) } catch let error as NetworkFailure
        {
            throw FeedTrouble(error)
        }
        if answer.status == 304, marks[path] != nil { return nil }
        guard answer.isSuccess, !answer.isHTML else {
            throw FeedTrouble(answer)
        }
        do {
            let rows = try entry.kind.decode(answer.body, of: path, part)
            return Page(rows: rows, mark: Mark(fields: Self.marks(answer), next: rows.next))
        } catch { throw FeedTrouble(error, of: answer) }
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
                report = try await world.link.ask(ImportValues(batch))
            } catch let failure as ControlFailure {
                throw FeedTrouble(failure.code.rawValue, "the station: \(failure.message)")
            } catch let error where !(error is CancellationError) {
                throw FeedTrouble("station", "the station does not answer: \(error)")
            }
            standing.counts.add(report)
        }
    }
}
