import Core
import Devices
import HardwareIO
import Profiles

/// One part and its adapter, as they lie on the bench: they outlive plugs, reboots and power cuts.
///
/// Its instants are those of the world, from the beginning of the life. Unchecked: one simulation
/// is one thread.
final class Part: @unchecked Sendable {
    let name: String
    let profile: Profile
    /// The last digit of all that an SDS011 says.
    let number: Int
    let usb: (vendorID: String, productID: String)
    let serial: String?
    let baud: Int
    private(set) var isPowered = false
    /// Socket that the part is in, or was in first.
    var socket: Int
    var isPlugged = false
    private(set) var poweredTime: Duration = .zero
    /// How often it got power.
    private(set) var powerCount = 0
    /// When its adapter was plugged in; nil for one that was there when the machine started.
    var pluggedAt: MonotonicInstant?
    /// Preheats that the station can know of: one for each time the part got power.
    private(set) var coldTimes: [Range<MonotonicInstant>] = []
    private(set) var counts: [FaultKind: Int] = [:]
    /// No reading of it comes back before then.
    var busHangsUntil = MonotonicInstant.boot

    private static let commonest = (vendorID: "1a86", productID: "7523")

    private let seed: UInt64
    private var dust: SDS011Simulator?
    private var other: SensorPart?
    private var poweredSince = MonotonicInstant.boot
    /// Laser time that was counted while there was no power.
    private var laserExcess: Duration = .zero
    private var laserBefore: Duration = .zero
    /// Laser time in which no process could command it.
    private(set) var laserAlone: Duration = .zero
    /// Laser time at the moment when the last process could command the part.
    private var laserWhenLeft: Duration?
    private var countedFaults: [SDS011Fault: Int] = [:]
    private var windows: [(kind: FaultKind, end: MonotonicInstant)] = []

    init(_ part: Scenario.Part, number: Int, weather: Weather, seed: UInt64) {
        name = part.name
        guard let profile = ProfileCatalog.shipped.profile(part.profile) else {
            preconditionFailure("a scenario names shipped profiles only")
        }
        self.profile = profile
        self.number = number
        let adapters = profile.matches.map { (vendorID: $0.vendorID, productID: $0.productID) }
        // A CH340 where the profile knows it; a receiver has an adapter of its own.
        usb = adapters.first { $0 == Self.commonest } ?? adapters.first ?? Self.commonest
        serial = part.serial
        baud = profile.probe?.bauds.first ?? 9_600
        socket = part.socket
        weeksWrong = part.weeksWrong
        self.seed = seed
        if profile.driver == "sds011" {
            let memory = SDS011Simulator.Memory(
                deviceID: SDS011DeviceID(rawValue: UInt16(0xA100 + number))
            )
            dust = SDS011Simulator(air: weather.air(of: number), memory: memory)
        }
    }

    /// Time from power to the first value that counts.
    var preheat: Duration { profile.preheat }
    private var isSlowToWarm: Bool { profile.driver == "mhz19b" }
    /// Values of its first channel before it is warm, which never come later.
    var coldValues: [Int] {
        let values = MHZ19BSimulator.coldValues
        return isSlowToWarm ? [values.first, values.later] : []
    }

    /// Weeks by which the date of a receiver of positions is wrong.
    private let weeksWrong: Int

    /// Whether it is an SDS011.
    var isDust: Bool { dust != nil }

    // MARK: Power

    /// - Parameters:
    ///   - isSeen: false for a dip of its supply, which no adapter reports.
    func switchOn(at now: MonotonicInstant, isSeen: Bool = true) {
        guard !isPowered else { return }
        isPowered = true
        powerCount += 1
        poweredSince = now
        if isSeen { coldTimes.append(now..<now.advanced(by: preheat)) }
        if dust != nil {
            let before = laserBefore
            dust?.powerCycle(at: now)
            laserExcess = (dust?.laserTime(at: now) ?? .zero) - before
            leaveAlone(at: now)
            return
        }
        guard let peer = otherPeer(at: now) else { return }
        other = SensorPart(peer, poweredAt: now, seed: seed)
    }

    /// A part that needs minutes of power gives wrong values until then; a receiver knows the time.
    private func otherPeer(at now: MonotonicInstant) -> (any SerialPeer)? {
        if isSlowToWarm { return MHZ19BSimulator(seed: seed, coldFor: preheat) }
        let kind = profile.driver.flatMap(DeviceCatalog.kind)
        guard let peer = try? kind?.simulator(profile, seed) else { return nil }
        guard var receiver = peer as? any DatedPeer else { return peer }
        let age = MonotonicInstant.boot.duration(to: now) + Duration.days(7) * weeksWrong
        receiver.wallAtBoot = World.birth.advanced(by: age)
        return receiver
    }

