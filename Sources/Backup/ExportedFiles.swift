import ControlProtocol

/// The configuration files of a station's programs, for another card.
package struct ExportedFiles: Hashable, Sendable {
    /// That of the station is the first, where it runs.
    package let files: [ExportedFile]
    /// Programs that have no file here, each with its reason: `roost-eyes: it does not run here`.
    package let leftOut: [String]

    package init(files: [ExportedFile], leftOut: [String]) {
        (self.files, self.leftOut) = (files, leftOut)
    }
}
