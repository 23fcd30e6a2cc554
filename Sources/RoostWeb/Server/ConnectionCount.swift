import NIOCore
import Synchronization

/// Closes connections beyond a bound, and beyond a quarter of it from one address.
final class ConnectionCount: Sendable {
    private let limit: Int
    private let counts = Mutex<[String: Int]>([:])

    init(limit: Int) { self.limit = limit }

    func admit(_ channel: any Channel) {
        let address = channel.remoteAddress?.ipAddress ?? ""
        let isAdmitted = counts.withLock { counts in
            let all = counts.values.reduce(0, +)
            let own = counts[address, default: 0]
            guard all < limit, own < max(1, limit / 4) else { return false }
            counts[address] = own + 1
            return true
        }
        guard isAdmitted else { return channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in
            self.counts.withLock { counts in
                let left = counts[address, default: 1] - 1
                counts[address] = left > 0 ? left : nil
            }
        }
    }
}