    func switchOff(at now: MonotonicInstant) {
        guard isPowered else { return }
        takeCommand(at: now)
        laserBefore = laserTime(at: now)
        poweredTime += poweredSince.duration(to: now)
        isPowered = false
        windows.removeAll()
        dust?.clearFaults()
        other = nil
    }

    /// How long its laser has been on.
    func laserTime(at now: MonotonicInstant) -> Duration {
        guard let dust, isPowered else { return laserBefore }
        return dust.laserTime(at: now) - laserExcess
    }

    /// Notes that no process commands the part from here on.
    func leaveAlone(at now: MonotonicInstant) {
        laserWhenLeft = laserWhenLeft ?? laserTime(at: now)
    }

    private func takeCommand(at now: MonotonicInstant) {
        guard let before = laserWhenLeft else { return }
        laserAlone += laserTime(at: now) - before
        laserWhenLeft = nil
    }

    func timeWithPower(at now: MonotonicInstant) -> Duration {
        isPowered ? poweredTime + poweredSince.duration(to: now) : poweredTime
    }

    /// Whether its laser is on; false for what has none.
    var isAwake: Bool { isPowered && dust?.state == .work && dust?.isWedged == false }
    var isWedged: Bool { dust?.isWedged == true }

    // MARK: Faults

    /// Makes it misbehave until an instant.
    ///
    /// - Returns: false when it cannot do that.
    func inject(_ kind: FaultKind, at now: MonotonicInstant, until end: MonotonicInstant) -> Bool {
        guard isPowered else { return false }
        windows.removeAll { $0.end <= now }
        if windows.isEmpty {
            dust?.clearFaults()
            other?.clearFaults()
        }
        if dust != nil, let fault = kind.ofSDS011 {
            countFired()
            dust?.inject(SDS011FaultWindow(fault, from: now, to: end))
        } else if other != nil, let fault = kind.ofAnyPart {
            other?.inject(SensorFaultWindow(fault, from: now, to: end))
        } else {
            return false
        }
        windows.append((kind, end))
        return true
    }

    /// The laser dies with the settings as they are, until the power is cut.
    func wedge(at now: MonotonicInstant) {
        leaveAlone(at: now)
        dust?.inject(SDS011FaultWindow(.wedge, from: now, to: now.advanced(by: .seconds(2))))
    }

    func isFaulty(at now: MonotonicInstant) -> Bool {
        isWedged || windows.contains { $0.end > now }
    }

    /// Copies how often each fault of the part has occurred.
    func countFired() {
        guard let dust else { return }
        for kind in FaultKind.all {
            guard let fault = kind.ofSDS011 else { continue }
            let shown = dust.faultCounts[fault, default: 0]
            let new = shown - countedFaults[fault, default: 0]
            if new > 0 { counts[kind, default: 0] += new }
            countedFaults[fault] = shown
        }
    }

    private func recordTraffic(at now: MonotonicInstant) {
        guard other != nil, !windows.isEmpty else { return }
        for window in windows where window.end > now { counts[window.kind, default: 0] += 1 }
    }

    // MARK: The line

    var nextActivity: MonotonicInstant? {
        isPowered ? dust?.nextActivity ?? other?.nextActivity : nil
    }

    func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
        guard isPowered else { return [] }
        recordTraffic(at: now)
        if !isWedged { takeCommand(at: now) }
        defer { if isWedged { leaveAlone(at: now) } }
        return dust?.receive(bytes, at: now) ?? other?.receive(bytes, at: now) ?? []
    }

    func advance(to now: MonotonicInstant) -> [UInt8] {
        guard isPowered else { return [] }
        let bytes = dust?.advance(to: now) ?? other?.advance(to: now) ?? []
        if isWedged { leaveAlone(at: now) }
        if !bytes.isEmpty { recordTraffic(at: now) }
        return bytes
    }
}

/// Connects a part to its adapter.
struct PartPeer: SerialPeer {
    let part: Part

    var nextActivity: MonotonicInstant? { part.nextActivity }

    func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
        part.receive(bytes, at: now)
    }

    func advance(to now: MonotonicInstant) -> [UInt8] { part.advance(to: now) }
}

extension FaultKind {
    /// The fault as the SDS011's simulator has it.
    var ofSDS011: SDS011Fault? {
        switch self {
        case .babble: .babble
        case .deaf: nil
        default: SDS011Fault(rawValue)
        }
    }

    /// The fault as any part's simulator has it.
    var ofAnyPart: SensorFault? { SensorFault(rawValue: rawValue) }
}
