/// The state of `roost-eyes`.
package struct EyesReport: Codable, Hashable, Sendable {
    /// The newest picture of the ring.
    package struct Newest: Codable, Hashable, Sendable {
        package let number: UInt64
        /// ISO 8601 in UTC; nil while no clock was trusted.
        package let time: String?
        package let source: String

        package init(number: UInt64, time: String?, source: String) {
            (self.number, self.time, self.source) = (number, time, source)
        }
    }

    /// A motion for which no picture was taken.
    package struct Lack: Codable, Hashable, Sendable {
        package enum Reason: String, Codable, Sendable, CaseIterable {
            /// The time is masked, or there are masks and the clock was not trusted.
            case masked
            /// Too many motions already waited for the camera.
            case busy
            /// The program, or the ring, failed.
            case failed
        }

        /// Entries in a report, at most.
        package static let limit = 64

        package let source: String
        /// When the motion began, in nanoseconds since 1970.
        package let time: Int64
        package let reason: Reason
        /// Description of the failure; nil for other reasons.
        package let words: String?

        package init(source: String, time: Int64, reason: Reason, words: String? = nil) {
            (self.source, self.time) = (source, time)
            (self.reason, self.words) = (reason, words)
        }
    }

    /// A video device of the machine.
    package struct Camera: Codable, Hashable, Sendable {
        /// Device as in `eyes.json`: `usb:046d:0825`, or its path.
        package let device: String
        package let path: String
        /// Name that the camera reports.
        package let name: String

        package init(device: String, path: String, name: String) {
            (self.device, self.path, self.name) = (device, path, name)
        }
    }

    package let version: String
    package let processID: Int32
    package let uptimeSeconds: Double
    /// The file of the pictures, and its bytes.
    package let ring: String
    package let ringBytes: Int
    /// Capacity in pictures; `retentionDays`: days that each is kept.
    package let room: Int
    package let retentionDays: Int
    /// Pictures in the ring; nil while it cannot be read.
    package var pictureCount: Int?
    package var newest: Newest?
    /// Motions since the start, or the last change of settings: with a picture, without one, and in
    /// masked times.
    package var takenCount = 0
    package var leftOutCount = 0
    package var maskedCount = 0
    /// Motions that wait for the camera.
    package var waitingCount = 0
    /// Why the last motion has no picture; nil once a picture was taken again.
    package var lastTrouble: String?
    /// Why the ring cannot be used; nil while it can.
    package var ringTrouble: String?
    /// Why the station is not followed; nil while it is.
    package var stationTrouble: String?
    /// Motions since the start that have no picture and whose time was sure, oldest first.
    package var lacks: [Lack]?
    /// The camera that `eyes.json` names; nil where it names a command instead.
    package var wantedCamera: String?
    /// The camera found for `wantedCamera`; nil while none is plugged in.
    package var camera: Camera?
    /// The live picture; nil while none is configured.
    package var live: LivePictureReport?
    /// True while no camera is configured, so that there are no pictures to take.
    package var isOff: Bool?
    /// False where motions get no picture, so that the live picture is all.
    package var takesPictures: Bool?
    /// Why the owner's settings are not used; the camera is off then.
    package var settingsTrouble: String?

    package init(
        version: String,
        processID: Int32,
        uptimeSeconds: Double,
        ring: (path: String, byteCount: Int, room: Int),
        retentionDays: Int
    ) {
        (self.version, self.processID, self.uptimeSeconds) = (version, processID, uptimeSeconds)
        (self.ring, ringBytes, room) = ring
        self.retentionDays = retentionDays
    }
}
