import Devices
import Readings
import Store
import Supervision

/// What the parts of one station share.
package struct StationContext: Sendable {
    package let name: String
    package let platform: any Platform
    /// The kernel's id of this boot; zeros where it gives none.
    package let bootID: BootID
    package let recorder: Recorder
    package let devices: DeviceBoard
    package let modes: ModeBoard
    package let leds: LEDBoard
    package let mutes: MuteBoard
    package let faults: FaultBoard
    let startedAt: MonotonicInstant
    package let sameAir = SameAir()
    let lasers: LaserBook
    let standstills = Standstills()

    package var clock: any NodeClock { platform.clock }

    /// Adds to the account of a part, and says which one it left out for that.
    func note(_ time: LaserTime, kind: String, device: String) {
        let now = clock.now
        guard let gone = lasers.note(time, kind: kind, device: device, at: now) else { return }
        recorder.note(
            Event(
                at: now,
                source: device,
                kind: "laser hours forgotten",
                severity: .warning,
                [
                    "part": gone.part, "hours": "\(gone.hours)",
                    "reason": "\(LaserBook.partLimit) parts are kept",
                ]
            )
        )
    }
}
