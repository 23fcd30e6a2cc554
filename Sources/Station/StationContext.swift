import Core
import Devices
import Runtime
import Store

/// The objects that the parts of one station share.
package struct StationContext: Sendable {
    package let name: String
    package let platform: any Platform
    /// The kernel's id of this boot; zeros where it gives none.
    package let bootID: BootID
    package let recorder: Recorder
    package let devices: DeviceList
    package let modes: ModeState
    let levels: AirLevels
    let leds: LEDController
    let claims: ClaimWindow
    let reset: HeldReset
    package let mutes: MuteList
    package let faults: FaultList
    let startedAt: MonotonicInstant
    package let sameAir = CrossCheck()
    let neighbours = Neighbours()
    let lasers: LaserHours
    let standstills = Standstills()
    let recording = RecordSwitch()
    let battery = BatteryMonitor()
    let givenTime = GivenTime()
    let taps = PinTaps()
    let busTurn = BusTurn()
    let busChange = BusTurn()
    /// When the program was built: no time before that is right.
    var builtAt = RoostVersion.date

    package var clock: any NodeClock { platform.clock }

    /// Lets the LEDs listen to the station from now on; once, before anything happens in it.
    func joinLEDs(isWell: @escaping @Sendable () -> Bool) {
        devices.join { [weak leds] in leds?.refresh() }
        faults.join { [weak leds] in leds?.refresh() }
        leds.join(recorder, modes, isWell: isWell) { [claims, reset] in
            reset.pattern ?? (claims.isOpen ? .calling : nil)
        }
    }

    /// Records what happened to the station as a whole; its name is the source.
    func record(
        _ kind: EventKind.Plain,
        _ severity: Event.Severity,
        _ details: KeyValuePairs<String, String>
    ) {
        recorder.recordSoon(
            Event(at: clock.now, source: name, kind: .plain(kind), severity: severity, details)
        )
    }

    /// Adds hours to a part, and returns the part that was removed for it.
    func record(_ time: LaserTime, kind: String, device: String) {
        let now = clock.now
        guard let gone = lasers.add(time, kind: kind, device: device, at: now) else { return }
        recorder.recordSoon(
            Event(
                at: now,
                source: device,
                kind: .plain(.laserHoursForgotten),
                severity: .warning,
                [
                    "part": gone.part, "hours": "\(gone.hours)",
                    "reason": "\(LaserHours.partLimit) parts are kept",
                ]
            )
        )
    }

    /// Uses the present time of a position receiver; an event reports a change.
    func hear(_ said: WallTime, from device: String) {
        let date = ReceiverDate(said, notBefore: builtAt)
        let time = ConfirmedTime(date.wall, at: clock.now, by: .receiver, device: device)
        guard givenTime.give(time, beside: clock.wallReading) == .news else { return }
        let correction =
            date.weeks == 0
            ? "" : ", which says \(said.iso8601): it is \(abs(date.weeks)) weeks wrong"
        let details = [
            Event.Detail("time", date.wall.iso8601),
            Event.Detail("cause", ClockTrust.receiver.name + correction),
        ]
        recorder.recordSoon(
            Event(
                at: time.at,
                source: device,
                kind: .plain(.clockTrusted),
                severity: date.weeks == 0 ? .notice : .warning,
                details: details
            )
        )
    }
}
