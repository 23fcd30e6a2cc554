import HardwareIO

/// Returns a program's configuration file with what the owner set written into it.
package struct ExportSettings: Question {
    package typealias Answer = ExportedFile
    package static let about = QuestionFacts(
        "export-settings",
        for: .keepers,
        "This program's configuration file with what the owner set written into it."
    )

    package init() {}
}

/// A configuration file for another station; the answer to `export-settings`.
package struct ExportedFile: Codable, Hashable, Sendable {
    /// `roost.json`, `courier.json` or `eyes.json`.
    package let name: String
    /// The file, of lines; no secret is in it.
    package let content: String
    /// Names of the secrets that it needs and does not have.
    package let secrets: [String]
    /// Settings that are left out, each as a sentence without its full stop.
    package let leftOut: [String]

    package init(
        name: String,
        content: String,
        secrets: [String] = [],
        leftOut: [String] = []
    ) {
        (self.name, self.content) = (name, content)
        (self.secrets, self.leftOut) = (secrets, leftOut)
    }
}
