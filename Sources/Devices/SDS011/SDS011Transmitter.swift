import Core

/// The sending side of a simulated SDS011: what leaves when, and which fault spoils it.
struct SDS011Transmitter: Sendable {
    /// Longer than a host waits for a reply.
    static let lateness: Duration = .milliseconds(1_500)
    /// Stray bytes seen in the field after a wake, and noise at a wrong baud rate.
    ///
    /// - Source: lewapek/sds-dust-sensors-arduino-library#6; `frames.json`.
    static let strayWake: [UInt8] = [0xAD, 0x50, 0x10, 0x5E, 0xDD]
    static let wrongRate: [UInt8] = [
        0x98, 0xE6, 0x00, 0x98, 0x80, 0x00, 0x9E, 0x80, 0x00, 0x80,
    ]

    var faults: [SDS011FaultWindow]
    private(set) var faultCounts: [SDS011Fault: Int] = [:]
    var hasStrayWakeBehind = false
    private var output: OutgoingBytes
    private var heldBack: [UInt8]?
    private var generator = SplitMix64(seed: 11)
    private var frameCount = 0

    init(faults: [SDS011FaultWindow], startingAt now: MonotonicInstant) {
        self.faults = faults
        output = OutgoingBytes(startingAt: now)
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
        output.clear()
        heldBack = nil
        hasStrayWakeBehind = false
    }

    var nextDeparture: MonotonicInstant? { output.nextDeparture }

    private var babbles: [SDS011FaultWindow] { faults.filter { $0.fault == .babble } }

    var nextBabble: MonotonicInstant? { output.nextBabble(in: babbles) }

    mutating func departures(by now: MonotonicInstant) -> [UInt8] { output.departures(by: now) }

    mutating func babble(until now: MonotonicInstant) {
        let head = SDS011Frame.head
        let count = output.babble(until: now, in: babbles, head: head, using: &generator)
        if count > 0 { faultCounts[.babble, default: 0] += count }
    }

    mutating func sendStrayWake(at now: MonotonicInstant) {
        hasStrayWakeBehind = true
        output.add(Self.strayWake, at: now)
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
        if fires(.wrongRate, at: now) { return output.add(Self.wrongRate, at: now) }
        var bytes = frame.bytes
        if fires(.wrongID, at: now) { bytes = frame.fromAnotherID.bytes }
        if frameCount.isMultiple(of: 2), fires(.flippedBits, at: now) {
            let random = generator.next()
            bytes[Int(random % 10)] ^= 1 << UInt8(random >> 32 & 7)
        }
        if fires(.garbage, at: now) { bytes = OutgoingBytes.junk + bytes }
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
            output.addSplit(bytes, at: departure, using: &generator)
        } else {
            output.add(bytes, at: departure)
        }
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
