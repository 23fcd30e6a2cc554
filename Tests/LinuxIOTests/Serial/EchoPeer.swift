import Core
import HardwareIO

/// Device that answers each byte with its complement, and can send bytes unasked.
struct EchoPeer: SerialPeer {
    /// Bytes that it sends unasked, in pieces, and the time between them.
    var pieces: [[UInt8]] = []
    var period: Duration = .milliseconds(1)
    /// Raised when it has said all.
    var silence: Signal?
    private(set) var nextActivity: MonotonicInstant?

    init() {}

    init(says pieces: [[UInt8]], every period: Duration, from start: MonotonicInstant) {
        self.pieces = pieces
        self.period = period
        nextActivity = pieces.isEmpty ? nil : start
    }

    /// Says its pieces once it has been asked, that is, sent anything.
    init(saysWhenAsked pieces: [[UInt8]], every period: Duration) {
        self.pieces = pieces
        self.period = period
    }

    mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
        guard pieces.isEmpty || nextActivity != nil else {
            nextActivity = now.advanced(by: period)
            return []
        }
        return bytes.map { ~$0 }
    }

    mutating func advance(to now: MonotonicInstant) -> [UInt8] {
        guard !pieces.isEmpty, let due = nextActivity else { return [] }
        let piece = pieces.removeFirst()
        nextActivity = pieces.isEmpty ? nil : due.advanced(by: period)
        if pieces.isEmpty { silence?.raise() }
        return piece
    }
}
