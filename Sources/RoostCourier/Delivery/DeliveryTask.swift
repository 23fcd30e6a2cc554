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
    ///   - turn: One step and the waiting for the next.
    ///   - failed: Receives why a turn failed; nil after one that did not.
    func run(
        isolation: isolated (any Actor)? = #isolation,
        _ turn: () async throws -> Void,
        failed: (String?) -> Void
    ) async throws {
        while !Task.isCancelled {
            heartbeat.beat(nextWithin: promise)
            do {
                try await turn()
                failed(nil)
            } catch let error where !(error is CancellationError) {
                failed("\(error)")
                try await clock.sleep(for: Self.pause, tolerance: Self.tolerance)
            }
        }
    }
}
