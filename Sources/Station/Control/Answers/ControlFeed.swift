import ControlProtocol
import Core
import Store

/// Carries out `feed`: what follows the places of a follower, now or when there is something.
struct ControlFeed: Sendable {
    static let waitMax = 600.0
    static let limitMax = 2_000
    private static let limitDefault = 500

    let station: StationContext
    let store: StoreClient
    let clock: ControlClock

    /// Waits until there is an answer, at most as long as the request allows.
    ///
    /// A wait needs one timer, a tenth of its length late at most.
    ///
    /// - Throws: `ControlFailure` `bad-request`, `no-store`; `too-many` when four questions wait.
    func answer(_ request: ControlRequest) async throws -> FeedReport {
        let (wait, condition) = try Self.checked(request)
        let limit = min(max(request.limit ?? Self.limitDefault, 1), Self.limitMax)
        let now = station.clock.now
        let deadline = now.advanced(by: .milliseconds(Int64(wait * 1_000)))
        let waiter = FeedWaiters.Waiter(
            wanted: condition.atLeast,
            hasAge: condition.orAfterSeconds != nil,
            hearsMotions: condition.motions ?? false
        )
        if wait > 0, request.after != nil, !store.desk.add(waiter) {
            throw ControlFailure(
                code: "too-many",
                message: "\(FeedWaiters.waiterLimit) questions wait already; ask without waiting"
            )
        }
        defer { store.desk.remove(waiter) }
        while true {
            let page = try await page(request.after, limit)
            waiter.set(pending: page.sampleCount)
            let now = station.clock.now
            let due = Self.due(page, condition, deadline, now)
            let hasMotion = page.hasMotion && condition.motions ?? false
            if request.after == nil || page.isOutOfTurn || hasMotion || due <= now {
                return report(page)
            }
            _ = try await station.clock.wait(
                for: waiter.signal,
                until: due,
                tolerance: now.duration(to: due) / 10
            )
        }
    }

    /// Instant at which the page is sent even if nothing more comes.
    private static func due(
        _ page: FeedPage,
        _ condition: FeedCondition,
        _ deadline: MonotonicInstant,
        _ now: MonotonicInstant
    ) -> MonotonicInstant {
        if page.sampleCount >= condition.atLeast { return now }
        guard let oldest = page.oldest, let age = condition.orAfterSeconds else { return deadline }
        return min(deadline, oldest.instant.advanced(by: .milliseconds(Int64(age * 1_000))))
    }

    private static func checked(
        _ request: ControlRequest
    ) throws(ControlFailure) -> (wait: Double, FeedCondition) {
        let condition = request.samples ?? FeedCondition()
        let wait = request.waitSeconds ?? 0
        guard (0...waitMax).contains(wait) else {
            throw ControlFailure(code: "bad-request", message: "waitSeconds is 0 to \(waitMax)")
        }
        guard (1...10_000).contains(condition.atLeast),
            condition.orAfterSeconds.map({ (0...86_400).contains($0) }) ?? true
        else {
            throw ControlFailure(
                code: "bad-request",
                message: "samples.atLeast is 1 to 10 000, and samples.orAfterSeconds 0 to 86 400"
            )
        }
        return (wait, condition)
    }

    private func page(_ places: FeedPlaces?, _ limit: Int) async throws -> FeedPage {
        guard let source = try await store.feed() else {
            throw ControlFailure(code: "no-store", message: "no store is open to be followed")
        }
        var page = FeedPage(source, after: places, limit: limit)
        if !page.doubtful.isEmpty {
            page.decide(known: try await store.known(page.doubtful))
        }
        return page
    }

    private func report(_ page: FeedPage) -> FeedReport {
        FeedReport(
            parts: page.part.map { [$0] } ?? [],
            next: page.next,
            state: page.state,
            station: FeedReport.Place(
                folder: store.folder,
                bootID: "\(station.bootID)",
                nowSeconds: station.clock.now.inSeconds,
                clock: clock.report
            )
        )
    }
}
