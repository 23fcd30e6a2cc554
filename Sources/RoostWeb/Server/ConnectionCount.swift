import NIOCore
import Synchronization

/// The count of open connections; `ConnectionShares` decides which are served.
///
/// Those beyond its bound are answered 429; `refusalMax` at a time, more are closed.
final class ConnectionCount: Sendable {
    /// Connections that wait for their refusal, at most; `ConnectionDeadlines` ends each.
    static let refusalMax = 16

    private struct State {
        var refusals = 0
        var shares: ConnectionShares
        /// Channels of the open connections, by number.
        var channels: [Int: any Channel] = [:]
        var last = 0
    }

    private let state: Mutex<State>
    private let isKnown: @Sendable (_ address: String) -> Bool

    init(limit: Int, isKnown: @escaping @Sendable (_ address: String) -> Bool) {
        state = Mutex(State(shares: ConnectionShares(limit: limit)))
        self.isKnown = isKnown
    }

    /// - Returns: Whether it is served; else it is answered that there are too many.
    func admit(_ channel: any Channel) -> Bool {
        let address = channel.remoteAddress?.ipAddress ?? ""
        let isKnown = isKnown(address)
        let (number, closing) = state.withLock { state -> (Int?, (any Channel)?) in
            state.last += 1
            let number = state.last
            switch state.shares.admit(number, from: address, isKnown: isKnown) {
            case .refused:
                state.refusals += 1
                return (nil, state.refusals > Self.refusalMax ? channel : nil)
            case .admitted:
                state.channels[number] = channel
                return (number, nil)
            case .inPlaceOf(let old):
                state.channels[number] = channel
                return (number, state.channels.removeValue(forKey: old))
            }
        }
        closing?.close(promise: nil)
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { state in
                guard let number else {
                    state.refusals -= 1
                    return
                }
                state.shares.end(number)
                state.channels[number] = nil
            }
        }
        return number != nil
    }
}
