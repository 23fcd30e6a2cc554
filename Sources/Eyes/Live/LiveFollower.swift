import Core
import Glibc

/// One connection that gets the live picture; frames that do not fit into the socket are dropped.
struct LiveFollower {
    /// Time after which a peer that reads nothing is disconnected.
    static let stuckMax: Duration = .seconds(10)

    let descriptor: Int32
    /// Whether the last message was queued: the connection closes after it.
    private(set) var isEnding = false
    private(set) var isGone = false
    /// Unsent rest of a message that did not fit into the socket.
    private var rest: ArraySlice<UInt8> = []
    private var stuckSince: MonotonicInstant?

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    var isWaiting: Bool { !rest.isEmpty }

    /// Sends a frame, if the one before was sent completely.
    mutating func offer(_ message: [UInt8], at now: MonotonicInstant) {
        guard rest.isEmpty, !isEnding, !isGone else { return check(now) }
        rest = message[...]
        flush(at: now)
    }

    /// Sends the last message, whatever waits before it.
    mutating func end(with message: [UInt8], at now: MonotonicInstant) {
        guard !isEnding else { return }
        rest += message
        isEnding = true
        flush(at: now)
    }

    /// Sends more of the rest.
    mutating func flush(at now: MonotonicInstant) {
        while !rest.isEmpty, !isGone {
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count >= 0 else {
                guard errno != EINTR else { continue }
                if errno == EAGAIN { return check(now) }
                isGone = true
                return
            }
            rest.removeFirst(count)
            stuckSince = nil
        }
        if isEnding { isGone = true }
    }

    /// Reads and ignores the peer's bytes, to see that it has closed.
    mutating func listen() {
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { isGone = true }
    }

    private mutating func check(_ now: MonotonicInstant) {
        guard let since = stuckSince else {
            stuckSince = now
            return
        }
        if now >= since.advanced(by: Self.stuckMax) { isGone = true }
    }
}
