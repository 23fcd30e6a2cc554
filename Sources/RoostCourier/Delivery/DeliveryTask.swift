import ControlProtocol
import Core
import Runtime

/// The task of one connector: it delivers one kind of item, or fetches it.
protocol DeliveryTask: Actor, Child {
    /// Whether it waits for a connection that is not paid by volume, unless its owner allows that.
    nonisolated var canWait: Bool { get }
    /// Whether nothing waits that could go.
    var isDone: Bool { get async }

    /// Ends the waiting: tries at once, or within a time, what waits.
    func wake(within time: Duration)

    /// Writes its state into the report of its connector.
    func fill(_ report: inout OutboxReport)
}

extension DeliveryTask {
    nonisolated var canWait: Bool { true }
    var isDone: Bool { true }
}

/// The loop of every delivery: turn after turn, until cancelled.
///
/// While a turn cannot read the store or ask the station it is tried again: nothing is lost by
/// waiting.
struct DeliveryLoop: Sendable {
    /// Time between two attempts while a turn fails.
    private static let pause: Duration = .seconds(5)
    private static let tolerance: Duration = .seconds(2)

    let heartbeat: Heartbeat
    let clock: any NodeClock
    /// Time within which a turn ends, with its waiting.
    let promise: Duration

    /// - Parameters:
    ///   - turn: One step. Returns how to rest after it; nil when the next one follows at once.
    ///   - rest: Waits for the next step, as the last one said.
    ///   - failed: Receives why a step or a rest failed; nil after a step that did not.
    func run<Rest: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ turn: () async throws -> Rest?,
        rest: (Rest) async throws -> Void,
        failed: (String?) -> Void
    ) async throws {
        while !Task.isCancelled {
            heartbeat.beat(nextWithin: promise)
            do {
                let next = try await turn()
                // Said before the rest, which may last minutes.
                failed(nil)
                if let next { try await rest(next) }
            } catch let error where !(error is CancellationError) {
                failed("\(error)")
                try await clock.sleep(for: Self.pause, tolerance: Self.tolerance)
            }
        }
    }
}

extension DeliveryLoop {
    /// End of a rest of a task that looks for new items by itself.
    struct Deadline: Hashable, Sendable {
        /// Time between two looks.
        private static let lookInterval: Duration = .seconds(300)

        let instant: MonotonicInstant
        /// How late it may be.
        let tolerance: Duration

        /// The next attempt, if it comes before the next look.
        static func first(_ attempt: MonotonicInstant?, at now: MonotonicInstant) -> Deadline {
            let look = now.advanced(by: lookInterval)
            if let attempt, attempt < look {
                return Deadline(instant: attempt, tolerance: .seconds(2))
            }
            return Deadline(instant: look, tolerance: .seconds(20))
        }
    }

    func rest(until deadline: Deadline, unless changed: Signal) async throws {
        let (instant, tolerance) = (deadline.instant, deadline.tolerance)
        _ = try await clock.wait(for: changed, until: instant, tolerance: tolerance)
    }
}
