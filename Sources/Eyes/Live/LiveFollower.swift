import Core
import Glibc

/// One connection that gets the live picture; a frame that it has no room for is left out.
struct LiveFollower {
    /// A peer that takes nothing for so long loses the connection.
    static let stuckMax: Duration = .seconds(10)

    let descriptor: Int32
    /// It has its last message, and is closed behind it.
    private(set) var isEnding = false
    private(set) var isGone = false
    /// What is left of a message that did not fit.
    private var rest: ArraySlice<UInt8> = []
    private var stuckSince: MonotonicInstant?

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    var isWaiting: Bool { !rest.isEmpty }

    /// Sends a frame, if the one before is through.
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

    /// Goes on with what did not fit.
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

    /// Reads what the peer sends, which means nothing, to see that it has closed.
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
