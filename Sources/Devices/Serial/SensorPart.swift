import Core
import HardwareIO

/// Ways in which any part on a serial line can misbehave, whatever it measures.
package enum SensorFault: String, Hashable, Sendable, CaseIterable {
    /// Obeys and says nothing.
    case silence
    /// Hears nothing.
    case deaf
    /// Junk before everything it says.
    case garbage
    /// All it says comes in two pieces, 100 ms apart.
    case splitFrames = "split-frames"
    /// One bit of every second thing it says is wrong.
    case flippedBits = "flipped-bits"
    /// Noise at 9 600 baud instead of what it would say, heads of its own frames among it.
    case babble
}

/// A fault and the time in which it shows.
package struct SensorFaultWindow: Hashable, Sendable {
    package let fault: SensorFault
    package let start: MonotonicInstant
    /// The first instant without it; nil means for ever.
    package let end: MonotonicInstant?

    package init(
        _ fault: SensorFault,
        from start: MonotonicInstant = .boot,
        to end: MonotonicInstant? = nil
    ) {
        self.fault = fault
        self.start = start
        self.end = end
    }

    func contains(_ instant: MonotonicInstant) -> Bool {
        instant >= start && end.map { instant < $0 } ?? true
    }
}

/// Any simulated part on the end of a line, with what can go wrong between it and the host.
///
/// Its own clock begins when it is powered, so a part of the catalog may be plugged in at any time.
package struct SensorPart: SerialPeer {
    /// Between the pieces of what is split.
    static let splitGap: Duration = .milliseconds(100)
    /// 96 bytes in 100 ms are 9 600 baud.
    static let babbleStep: Duration = .milliseconds(100)
    static let babbleByteCount = 96
    static let junk: [UInt8] = [0x4D, 0x28, 0x10, 0x92, 0xFA]
    /// Pieces that wait to leave; the oldest go first when there are more.
    private static let queueMax = 256

    package private(set) var peer: any SerialPeer
    private let poweredAt: MonotonicInstant
    private var faults: [SensorFaultWindow]
    private var generator: SplitMix64
    private var queue: [(departure: MonotonicInstant, bytes: [UInt8])] = []
    private var said: [UInt8] = []  // The first 16 bytes it ever said: heads for its babble.
    private var utteranceCount = 0
    private var babbledUntil: MonotonicInstant
    /// Bytes that the host has sent, whether the part heard them or not.
    package private(set) var heardByteCount = 0

    /// A part powered at an instant.
    package init(
        _ peer: any SerialPeer,
        poweredAt now: MonotonicInstant = .boot,
        faults: [SensorFaultWindow] = [],
        seed: UInt64 = 1
    ) {
        self.peer = peer
        self.faults = faults
        poweredAt = now
        babbledUntil = now
        generator = SplitMix64(seed: seed)
    }

    /// Adds a fault window; several may be open at a time.
    package mutating func inject(_ window: SensorFaultWindow) { faults.append(window) }

    /// Ends every fault, and forgets those that are over.
    package mutating func clearFaults() { faults.removeAll() }

    package var nextActivity: MonotonicInstant? {
        let own = peer.nextActivity.map { next in
            poweredAt.advanced(by: MonotonicInstant.boot.duration(to: next))
        }
        return [own, queue.map(\.departure).min(), nextBabble].compactMap(\.self).min()
    }

    package mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
        var sent = advance(to: now)
        heardByteCount += bytes.count
        if !isActive(.deaf, at: now) { say(peer.receive(bytes, at: age(now)), at: now) }
        sent += departures(by: now)
        return sent
    }

    package mutating func advance(to now: MonotonicInstant) -> [UInt8] {
        babble(until: now)
        say(peer.advance(to: age(now)), at: now)
        return departures(by: now)
    }

    private func age(_ now: MonotonicInstant) -> MonotonicInstant {
        .boot.advanced(by: poweredAt.duration(to: now))
    }

    private func isActive(_ fault: SensorFault, at now: MonotonicInstant) -> Bool {
        faults.contains { $0.fault == fault && $0.contains(now) }
    }

    private mutating func say(_ original: [UInt8], at now: MonotonicInstant) {
        guard !original.isEmpty else { return }
        if said.isEmpty { said = Array(original.prefix(16)) }
        utteranceCount += 1
        guard !isActive(.silence, at: now), !isActive(.babble, at: now) else { return }
        var bytes = original
        if utteranceCount.isMultiple(of: 2), isActive(.flippedBits, at: now) {
            let random = generator.next()
            bytes[Int(random % UInt64(bytes.count))] ^= 1 << UInt8(random >> 32 & 7)
        }
        if isActive(.garbage, at: now) { bytes = Self.junk + bytes }
        guard isActive(.splitFrames, at: now), bytes.count > 1 else {
            return depart(bytes, at: now)
        }
        let cut = 1 + Int(generator.next() % UInt64(bytes.count - 1))
        depart(Array(bytes[..<cut]), at: now)
        depart(Array(bytes[cut...]), at: now.advanced(by: Self.splitGap))
    }

    private var nextBabble: MonotonicInstant? {
        faults.filter { $0.fault == .babble }
            .map { max($0.start, babbledUntil.advanced(by: Self.babbleStep)) }
            .filter { next in isActive(.babble, at: next) }
            .min()
    }

    private mutating func babble(until now: MonotonicInstant) {
        while let next = nextBabble, next <= now {
            // Not further back than a second: a tty would have dropped it.
            babbledUntil = max(next, now.advanced(by: .seconds(-1)))
            guard isActive(.babble, at: babbledUntil) else { return }
            let noise = (0..<Self.babbleByteCount).map { index in
                index % 16 == 0
                    ? said.first ?? 0x42 : UInt8(truncatingIfNeeded: generator.next())
            }
            depart(noise, at: babbledUntil)
        }
    }

    private mutating func depart(_ bytes: [UInt8], at departure: MonotonicInstant) {
        if queue.count >= Self.queueMax { queue.removeFirst() }
        queue.append((departure, bytes))
    }

    private mutating func departures(by now: MonotonicInstant) -> [UInt8] {
        guard !queue.isEmpty else { return [] }
        let due = queue.filter { $0.departure <= now }.flatMap(\.bytes)
        queue.removeAll { $0.departure <= now }
        return due
    }
}
