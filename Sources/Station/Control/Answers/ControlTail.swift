import ControlProtocol
import Core
import Store

/// Carries out `tail`: what the history lacks, or what follows a follower's position, now or when
/// there is something.
struct ControlTail: Sendable {
    private static let limitDefault = 500

    static let badCursor = ControlFailure.badRequest("from is `next` of the page before")

    let station: StationContext
    /// Name of the limits in use.
    let levels: String
    let store: StoreClient

    /// - Throws: `ControlFailure` `bad-request`, `busy` when four questions wait; `StoreError`.
    func answer(_ question: GetTail) async throws -> TailReport {
        let position = question.from.map(StoreTailPosition.init)
        if case .some(.none) = position { throw Self.badCursor }
        if case .records(let process, let number) = position ?? nil {
            return try await follow(question, after: number, of: process)
        }
        // Before the records are read: what comes meanwhile comes twice, and nothing is left out.
        let end = position == nil ? store.tailEnd : nil
        let (parts, next) = try await StoreTail(client: store).page(from: position ?? nil)
        return report(parts, next: next, end: end)
    }

    private func report(
        _ parts: [TailReport.Part],
        next: StoreTailPosition?,
        end: StoreTailPosition? = nil
    ) -> TailReport {
        var report = TailReport(
            folder: store.folder,
            bootID: "\(station.bootID)",
            nowSeconds: station.clock.now.inSeconds,
            parts: parts,
            next: next?.text,
            end: end?.text
        )
        report.levels = levels
        return report
    }

    // MARK: Followers

    /// Waits until there is an answer, at most as long as the question allows.
    ///
    /// A wait needs one timer, a tenth of its length late at most.
    private func follow(
        _ question: GetTail,
        after number: Int,
        of process: StoreTailPosition.Process
    ) async throws -> TailReport {
        let condition = question.samples ?? TailCondition()
        let wait = question.waitSeconds ?? 0
        let limit = min(max(question.limit ?? Self.limitDefault, 1), RecentRecords.limit)
        let deadline = station.clock.now.advanced(by: .milliseconds(Int64(wait * 1_000)))
        let waiter = TailWaiters.Waiter(
            wanted: condition.atLeast,
            hasAge: condition.orAfterSeconds != nil
        )
        if wait > 0, !store.waiters.add(waiter) {
            throw ControlFailure(
                code: .busy,
                message: "\(TailWaiters.waiterLimit) questions wait already; ask without waiting"
            )
        }
        defer { store.waiters.remove(waiter) }
        while true {
            guard let page = store.recent(after: number, of: process, limit: limit) else {
                return report([], next: nil)
            }
            waiter.set(pending: page.sampleCount)
            let now = station.clock.now
            let due = Self.due(page, condition, deadline, now)
            if page.isUrgent || due <= now {
                let payload = JournalRecordCodec.encode(page.records)
                let part = TailReport.Part(bootID: "\(station.bootID)", payload: payload)
                let parts = page.records.isEmpty ? [] : [part]
                return report(parts, next: .records(of: process, after: page.end))
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
        _ page: RecentRecords.Page,
        _ condition: TailCondition,
        _ deadline: MonotonicInstant,
        _ now: MonotonicInstant
    ) -> MonotonicInstant {
        if page.sampleCount >= condition.atLeast { return now }
        guard let oldest = page.oldest, let age = condition.orAfterSeconds else { return deadline }
        return min(deadline, oldest.instant.advanced(by: .milliseconds(Int64(age * 1_000))))
    }
}
