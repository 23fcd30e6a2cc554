import ControlProtocol
import Core
import Synchronization

/// Reports on the owner's other stations: those of feeds, and those found on the local network.
///
/// Only people ask: nothing runs while no page is open. The result is kept for `keptFor`, so that
/// many viewers cost as much as one. A station gets a token only where the configuration names its
/// URL: a station that only announces itself gets none.
final class StationFinder: Sendable {
    private static let keptFor: Duration = .seconds(10)
    private static let answerMax = 256 << 10
    private static let timeoutSeconds = 5
    /// Stations that are asked at once: uploads and notices keep two of the four connections.
    private static let atOnce = 2
    /// Time for all questions; stations not asked by then are reported so.
    private static let patience: Duration = .seconds(20)

    let world: CourierDependencies
    let turn: TaskLock
    private let last = Mutex<(report: StationsReport, at: MonotonicInstant)?>(nil)

    init(_ world: CourierDependencies) {
        self.world = world
        turn = TaskLock(world.clock)
    }

    /// A station to ask.
    struct Candidate: Sendable {
        var station: FoundStation
        var token: SecretName?
        var trust = ServerTrust.system
        var isLocal = false
    }

    /// Asks all stations, or returns the result of a moment ago.
    ///
    /// - Returns: Those that answer and those that do not, at most `StationsReport.stationsMax`.
    /// - Throws: `CancellationError`.
    func report(_ configuration: CourierConfiguration) async throws -> StationsReport {
        try await turn.run {
            let now = world.clock.now
            if let last = last.withLock({ $0 }), last.at.duration(to: now) < Self.keptFor {
                return last.report
            }
            let report = try await look(configuration)
            last.withLock { $0 = (report, world.clock.now) }
            return report
        }
    }

    /// Forgets the last result, since the configuration has changed.
    func forget() { last.withLock { $0 = nil } }

    private func look(_ configuration: CourierConfiguration) async throws -> StationsReport {
        let entry = configuration.stations
        let own = await ownStatus()
        let isWanted = entry.isGiven ? entry.isSearching : own?.findsStations ?? false
        var (report, found) = try await search(entry, isWanted: isWanted)
        var candidates = Self.candidates(configuration, found)
        report.omittedCount = max(0, candidates.count - StationsReport.stationsMax)
        candidates = Array(candidates.prefix(StationsReport.stationsMax))
        let proxy = configuration.network.proxy
        let asked = try await ask(candidates, proxy)
        report.items = asked.filter { station in
            guard let own, let facts = station.facts else { return true }
            return (facts.bootID, facts.name) != (own.bootID, own.name)
        }
        return report
    }

    /// Lists the stations to ask: those of feeds first, then those found.
    static func candidates(
        _ configuration: CourierConfiguration,
        _ services: [NetworkService]
    ) -> [Candidate] {
        var found = services
        var candidates = configuration.feeds.compactMap(candidate)
        for (index, candidate) in candidates.enumerated() {
            let known = found.firstIndex { isAt(candidate.station.url, $0) }
            guard let known else { continue }
            candidates[index].station.host = found.remove(at: known).host
        }
        candidates += found.map { service in
            let port = service.port == 80 ? "" : ":\(service.port)"
            let url = "http://\(service.addresses[0])\(port)"
            var station = FoundStation(name: service.name, url: url)
            station.host = service.host
            return Candidate(station: station, isLocal: configuration.stations.isLocal)
        }
        return candidates
    }

    /// Asks some stations at once, those that answered the last time first.
    ///
    /// - Returns: In the order of the candidates.
    private func ask(_ candidates: [Candidate], _ proxy: String?) async throws -> [FoundStation] {
        let known = last.withLock { last in
            Set(last?.report.items.filter { $0.state == .answers }.map(\.url) ?? [])
        }
        let end = world.clock.now.advanced(by: Self.patience)
        let order = candidates.indices.sorted { left, right in
            func rank(_ index: Int) -> Int {
                let station = candidates[index].station
                return station.feed != nil ? 0 : known.contains(station.url) ? 1 : 2
            }
            return (rank(left), left) < (rank(right), right)
        }
        var asked = candidates.map(\.station)
        try await withThrowingTaskGroup(of: (Int, FoundStation).self) { group in
            for (count, index) in order.enumerated() {
                if count >= Self.atOnce, let (done, station) = try await group.next() {
                    asked[done] = station
                }
                guard world.clock.now < end else {
                    let words = "it was not asked: others took too long to answer"
                    (asked[index].state, asked[index].why) = (.silent, words)
                    continue
                }
                group.addTask { (index, try await self.ask(candidates[index], proxy)) }
            }
            for try await (done, station) in group { asked[done] = station }
        }
        return asked
    }

