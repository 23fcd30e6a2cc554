import NIOCore
import Synchronization

/// Closes connections beyond a bound, by what `ConnectionShares` decides.
final class ConnectionCount: Sendable {
    private struct State {
        var shares: ConnectionShares
        /// As many as there are connections.
        var channels: [Int: any Channel] = [:]
        var last = 0
    }

    private let state: Mutex<State>
    private let isKnown: @Sendable (_ address: String) -> Bool

    init(limit: Int, isKnown: @escaping @Sendable (_ address: String) -> Bool) {
        state = Mutex(State(shares: ConnectionShares(limit: limit)))
        self.isKnown = isKnown
    }

    func admit(_ channel: any Channel) {
        let address = channel.remoteAddress?.ipAddress ?? ""
        let isKnown = isKnown(address)
        let (number, closing) = state.withLock { state -> (Int, (any Channel)?) in
            state.last += 1
            let number = state.last
            switch state.shares.admit(number, from: address, isKnown: isKnown) {
            case .refused: return (number, channel)
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
                state.shares.end(number)
                state.channels[number] = nil
            }
        }
    }
}
