import Core
import Devices
import Logging
import Profiles

/// Services that a station needs besides its configuration.
package struct StationDependencies: Sendable {
    package let platform: any Platform
    package let logger: Logger
    package let seed: UInt64
    /// Profiles of the sensors that may be found.
    package let catalog: ProfileCatalog
    /// Ends the process at once: something could not be stopped or replaced.
    package let endProcess: @Sendable (_ reason: String) -> Void
    /// How often the parent of the process wants a sign of life; nil for never.
    package let serviceWatchdog: Duration?
    /// Examines the machine for `doctor`; nil where none can.
    package var examination: ControlExamination?
    /// Rights of the control socket's users.
    package var rights = ControlRights()
    /// Problems found at the start of the image.
    package var start = StartFindings()
    /// No time before that is right.
    package var builtAt = RoostVersion.date

    package init(
        platform: any Platform,
        logger: Logger,
        seed: UInt64,
        serviceWatchdog: Duration? = nil,
        catalog: ProfileCatalog = .shipped,
        endProcess: @escaping @Sendable (String) -> Void
    ) {
        self.platform = platform
        self.logger = logger
        self.seed = seed
        self.catalog = catalog
        self.serviceWatchdog = serviceWatchdog
        self.endProcess = endProcess
    }
}
