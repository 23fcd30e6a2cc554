import Core
import HardwareIO

/// A member of the Plantower family as a pure value.
///
/// Powered, it streams; asleep, it hears nothing but a wake. A PMS3003 takes no commands at all.
///
/// - Source: as in `PlantowerFrame`.
package struct PlantowerSimulator: SerialPeer {
    /// Time from a wake or power-on to the first frame, and from frame to frame in changing air.
    ///
    /// - Source: data manual V2.5, *Output result*: 200 to 800 ms; the first is ours.
    package static let interval: Duration = .milliseconds(800)

    package let variant: PlantowerVariant
    package private(set) var isAsleep = false
    private(set) var isPassive = false
    private var generator: SplitMix64
    private var pm25 = 12
    private var input: [UInt8] = []  // At most the last seven bytes.
    private var next: MonotonicInstant?

    package init(
        _ variant: PlantowerVariant = .pms5003,
        seed: UInt64 = 1,
        poweredAt now: MonotonicInstant = .boot
    ) {
        self.variant = variant
        generator = SplitMix64(seed: seed)
        next = now.advanced(by: Self.interval)
    }

    package var nextActivity: MonotonicInstant? { next }

    package mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
        var sent = advance(to: now)
        guard variant != .pms3003 else { return sent }
        for byte in bytes {
            input = input.suffix(PlantowerCommand.byteCount - 1) + [byte]
            guard let command = PlantowerCommand.allCases.first(where: { $0.bytes == input })
            else { continue }
            sent += obey(command, at: now)
        }
        return sent
    }

    package mutating func advance(to now: MonotonicInstant) -> [UInt8] {
        var sent: [UInt8] = []
        while let due = next, due <= now {
            sent += frame()
            next = due.advanced(by: Self.interval)
        }
        return sent
    }

    private mutating func obey(_ command: PlantowerCommand, at now: MonotonicInstant) -> [UInt8] {
        guard !isAsleep || command == .wake else { return [] }
        switch command {
        case .wake:
            if isAsleep {
                (isAsleep, isPassive) = (false, false)
                next = now.advanced(by: Self.interval)
            }
            return []
        case .sleep:
            (isAsleep, next) = (true, nil)
            return PlantowerFrame.bytes([command.code, command.value])
        case .active:
            if isPassive { next = now.advanced(by: Self.interval) }
            isPassive = false
            return PlantowerFrame.bytes([command.code, command.value])
        case .passive:
            (isPassive, next) = (true, nil)
            return PlantowerFrame.bytes([command.code, command.value])
        case .read: return isPassive ? frame() : []
        }
    }

    private mutating func frame() -> [UInt8] {
        let step = Int.random(in: -2...2, using: &generator)
        pm25 = min(max(pm25 + step, 1), 400)
        let coarse = pm25 + pm25 / 4 + 1
        let masses = [pm25 * 2 / 3, pm25, coarse]
        var words = masses + masses
        if variant == .pms3003 {
            words += [0, 0, 0x51]
        } else {
            let base = pm25 * 180 + Int.random(in: 0..<90, using: &generator)
            words += [base, base * 3 / 10, base / 20, base / 150]
            if variant != .pms5003T { words += [base / 900, base / 2_000] }
            if variant == .pms5003S || variant == .pms5003ST { words.append(8) }
            if variant == .pms5003T || variant == .pms5003ST { words += [215, 458] }
            if variant == .pms5003ST { words.append(0) }
            if variant != .pms5003S { words.append(0x9700) }
        }
        return PlantowerFrame.bytes(
            words.flatMap { [UInt8(($0 >> 8) & 0xFF), UInt8($0 & 0xFF)] }
        )
    }
}
