import ControlProtocol
import Core
import Store
import StoreQueries
import Synchronization

/// The station's history with its records in memory, opened again when it is old.
actor StationHistory: HistoryAccess {
    /// Time for which an open history is used: files are made of periods that are over.
    private static let freshness: Duration = .seconds(60)

    private let link: any QuestionClient
    private let history: HistoryDisk
    private let clock: any NodeClock
    private let turns: TaskLock
    private var times: StoreTimes?
    private var openedAt: MonotonicInstant?

    /// - Parameters:
    ///   - link: Says what the history's file lacks.
    ///   - clock: Says when it is old.
    init(_ link: any QuestionClient, _ history: HistoryDisk, clock: any NodeClock) {
        (self.link, self.history, self.clock) = (link, history, clock)
        turns = TaskLock(clock)
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (HistoryReader, StoreTimes) throws -> Value
    ) async throws -> Value {
        let times = try await turns.run { try await freshTimes() }
        return try await history.read { try body($0, times) }
    }

    private func freshTimes() async throws -> StoreTimes {
        if let times, let openedAt, openedAt.duration(to: clock.now) < Self.freshness {
            return times
        }
        let link = link
        let tail = try await StationTail { try await link.ask($0) }
        guard let folder = tail.folder else {
            throw StationDown("the station has no store open; see `roost status`")
        }
        try await history.reopen(folder, tail.tail)
        let now = tail.now
        let found = try await history.read { try StoreTimes($0, now: now) }
        (times, openedAt) = (found, clock.now)
        return found
    }
}
