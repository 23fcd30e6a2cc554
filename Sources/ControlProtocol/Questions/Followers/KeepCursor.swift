import FoundationEssentials

package struct KeepCursor: Question {
    package typealias Answer = CursorReport
    package static let about = QuestionFacts(
        "cursor",
        for: .courier,
        "Stores a follower's position, if it has one, and reports all positions."
    )
    /// The follower's name.
    package var name: String?
    /// 0…1 024 bytes, in base64; empty removes the name.
    private var blob: Data?
    /// Whether it is written within 2 s instead of within the loss window.
    package var isUrgent: Bool?

    /// Only asks.
    package init() {}

    package init(_ name: String, _ blob: [UInt8], isUrgent: Bool = false) {
        (self.name, self.blob, self.isUrgent) = (name, Data(blob), isUrgent)
    }

    package var bytes: [UInt8]? { blob.map { Array($0) } }

    /// A name or a blob is missing or too long.
    package static let invalid = ControlFailure.badRequest(
        "name is 1 to \(CursorReport.nameByteLimit) bytes, and blob "
            + "\(CursorReport.blobByteLimit) at most"
    )

    package func check() throws(ControlFailure) {
        if (name == nil) != (blob == nil) { throw Self.invalid }
    }
}
