import Core
import Synchronization

/// What the history says of fresh air at CO₂ sensors, read at most once an hour.
final class FreshAirHistory: Sendable {
    private static let pause: Duration = .hours(1)
    /// Time to the next try after one that found no sure clock or no value.
    private static let patience: Duration = .minutes(5)

    private struct State {
        var dueAt = MonotonicInstant.boot
        var answeredAt = MonotonicInstant.boot
        var answer = FreshAirQuery.Answer()
    }

    private let state = Mutex(State())

    init() {}

    /// Facts by device, of the last answer: who asks waits for no card.
    func facts(at now: MonotonicInstant) -> [String: [Fact]] {
        state.withLock { state in
            guard let wall = state.answer.wall else { return [:] }
            let present = wall.advanced(by: state.answeredAt.duration(to: now))
            return state.answer.devices.mapValues { $0.facts(at: present) }
        }
    }

    /// Reads the history if that is due and there is a CO₂ sensor; the last answer stays where it
    /// cannot be read, which is a fault of its own.
    func renew(_ store: OpenStore, _ context: StationContext) async {
        guard context.recorder.channels.contains(where: { FreshAir.measures($0.channel) }) else {
            return
        }
        let now = context.clock.now
        let isDue = state.withLock { state in
            guard state.dueAt <= now else { return false }
            state.dueAt = now.advanced(by: Self.patience)
            return true
        }
        guard isDue else { return }
        do {
            let answer = try await store.freshAir(FreshAirQuery(boot: context.bootID, now: now))
            guard answer.wall != nil, !answer.devices.isEmpty else { return }
            state.withLock { state in
                (state.answer, state.answeredAt) = (answer, now)
                state.dueAt = now.advanced(by: Self.pause)
            }
        } catch {
            // Asked again after a while.
        }
    }
}
