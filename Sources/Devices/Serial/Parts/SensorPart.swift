import Core
import HardwareIO

/// Ways in which any part on a serial line can misbehave, whatever it measures.
package enum SensorFault: String, Hashable, Sendable, CaseIterable {
    /// Obeys and sends nothing.
    case silence
    /// Hears nothing.
    case deaf
    /// Junk before everything it sends.
    case garbage
    /// Everything it sends comes in two pieces, 100 ms apart.
    case splitFrames = "split-frames"
    /// One bit of every second message is wrong.
    case flippedBits = "flipped-bits"
    /// Noise at 9 600 baud instead of what it would say, heads of its own frames among it.
    case babble
}

package typealias SensorFaultWindow = FaultWindow<SensorFault>

/// Any simulated part on the end of a line, with what can go wrong between it and the host.
///
/// Its own clock begins when it is powered, so a part of the catalog may be plugged in at any time.
package struct SensorPart: SerialPeer {
    package private(set) var peer: any SerialPeer
    private let poweredAt: MonotonicInstant
    private var faults: [SensorFaultWindow]
    private var generator: SplitMix64
    private var output: OutgoingBytes
    private var said: [UInt8] = []  // The first 16 bytes it ever said: heads for its babble.
    private var utteranceCount = 0
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
        output = OutgoingBytes(startingAt: now)
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
        return [own, output.nextDeparture, output.nextBabble(in: babbles)].compactMap(\.self).min()
    }

    package mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
        var sent = advance(to: now)
        heardByteCount += bytes.count
        if !isActive(.deaf, at: now) { say(peer.receive(bytes, at: age(now)), at: now) }
        sent += output.departures(by: now)
        return sent
    }

    package mutating func advance(to now: MonotonicInstant) -> [UInt8] {
        let head = said.first ?? 0x42
        output.babble(until: now, in: babbles, head: head, using: &generator)
        say(peer.advance(to: age(now)), at: now)
        return output.departures(by: now)
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
        if isActive(.garbage, at: now) { bytes = OutgoingBytes.junk + bytes }
        guard isActive(.splitFrames, at: now) else { return output.add(bytes, at: now) }
        output.addSplit(bytes, at: now, using: &generator)
    }

    private var babbles: [SensorFaultWindow] { faults.filter { $0.fault == .babble } }
}
