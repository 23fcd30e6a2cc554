import Core
import HardwareIO

/// An SDS011 as a pure value: every command, its settings, its laser, and its faults on request.
///
/// Asleep it answers nothing but command 06. Settings outlive power; the sleep does not. A command
/// with a wrong checksum, for another id or with a value out of range is ignored. During the rest
/// of a working period it answers as when working, which no document says or denies.
///
/// - Source: Nova Fitness, *Laser Dust Sensor Control Protocol V1.3*; PROTOCOLS.md section a.
package struct SDS011Simulator: SerialPeer {
    /// Settings that the part keeps without power.
    package struct Memory: Hashable, Sendable {
        package var deviceID: SDS011DeviceID
        var reportMode: SDS011ReportMode
        /// 0…30 min.
        var workingPeriod: UInt8

        package init(
            deviceID: SDS011DeviceID = SDS011DeviceID(0xA1, 0x60),
            reportMode: SDS011ReportMode = .active,
            workingPeriod: UInt8 = 0
        ) {
            self.deviceID = deviceID
            self.reportMode = reportMode
            self.workingPeriod = workingPeriod
        }
    }

    /// Measures after a wake that are zero.
    ///
    /// - Source: ricki-z/SDS011#40 for the zeros; their number is ours, well within the 10 s
    ///   response time of the datasheet.
    static let zerosAfterWake: Duration = .seconds(3)
    static let workPhase: Duration = .seconds(30)

    package private(set) var memory: Memory
    package private(set) var state: SDS011State
    /// Dead until `powerCycle(at:)`.
    package private(set) var isWedged = false
    package let firmware: SDS011Firmware
    /// Commands obeyed, for tests.
    private(set) var commandCount = 0

    var air: SDS011AirState
    var transmitter: SDS011Transmitter
    private var input: [UInt8] = []  // At most 18 bytes: the start of one command.
    private var lastFrozen: SDS011Measurement?
    private var wokeAt: MonotonicInstant
    private var nextReport: MonotonicInstant?
    // When the laser was last switched on, and how long it was on before that.
    private var laserOnSince: MonotonicInstant?
    private var laserBefore: Duration = .zero

    package init(
        air: SDS011Air = .drifting(seed: 1),
        memory: Memory = Memory(),
        firmware: SDS011Firmware = SDS011Firmware(year: 18, month: 11, day: 16),
        faults: [SDS011FaultWindow] = [],
        poweredAt now: MonotonicInstant = .boot
    ) {
        self.air = SDS011AirState(air)
        self.memory = memory
        self.firmware = firmware
        transmitter = SDS011Transmitter(faults: faults, startingAt: now)
        state = .work
        wokeAt = now
        laserOnSince = now
        planReports(from: now)
    }

    /// How often each fault has shown.
    package var faultCounts: [SDS011Fault: Int] { transmitter.faultCounts }

    /// Adds a fault window; several may be open at a time.
    package mutating func inject(_ window: SDS011FaultWindow) {
        transmitter.faults.append(window)
    }

    /// Ends every fault; a wedge stays until the power is cut.
    package mutating func clearFaults() { transmitter.faults.removeAll() }

    /// How long the laser has been on.
    package func laserTime(at now: MonotonicInstant) -> Duration {
        laserBefore + (laserOnSince.map { $0.duration(to: now) } ?? .zero)
    }

    /// Cuts the power for a moment: settings stay, everything else starts anew, working.
    package mutating func powerCycle(at now: MonotonicInstant) {
        isWedged = false
        input.removeAll()
        lastFrozen = nil
        transmitter.clear()
        switchState(to: .sleep, at: now)
        switchState(to: .work, at: now)
    }

    // MARK: Serial peer

    package var nextActivity: MonotonicInstant? {
        let activities = [
            isWedged ? nil : nextReport, isWedged ? nil : transmitter.nextBabble,
            transmitter.nextDeparture,
        ]
        return activities.compactMap(\.self).min()
    }

    package mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
        var output = advance(to: now)
        input += bytes
        while let head = input.firstIndex(of: SDS011Frame.head) {
            input.removeFirst(head)
            guard input.count >= SDS011Command.byteCount else { break }
            guard let command = SDS011Command(frame: input.prefix(SDS011Command.byteCount)) else {
                input.removeFirst()
                continue
            }
            let id = SDS011DeviceID(input[15], input[16])
            input.removeFirst(SDS011Command.byteCount)
            if id == .everyone || id == memory.deviceID { obey(command, at: now) }
        }
        if input.first != SDS011Frame.head { input.removeAll(keepingCapacity: true) }
        output += transmitter.departures(by: now)
        return output
    }

    package mutating func advance(to now: MonotonicInstant) -> [UInt8] {
        if !isWedged {
            transmitter.babble(until: now)
            while let due = nextReport, due <= now, !isWedged {
                if transmitter.fires(.wedge, at: due) { isWedged = true } else { report(at: due) }
            }
        }
        return transmitter.departures(by: now)
    }

    // MARK: Behaviour

    private mutating func obey(_ command: SDS011Command, at now: MonotonicInstant) {
        if !isWedged, transmitter.fires(.wedge, at: now) { isWedged = true }
        guard !isWedged else { return }
        switch command {
        case .getState:
            reply(0x06, 0, state.rawValue, at: now)
            commandCount += 1
            return
        case .setState(let wanted):
            obeySetState(wanted, at: now)
            return
        default:
            guard state == .work else { return }
        }
        commandCount += 1
        switch command {
        case .getReportMode: reply(0x02, 0, memory.reportMode.rawValue, at: now)
        case .setReportMode(let mode):
            memory.reportMode = mode
            planReports(from: now)
            reply(0x02, 1, mode.rawValue, at: now)
        case .query:
            transmitter.send(
                .measurement(measure(at: now), from: memory.deviceID),
                asReply: true,
                at: now
            )
        case .setDeviceID(let id):
            memory.deviceID = id
            reply(0x05, 0, 0, at: now)
        case .firmware:
            guard !transmitter.fires(.noFirmware, at: now) else { return }
            transmitter.send(
                .reply(
                    SDS011Reply(command: 0x07, firmware.year, firmware.month, firmware.day),
                    from: memory.deviceID
                ),
                asReply: true,
                at: now
            )
        case .getWorkingPeriod: reply(0x08, 0, memory.workingPeriod, at: now)
        case .setWorkingPeriod(let minutes):
            memory.workingPeriod = minutes
            switchLaser(on: true, at: now)
            planReports(from: now)
            reply(0x08, 1, minutes, at: now)
        case .getState, .setState: break
        }
    }

    private mutating func obeySetState(_ wanted: SDS011State, at now: MonotonicInstant) {
        if wanted == .work, state == .sleep, !transmitter.hasStrayWakeBehind,
            transmitter.fires(.doubleWake, at: now)
        {
            transmitter.sendStrayWake(at: now)
            return
        }
        transmitter.hasStrayWakeBehind = false
        commandCount += 1
        if wanted != state { switchState(to: wanted, at: now) }
        reply(0x06, 1, wanted.rawValue, at: now)
    }

    private mutating func reply(
        _ code: UInt8,
        _ first: UInt8,
        _ second: UInt8,
        at now: MonotonicInstant
    ) {
        let reply = SDS011Reply(command: code, first, second, 0)
        transmitter.send(.reply(reply, from: memory.deviceID), asReply: true, at: now)
    }

    private mutating func switchState(to wanted: SDS011State, at now: MonotonicInstant) {
        state = wanted
        switchLaser(on: wanted == .work, at: now)
        if wanted == .work { wokeAt = now }
        planReports(from: now)
    }

    private mutating func switchLaser(on isOn: Bool, at now: MonotonicInstant) {
        guard isOn != (laserOnSince != nil) else { return }
        if let since = laserOnSince { laserBefore += since.duration(to: now) }
        laserOnSince = isOn ? now : nil
    }

    /// With a working period, a report is the end of a work phase, sent or not.
    private mutating func planReports(from now: MonotonicInstant) {
        guard state == .work else {
            nextReport = nil
            return
        }
        if memory.workingPeriod > 0 {
            nextReport = now.advanced(by: Self.workPhase)
        } else {
            nextReport = memory.reportMode == .active ? now.advanced(by: .seconds(1)) : nil
        }
    }

    private mutating func report(at due: MonotonicInstant) {
        if memory.workingPeriod == 0 {
            nextReport = due.advanced(by: .seconds(1))
        } else if laserOnSince != nil {
            let rest = Duration.minutes(Int(memory.workingPeriod)) - Self.workPhase
            nextReport = due.advanced(by: rest)
        } else {
            switchLaser(on: true, at: due)
            wokeAt = due
            nextReport = due.advanced(by: Self.workPhase)
            return
        }
        if memory.reportMode == .active {
            let measurement = measure(at: due)
            transmitter.send(
                .measurement(measurement, from: memory.deviceID),
                asReply: false,
                at: due
            )
        }
        if memory.workingPeriod > 0 { switchLaser(on: false, at: due) }
    }

    private mutating func measure(at now: MonotonicInstant) -> SDS011Measurement {
        var measurement = air.measurement(at: now)
        if transmitter.fires(.zeros, at: now) || wokeAt.duration(to: now) <= Self.zerosAfterWake {
            return .zero
        }
        if transmitter.fires(.ceiling, at: now) { return .ceiling }
        if transmitter.isActive(.stuck, at: now) {
            if let lastFrozen {
                _ = transmitter.fires(.stuck, at: now)
                return lastFrozen
            }
            lastFrozen = measurement
        } else {
            lastFrozen = nil
        }
        if transmitter.fires(.timesTen, at: now) {
            measurement = SDS011Measurement(
                pm25Tenths: UInt16(min(9_999, Int(measurement.pm25Tenths) * 10)),
                pm10Tenths: UInt16(min(19_999, Int(measurement.pm10Tenths) * 10))
            )
        }
        if transmitter.fires(.inconsistent, at: now) {
            measurement = SDS011Measurement(
                pm25Tenths: min(9_999, measurement.pm10Tenths) + 1,
                pm10Tenths: min(9_999, measurement.pm10Tenths)
            )
        }
        return measurement
    }
}
