import HardwareIO

package struct TryCamera: Question {
    package typealias Answer = CameraTrialReport
    package static let about = QuestionFacts(
        "try",
        for: .peopleAndDashboard,
        "Takes one picture, as the camera is or as it would be, and does not keep it."
    )
    /// Settings of the owner to try, as JSON text; nil for those in use.
    package var settings: String?

    package init(_ settings: String? = nil) { self.settings = settings }
}

/// The answer to `try`: how far it came.
package struct CameraTrialReport: Codable, Hashable, Sendable {
    package struct Step: Codable, Hashable, Sendable {
        package enum Name: String, Codable, Sendable, CaseIterable {
            /// The settings can be used.
            case settings
            /// No masked time holds.
            case masks
            /// The camera is plugged in.
            case camera
            /// A picture was taken.
            case picture
        }

        package enum State: String, Codable, Sendable, CaseIterable {
            case done, failed, skipped
        }

        package let name: Name
        package let state: State
        /// What was found, or why it failed; empty for nothing to say.
        package let sentence: String

        package init(_ name: Name, _ state: State, _ sentence: String = "") {
            (self.name, self.state, self.sentence) = (name, state, sentence)
        }
    }

    package var steps: [Step]
    /// Number for `tried`; nil without a picture.
    package var trial: Int?
    package var byteCount: Int?
    package var width: Int?
    package var height: Int?
    package var seconds: Double?
    /// Whether the picture is one of the running live picture, which has the camera: then it is of
    /// that one's size and not of the settings that were tried.
    package var isOfLive = false

    package init(_ steps: [Step]) { self.steps = steps }
}

package struct GetTriedPicture: Question {
    package typealias Answer = TriedPicturePiece
    package static let about = QuestionFacts(
        "tried",
        for: .peopleAndDashboard,
        "A piece of the picture of the last `try`, for two minutes after it."
    )
    package let trial: Int
    /// First byte, 0…byteCount.
    package let from: Int

    package init(_ trial: Int, from: Int) { (self.trial, self.from) = (trial, from) }
}

/// The answer to `tried`.
package struct TriedPicturePiece: Codable, Hashable, Sendable {
    /// Bytes of a piece, at most.
    package static let byteMax = 96 << 10

    /// The bytes in Base64; empty behind the end.
    package let base64: String
    /// Bytes of the whole picture.
    package let byteCount: Int

    package init(base64: String, byteCount: Int) {
        (self.base64, self.byteCount) = (base64, byteCount)
    }
}