    /// Searches the network for stations, without this station itself.
    func search(_ entry: StationsEntry, isWanted: Bool) async throws
        -> (StationsReport, [NetworkService])
    {
        guard isWanted else { return (StationsReport(.off), []) }
        guard let browser = world.stations else { return (StationsReport(.noProgram), []) }
        do {
            let search = ServiceSearch(browser: browser, allowsLocal: entry.isLocal)
            let (services, own) = try await search.find(AvahiServices.type)
            let others = services.filter { service in
                entry.isLocal || own.isDisjoint(with: service.addresses)
            }
            return (StationsReport(.done), others)
        } catch StationSearchError.noProgram {
            return (StationsReport(.noProgram), [])
        } catch StationSearchError.failed(let words) {
            return (StationsReport(.failed, why: words), [])
        }
    }

    /// Asks this station how it is; nil while it does not answer.
    private func ownStatus() async -> StatusReport? {
        do { return try await world.link.ask(GetStatus()) } catch { return nil }
    }

    private static func candidate(_ entry: FeedEntry) -> Candidate? {
        guard case .peer(let name, _, let token) = entry.kind else { return nil }
        var station = FoundStation(name: name, url: entry.url)
        station.feed = entry.id
        return Candidate(
            station: station,
            token: token,
            trust: entry.trust,
            isLocal: entry.isLocal
        )
    }

    /// Whether a URL of the configuration is the address of a service.
    static func isAt(_ url: String, _ service: NetworkService) -> Bool {
        let isEncrypted = url.hasPrefix("https://")
        let place = url.dropFirst(isEncrypted ? 8 : 7).prefix { $0 != "/" && $0 != "?" }
        let parts = place.split(separator: ":", maxSplits: 1)
        let port = parts.count > 1 ? Int(parts[1]) : isEncrypted ? 443 : 80
        let host = parts.first?.lowercased() ?? ""
        // A station has both ports, and announces the unencrypted one.
        guard port == service.port || isEncrypted else { return false }
        return host == service.host || service.addresses.contains(host)
    }

    private func ask(_ candidate: Candidate, _ proxy: String?) async throws -> FoundStation {
        var station = candidate.station
        do {
            let needs = CourierDependencies.NetworkNeeds(
                allowsLocal: candidate.isLocal,
                proxy: proxy
            )
            let network = TargetNetwork(try world.network(needs))
            var request = OutboundRequest(.get, MaskedText(station.url + "/api/v1/station"))
            request.fields.append(.init("Accept", "application/json"))
            if let token = candidate.token {
                let value: MaskedText = "Bearer \(try world.secrets.secret(token))"
                request.fields.append(.init("Authorization", value))
            }
            request.trust = candidate.trust
            request.timeoutSeconds = Self.timeoutSeconds
            request.answerLimit = Self.answerMax
            let answer = try await network.exchange(request)
            Self.apply(answer, into: &station)
        } catch let failure as NetworkFailure {
            (station.state, station.why) = (.silent, PeerStation.plain(failure.words))
        } catch let error where !(error is CancellationError) {
            (station.state, station.why) = (.silent, "\(error)")
        }
        return station
    }

    private static func apply(_ answer: OutboundAnswer, into station: inout FoundStation) {
        guard answer.status != 401, answer.status != 403 else {
            station.state = .needsToken
            return
        }
        guard answer.isSuccess, !answer.isHTML else {
            station.state = .foreign
            station.why = "it answered \(answer.status)"
            return
        }
        do {
            let facts = try PeerStation.decode(answer.body)
            (station.state, station.facts) = (.answers, facts)
            if !facts.name.isEmpty { station.name = facts.name }
        } catch {
            (station.state, station.why) = (.foreign, answer.line(error.message))
        }
    }
}
