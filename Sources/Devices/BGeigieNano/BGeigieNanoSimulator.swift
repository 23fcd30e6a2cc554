import Core
import HardwareIO

/// A bGeigie Nano as a pure value: one line every five seconds, void for the first minute.
package struct BGeigieNanoSimulator: DatedPeer {
    /// Time that its records show at `.boot`; 2026-11-22.
    package var wallAtBoot = WallTime(nanoseconds: 1_795_305_600_000_000_000)

    private var drift: DriftingValue
    private let device: Int
    private let poweredAt: MonotonicInstant
    private var next: MonotonicInstant
    private var total = 0

    package init(seed: UInt64 = 1, poweredAt now: MonotonicInstant = .boot) {
        drift = DriftingValue(seed: seed, start: 34, within: 8...1_100)
        device = 2_000 + Int(seed % 1_000)
        poweredAt = now
        next = now.advanced(by: .seconds(5))
    }

    package var nextActivity: MonotonicInstant? { next }

    package mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] { [] }

    package mutating func advance(to now: MonotonicInstant) -> [UInt8] {
        var sent: [UInt8] = []
        while next <= now {
            sent += line(at: next)
            next = next.advanced(by: .seconds(5))
        }
        return sent
    }

    private mutating func line(at now: MonotonicInstant) -> [UInt8] {
        let rate = drift.next()
        let counts = rate / 12
        total += counts
        let time = wallAtBoot.advanced(by: MonotonicInstant.boot.duration(to: now)).iso8601
        let isCounting = poweredAt.duration(to: now) >= .minutes(1)
        let content =
            "BNRDD,\(device),\(time),\(rate),\(counts),\(total),\(isCounting ? "A" : "V"),"
            + "5147.8081,N,00010.4778,E,79.20,A,10,83"
        let checksum = content.utf8.reduce(0, ^)
        let digits = String(checksum, radix: 16, uppercase: true)
        return Array("$\(content)*\(checksum < 16 ? "0" : "")\(digits)\r\n".utf8)
    }
}
