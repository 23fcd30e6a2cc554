import HardwareIO

package struct DeletePictures: Question {
    package typealias Answer = EyesDeletion
    package static let about = QuestionFacts(
        "delete",
        for: .peopleAndDashboard,
        "Removes one picture, or all up to a number."
    )

    /// Number of the one picture.
    package var number: UInt64?
    /// Number up to which all are removed, so that none is removed that was not seen listed.
    package var upTo: UInt64?
    /// Path of the ring that is meant; any other is refused as `conflict`.
    package var ring: String?

    package init(_ number: UInt64?, upTo: UInt64? = nil, ring: String? = nil) {
        self.number = number
        self.upTo = upTo
        self.ring = ring
    }
}

/// The answer to `delete`.
package struct EyesDeletion: Codable, Hashable, Sendable {
    package let count: Int

    package init(count: Int) { self.count = count }
}
