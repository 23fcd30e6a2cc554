import Core

/// Progress of the upload of a drive, as far as this station knows.
package struct DriveUpload: Hashable, Sendable {
    /// Number of the import at the receiver; nil before the file arrived.
    package var importID: Int?
    /// Whether the receiver has its description: name, credits, cities.
    package var isDescribed = false

    package init(importID: Int? = nil, isDescribed: Bool = false) {
        (self.importID, self.isDescribed) = (importID, isDescribed)
    }
}

/// Result of one step of an upload.
package enum DriveStep: Hashable, Sendable {
    /// The step is done, and the next one may follow at once.
    case moved(DriveUpload)
    /// The receiver works on the upload, and is asked again later.
    case waits(DeliveryReason)
    case ended(DeliveryOutcome)
}

/// A receiver of drives, which are sent in steps that may be repeated.
///
/// It makes requests and judges answers; what happens after a failure is decided by `DriveMachine`.
package protocol DriveTarget: Sendable {
    /// Sends the file while `upload` has no number, else asks for its state and does the next step.
    ///
    /// - Returns: The outcome.
    /// - Throws: `CancellationError`. What the network does is in the step.
    func advance(
        _ upload: DriveUpload,
        of drive: PlannedDrive,
        _ file: DriveFile,
        over network: any CourierNetwork
    ) async throws -> DriveStep
}
