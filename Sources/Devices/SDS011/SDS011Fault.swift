import Core

/// Ways in which an SDS011 has misbehaved in the field, for the simulator to repeat.
///
/// - Source: the quirks of PROTOCOLS.md section a, each with the public thread that reported it.
package enum SDS011Fault: String, Hashable, Sendable, CaseIterable {
    /// Obeys and sends no answer.
    case silence
    /// Five bytes of junk before each frame (opendata-stuttgart/sensors-software#197).
    case garbage
    /// Each frame comes in two pieces, 100 ms apart.
    case splitFrames = "split-frames"
    /// Frames come two at a time; a reply follows a measurement.
    case mergedFrames = "merged-frames"
    /// Replies come 1.5 s late, when they have been asked for again already.
    case lateReply = "late-reply"
    /// Obeys without acknowledging; measures when asked.
    case noAcknowledgement = "no-ack"
    /// The first wake yields five stray bytes (lewapek/sds-dust-sensors-arduino-library#6).
    case doubleWake = "double-wake"
    /// The same values for ever.
    case stuck
    /// Measures nothing but zeros (ricki-z/SDS011#40).
    case zeros
    /// Values ten times too high, as with too little current (sensors-software#830).
    case timesTen = "times-ten"
    /// One bit of every second frame is wrong.
    case flippedBits = "flipped-bits"
    /// Dead until its power is cut, laser as it was.
    case wedge
    /// 999.9 and 1999.9 (sensors-software#899).
    case ceiling
    /// Noise at the full rate of the line, heads of frames among it.
    case babble
    /// Speaks under another id.
    case wrongID = "wrong-id"
    /// Noise instead of each frame, as when read at a wrong rate.
    case wrongRate = "wrong-rate"
    /// No answer to the firmware question (lewapek/sds-dust-sensors-arduino-library#10).
    case noFirmware = "no-firmware"
    /// PM2.5 above PM10, which cannot be.
    case inconsistent

    package init?(_ name: String) { self.init(rawValue: name) }

    package var name: String { rawValue }
}

package typealias SDS011FaultWindow = FaultWindow<SDS011Fault>
