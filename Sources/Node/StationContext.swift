import Readings
import Supervision

/// What the parts of one station share.
package struct StationContext: Sendable {
    package let name: String
    package let platform: any Platform
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
}
