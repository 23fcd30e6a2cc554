import Core
import Devices
import HardwareIO
import Profiles

/// One LED on a line, and what it shows.
package struct LEDConfiguration: Hashable, Sendable {
    package enum Shows: String, Hashable, Sendable, CaseIterable {
        /// Lit while all is well; blinks while `roost status` names a fault.
        case station
        /// Lit while a motion sensor sees motion.
        case motion
        /// Lit in good air, short dark pulses in moderate, blinks in poor; flashes when the level
        /// is unknown.
        case level
        /// Lit while `roost-eyes` reads the camera; flashes when it ended without saying so.
        case camera
    }

    package let settings: LEDSettings
    package let shows: Shows
    /// The device that decides; nil is every motion sensor, or the first dust sensor.
    package let follows: String?
}
