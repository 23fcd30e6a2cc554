import Core

/// How to talk to one SDS011.
package struct SDS011Settings: Hashable, Sendable {
    /// The part to address; nil takes whichever is on the line.
    ///
    /// With an id, frames of other parts count as no answer.
    package var deviceID: SDS011DeviceID?
    /// Whether another part on the line ends the driver, so that its own takes over.
    package var yieldsToAnother = false
    /// How long an answer may take before it is asked for again.
    package var replyTimeout: Duration = .seconds(1)
    /// Silence in live mode after which something is wrong.
    ///
    /// - Source: datasheet V1.3: one frame every 1 ± 0.5 s.
    package var frameTimeout: Duration = .seconds(2)
    /// In live mode, how long after a wake values count as not warmed up; none when it was awake.
    ///
    /// - Source: airrohr-firmware, `WARMUPTIME_SDS_MS`.
    package var liveWarmUp: Duration = .seconds(15)

    /// What the maker gives the laser.
    ///
    /// - Source: datasheet V1.3: service life up to 8 000 h.
    package static let laserLife: Duration = .hours(8_000)

    package init(deviceID: SDS011DeviceID? = nil) { self.deviceID = deviceID }
}

/// What is known about one SDS011 at one moment.
package struct SDS011Status: Hashable, Sendable {
    /// Nil until it has said so.
    package var deviceID: SDS011DeviceID?
    package var firmware: SDS011Firmware?
    /// Whether the laser is on by the last acknowledgement; nil when not known.
    package var isAwake: Bool?
    /// How long the laser has been on in this run of the driver.
    package var laserTime: Duration
    package var lastMeasurement: SDS011Measurement?
    package var lastMeasurementAt: MonotonicInstant?
    /// False until a remedy helps; see `remedy`.
    package var isAnswering: Bool
    /// The last remedy tried in an outage that lasts.
    package var remedy: RecoveryPolicy.Remedy?
    /// What is doubtful about the measurements.
    package var doubts: Set<SensorDoubt>
    /// False when it measures without acknowledging commands.
    package var isAcknowledging: Bool
    /// Measurements that came too fast to become samples.
    package var surplusCount: Int
    package var frameCount: Int
    /// Frames that failed their check.
    package var rejectedCount: Int
    /// Bytes that belonged to no frame.
    package var skippedByteCount: Int
}

extension SDS011Status {
    /// One word for lists: `measuring`, `asleep`, `faulty`, or `starting` before it has spoken.
    package var state: String {
        if !isAnswering { return "faulty" }
        return switch isAwake {
        case true?: "measuring"
        case false?: "asleep"
        case nil: lastMeasurement == nil ? "starting" : "measuring"
        }
    }

    /// What is worth showing, in the order it reads.
    package var facts: [Event.Detail] {
        var facts = [
            Event.Detail("id", deviceID?.description ?? "unknown"),
            Event.Detail("firmware", firmware?.description ?? "unknown"),
            Event.Detail("laser time", "\(Int(laserTime.inSeconds)) s"),
            Event.Detail("frames", "\(frameCount)"),
            Event.Detail("rejected", "\(rejectedCount)"),
        ]
        if surplusCount > 0 { facts.append(Event.Detail("left out", "\(surplusCount)")) }
        if let remedy { facts.append(Event.Detail("remedy", remedy.rawValue)) }
        if !isAcknowledging { facts.append(Event.Detail("acknowledges", "no")) }
        if !doubts.isEmpty {
            let names = doubts.map(\.rawValue).sorted().joined(separator: ", ")
            facts.append(Event.Detail("doubts", names))
        }
        return facts
    }
}
