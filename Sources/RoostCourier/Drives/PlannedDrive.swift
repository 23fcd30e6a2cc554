import Core
import Store

/// A survey that is over and has samples of a radiation counter.
package struct PlannedDrive: Hashable, Sendable {
    /// How certain the date of a drive is.
    package enum Dating: Hashable, Sendable {
        /// A trusted clock dated it.
        case known
        /// A clock may date it soon.
        case waits
        /// No trusted clock ever dated its boot.
        case never
    }

    /// Name that its owner gave the survey.
    package let name: String
    /// Place of the first sample.
    package let place: OutboxPosition
    /// Number of the counter's samples that can be read.
    package let samples: Int
    /// Beginning and end by the wall clock; nil while they are unknown.
    package var dates: DriveDates?
    package var dating = Dating.known
    /// Whether its owner keeps it from uploads.
    package var isPrivate = false
    /// Whether it has the oldest sample that can be read: its beginning may be overwritten.
    package var hasOldest = false

    package init(name: String, at place: OutboxPosition, samples: Int) {
        (self.name, self.place, self.samples) = (name, place, samples)
    }
}

/// When a drive began and ended, to the tenth of a second.
///
/// Dates of a boot move by fractions of a second with each further anchor. An upload keeps the
/// dates that it began with, so that its log has the same bytes when it is made again.
package struct DriveDates: Hashable, Sendable {
    package let from: WallTime
    package let to: WallTime

    /// - Parameters:
    ///   - from: Time of its first tick.
    ///   - to: Time of its end; one before `from` counts as `from`.
    package init(from: WallTime, to: WallTime) {
        (self.from, self.to) = (
            WallTime(tenths: from.tenths), WallTime(tenths: max(from, to).tenths)
        )
    }
}

/// A drive as a log of a bGeigie.
package struct DriveFile: Hashable, Sendable {
    /// Bytes of a log at most: a day at a line a second.
    package static let byteLimit = 8_000_000

    /// Name of the file, such as `roost-20261122T043000Z.LOG`.
    package let name: String
    package let bytes: [UInt8]
    /// Number of lines: samples with a count, a date and a place.
    package let lines: Int

    package init(name: String, bytes: [UInt8], lines: Int) {
        (self.name, self.bytes, self.lines) = (name, bytes, lines)
    }
}

/// Result of making the log file of a drive.
package enum DriveMade: Hashable, Sendable {
    case file(DriveFile)
    /// The log is empty: no sample has a count, a date and a place.
    case empty
    /// The log has more than `DriveFile.byteLimit` bytes.
    case tooLong
}

/// Reader of the drives in the station's store.
package protocol DriveSource: Sendable {
    /// Lists the surveys that are over after a place, with samples or without.
    ///
    /// - Parameter place: Place of the last drive that is no longer wanted; nil wants all.
    /// - Returns: Oldest first.
    /// - Throws: Errors of reading the store.
    func drives(after place: OutboxPosition?) async throws -> [PlannedDrive]

    /// Makes the log of a drive; the same dates give the same bytes.
    ///
    /// - Throws: Errors of reading the store.
    func file(of drive: PlannedDrive, _ dates: DriveDates) async throws -> DriveMade

    /// Looks up a boot's number in the store; nil when it is no longer known.
    ///
    /// - Throws: Errors of reading the store.
    func number(of boot: BootID) async throws -> Int?
}
