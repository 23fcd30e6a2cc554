/// The files of the boot partition that a station used, with problems and notes.
package struct ProvisionReport: Codable, Hashable, Sendable {
    package struct Problem: Codable, Hashable, Sendable {
        package let file: String
        package let line: Int?
        package let sentence: String
        package let nextStep: String
    }

    package let problems: [Problem]
    /// Files whose settings were taken now.
    package let taken: [String]
    /// Messages of the card's start.
    package let start: [String]
    package let notes: [String]

    package init(_ words: ProvisionWords, taken: [String]) {
        problems = words.problems.map { problem in
            Problem(
                file: problem.file,
                line: problem.line,
                sentence: problem.words,
                nextStep: problem.next
            )
        }
        self.taken = taken
        (start, notes) = (words.start, words.notes)
    }
}
