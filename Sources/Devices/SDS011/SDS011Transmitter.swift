import Core

/// The sending side of a simulated SDS011: what leaves when, and which fault spoils it.
struct SDS011Transmitter: Sendable {
    /// Between the pieces of a split frame.
    static let splitGap: Duration = .milliseconds(100)
    /// Longer than a host waits for a reply.
    static let lateness: Duration = .milliseconds(1_500)
    /// 96 bytes in 100 ms are 9 600 baud.
    static let babbleStep: Duration = .milliseconds(100)
    static let babbleByteCount = 96
    /// What wakes and replies brought along in the field, and noise at a wrong rate.
    ///
    /// - Source: lewapek/sds-dust-sensors-arduino-library#6; opendata-stuttgart/
    ///   sensors-software#197; `frames.json`.
    static let strayWake: [UInt8] = [0xAD, 0x50, 0x10, 0x5E, 0xDD]
    static let junk: [UInt8] = [0x4D, 0x28, 0x10, 0x92, 0xFA]
    static let wrongRate: [UInt8] = [
        0x98, 0xE6, 0x00, 0x98, 0x80, 0x00, 0x9E, 0x80, 0x00, 0x80,
    ]
    /// Pieces that wait to leave; the oldest go first when there are more.
    private static let queueMax = 256

    var faults: [SDS011FaultWindow]
    private(set) var faultCounts: [SDS011Fault: Int] = [:]
    var hasStrayWakeBehind = false
    private var queue: [(departure: MonotonicInstant, bytes: [UInt8])] = []
    private var heldBack: [UInt8]?
    private var generator = SplitMix64(seed: 11)
    private var babbledUntil: MonotonicInstant
    private var frameCount = 0

    init(faults: [SDS011FaultWindow], startingAt now: MonotonicInstant) {
        self.faults = faults
        babbledUntil = now
    }

    func isActive(_ fault: SDS011Fault, at now: MonotonicInstant) -> Bool {
        faults.contains { $0.fault == fault && $0.contains(now) }
    }

    /// Whether a fault shows now; if so, counts it.
    mutating func fires(_ fault: SDS011Fault, at now: MonotonicInstant) -> Bool {
        guard isActive(fault, at: now) else { return false }
        faultCounts[fault, default: 0] += 1
        return true
    }

    mutating func clear() {
        queue.removeAll()
        heldBack = nil
        hasStrayWakeBehind = false
    }

    var nextDeparture: MonotonicInstant? { queue.map(\.departure).min() }

    var nextBabble: MonotonicInstant? {
        faults.filter { $0.fault == .babble }
            .map { max($0.start, babbledUntil.advanced(by: Self.babbleStep)) }
            .filter { next in isActive(.babble, at: next) }
            .min()
    }

    mutating func departures(by now: MonotonicInstant) -> [UInt8] {
        guard !queue.isEmpty else { return [] }
        let due = queue.filter { $0.departure <= now }.flatMap(\.bytes)
        queue.removeAll { $0.departure <= now }
        return due
    }

    mutating func babble(until now: MonotonicInstant) {
        while let next = nextBabble, next <= now {
            // Not further back than a second: a tty would have dropped it.
            babbledUntil = max(next, now.advanced(by: .seconds(-1)))
            guard fires(.babble, at: babbledUntil) else { return }
            let noise = (0..<Self.babbleByteCount).map { index in
                index % 16 == 0 ? 0xAA : UInt8(truncatingIfNeeded: generator.next())
            }
            depart(noise, at: babbledUntil)
        }
    }

    mutating func sendStrayWake(at now: MonotonicInstant) {
        hasStrayWakeBehind = true
        depart(Self.strayWake, at: now)
    }

    /// Sends a frame, spoiled by what is wrong at the time.
    mutating func send(_ frame: SDS011Frame, asReply isReply: Bool, at now: MonotonicInstant) {
        frameCount += 1
        guard !fires(.silence, at: now) else { return }
        var isAcknowledgement = false
        if case .reply = frame { isAcknowledgement = true }
        if isAcknowledgement, fires(.noAcknowledgement, at: now) { return }
        // A babbling part has no room for frames.
        if isActive(.babble, at: now) { return }
        if fires(.wrongRate, at: now) { return depart(Self.wrongRate, at: now) }
        var bytes = frame.bytes
        if fires(.wrongID, at: now) { bytes = frame.fromAnotherID.bytes }
        if frameCount.isMultiple(of: 2), fires(.flippedBits, at: now) {
            let random = generator.next()
            bytes[Int(random % 10)] ^= 1 << UInt8(random >> 32 & 7)
        }
        if fires(.garbage, at: now) { bytes = Self.junk + bytes }
        let departure =
            isReply && fires(.lateReply, at: now)
            ? now.advanced(by: Self.lateness) : now
        if isActive(.mergedFrames, at: now) {
            guard isReply || heldBack != nil else {
                heldBack = bytes
                return
            }
            faultCounts[.mergedFrames, default: 0] += 1
            bytes = (heldBack ?? []) + bytes
            heldBack = nil
        }
        if fires(.splitFrames, at: departure) {
            let cut = 1 + Int(generator.next() % UInt64(bytes.count - 1))
            depart(Array(bytes[..<cut]), at: departure)
            depart(Array(bytes[cut...]), at: departure.advanced(by: Self.splitGap))
        } else {
            depart(bytes, at: departure)
        }
    }

    private mutating func depart(_ bytes: [UInt8], at departure: MonotonicInstant) {
        if queue.count >= Self.queueMax { queue.removeFirst() }
        queue.append((departure, bytes))
    }
}

extension SDS011Frame {
    /// The same frame as another part would send it.
    fileprivate var fromAnotherID: SDS011Frame {
        let id = SDS011DeviceID(rawValue: deviceID.rawValue ^ 0x0101)
        return switch self {
        case .measurement(let measurement, _): .measurement(measurement, from: id)
        case .reply(let reply, _): .reply(reply, from: id)
        }
    }
}
