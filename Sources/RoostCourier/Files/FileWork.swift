import Core

/// A target of files, with the options that say which files it gets.
package struct FileWork: Sendable {
    package let target: any FileTarget
    /// Periods that files cover, shortest first, at least one.
    package let periods: [FilePeriod]
    package let naming: FileNaming
    /// Text before each path: empty, or ending with a slash.
    package let prefix: String
    /// Whether what was recorded before the target was added is sent.
    package var hasBacklog = true
    /// A file whose time ended longer ago is left out.
    package var ageLimit: Duration?
    /// Shortest time between two files.
    package var pace: Duration = .seconds(1)

    package init(
        _ target: any FileTarget,
        periods: [FilePeriod] = FilePeriod.allCases,
        naming: FileNaming = .seed,
        prefix: String = ""
    ) {
        (self.target, self.naming, self.prefix) = (target, naming, prefix)
        self.periods = FilePeriod.allCases.filter(periods.contains)
    }
}
