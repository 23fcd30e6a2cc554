import Core
import HardwareIO

/// The effect of an import on a history, done or planned.
package struct HistoryImportReport: Hashable, Sendable {
    /// Samples of one device that had to make room.
    package struct Overwritten: Hashable, Sendable {
        package let device: String
        package let isImported: Bool
        package let samples: Int
        /// The oldest and the newest of them; nil when the catalogue has forgotten the boot.
        package let from: Place?
        package let to: Place?
    }

    package struct Place: Hashable, Sendable {
        package let boot: BootID
        package let tick: Tick
    }

    package var samples = 0
    /// Samples whose source and time the history had already.
    package var known = 0
    /// Streams that were made.
    package var streams = 0
    /// Part of a ring that the import fills, for the ring it fills most: 0…1 and beyond.
    package var share = 0.0
    /// Part of the samples' ring that it fills; beyond 1 it has pushed out samples of its own.
    package var samplesShare = 0.0
    /// The content of the samples' ring before, of each device.
    package var overwritten: [Overwritten] = []

    /// Part of any ring that an import may fill before a person has to confirm.
    static let shareMax = 0.25

    /// Why an import is not kept.
    package enum Refusal: String, Codable, Hashable, Sendable {
        /// It is more than the history holds.
        case tooLarge
        /// It needs so much room that a person has to say that it is meant.
        case needsConsent
    }

    /// - Parameter isBold: Whether a person said so.
    package func refusal(isBold: Bool) -> Refusal? {
        if samplesShare > 1 { return .tooLarge }
        return share > Self.shareMax && !isBold ? .needsConsent : nil
    }
}
