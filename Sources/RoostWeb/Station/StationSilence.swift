import NIOCore
import Synchronization

/// Whether the station answered last.
///
/// It is shared by all requests, so that a station that hangs delays only one of them.
package final class StationSilence: Sendable {
    package enum Absence: Hashable, Sendable {
        /// Nothing listens at its socket.
        case down
        /// Something listens there and does not answer.
        case hung
    }

    /// Time for which a station that hangs is not asked again.
    static let pause = TimeAmount.seconds(15)

    private struct State {
        var absence: Absence?
        var since = NIODeadline.uptimeNanoseconds(0)
        var until = NIODeadline.uptimeNanoseconds(0)
    }

    private let state = Mutex(State())

    package init() {}

    /// The kind and start of its silence; nil while it answers.
    package func absence(at now: NIODeadline) -> (kind: Absence, seconds: Double)? {
        state.withLock { state in
            guard let kind = state.absence else { return nil }
            return (kind, Double((now - state.since).nanoseconds) / 1e9)
        }
    }

    /// Whether a question now would only wait.
    func isPausing(at now: NIODeadline) -> Bool {
        state.withLock { $0.absence == .hung && now < $0.until }
    }

    /// It did not answer a question that was asked at `asked`.
    package func record(_ absence: Absence, asked: NIODeadline, at now: NIODeadline) {
        state.withLock { state in
            if state.absence != absence { state.since = asked }
            (state.absence, state.until) = (absence, now + Self.pause)
        }
    }

    package func answered() { state.withLock { $0.absence = nil } }
}
