import Core
import Synchronization

/// What the history says of fresh air at CO₂ sensors, asked at most once an hour.
final class FreshAirHistory: Sendable {
    private static let pause: Duration = .hours(1)

    private struct State {
        var askedAt: MonotonicInstant?
        var answeredAt: MonotonicInstant?
        var answer = FreshAirQuery.Answer()
    }

    private let state = Mutex(State())

    init() {}

    /// Facts by device; none without a CO₂ sensor, a store or a sure clock.
    ///
    /// The last ones stay where the history cannot be read.
    func facts(_ store: StoreClient) async -> [String: [Fact]] {
        let (context, now) = (store.context, store.context.clock.now)
        guard let opened = store.opened,
            context.recorder.channels.contains(where: { FreshAir.measures($0.channel) })
        else { return [:] }
        let isDue = state.withLock { state in
            if let asked = state.askedAt, asked.duration(to: now) < Self.pause { return false }
            state.askedAt = now
            return true
        }
        if isDue {
            do {
                let query = FreshAirQuery(boot: context.bootID, now: now)
                let answer = try await opened.freshAir(query)
                state.withLock { ($0.answer, $0.answeredAt) = (answer, now) }
            } catch {
                // A history that cannot be read is a fault of its own.
            }
        }
        return state.withLock { state in
            guard let wall = state.answer.wall, let at = state.answeredAt else { return [:] }
            let present = wall.advanced(by: at.duration(to: now))
            return state.answer.devices.mapValues { $0.facts(at: present) }
        }
    }
}
