import Core
import HardwareIO

/// Things behind an adapter that are none of our sensors.
enum Stranger: String, CaseIterable, Sendable {
    case silent
    case gps
    case arduino
    case printer
    case babble

    /// Whether it speaks unasked: nothing may ever be written to such a one.
    var talks: Bool { self == .gps || self == .arduino || self == .babble }

    func peer(seed: UInt64 = 1) -> StrangerPeer { StrangerPeer(self, seed: seed) }
}

struct StrangerPeer: SerialPeer {
    private let kind: Stranger
    private var generator: SplitMix64
    private var count = 0
    private(set) var nextActivity: MonotonicInstant?

    init(_ kind: Stranger, seed: UInt64) {
        self.kind = kind
        generator = SplitMix64(seed: seed)
        nextActivity = kind.talks ? .boot.advanced(by: .milliseconds(400)) : nil
    }

    mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
        kind == .printer ? Array("ok\n".utf8) : []
    }

    mutating func advance(to now: MonotonicInstant) -> [UInt8] {
        var sent: [UInt8] = []
        while let due = nextActivity, due <= now {
            count += 1
            switch kind {
            case .gps:
                sent += Array(
                    "$GPGGA,12351\(count % 10),4807.038,N,01131.000,E,1,08,0.9*47\r\n".utf8
                )
            case .arduino: sent += Array("temp=21.\(count % 10) hum=48\r\n".utf8)
            default: sent += (0..<96).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
            }
            nextActivity = due.advanced(by: .milliseconds(kind == .babble ? 100 : 1_000))
        }
        return sent
    }
}
