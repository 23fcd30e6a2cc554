import HardwareIO

/// Mistake at one place of a configuration.
///
/// Places and messages hold text from the file, so they are made safe for one line of a log: 200
/// characters of a place, 1 000 of a message.
package struct ConfigurationProblem: Hashable, Sendable, CustomStringConvertible {
    /// Path within the file: `devices[0].port`; empty for the whole.
    package let place: String
    package let message: String
    /// Known word that was probably meant; nil when none is similar.
    package let suggestion: String?

    package init(place: String, message: String, suggestion: String? = nil) {
        self.place = PlainText.shown(place, limit: 200)
        self.message = PlainText.shown(message, limit: 1_000)
        self.suggestion = suggestion
    }

    /// A place as a JSON pointer (RFC 6901): `/devices/0/port`.
    package static func pointer(_ place: String) -> String {
        "/" + place.split { ".[]".contains($0) }.joined(separator: "/")
    }

    package var description: String {
        let hint = suggestion.map { "; did you mean \($0)?" } ?? ""
        return (place.isEmpty ? message : "\(place): \(message)") + hint
    }
}

/// All problems of one configuration file, together.
package struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    package let file: String
    package let problems: [ConfigurationProblem]

    package init(file: String, problems: [ConfigurationProblem]) {
        // As long as a path can be.
        (self.file, self.problems) = (PlainText.shown(file, limit: 4_096), problems)
    }

    /// One problem of the whole file.
    package init(file: String, message: String) {
        self.init(file: file, problems: [ConfigurationProblem(place: "", message: message)])
    }

    /// A line per problem: file, place, reason.
    package var description: String {
        problems.map { "\(file): \($0)" }.joined(separator: "\n")
    }
}

/// Collects problems while objects of a configuration are read.
///
/// Bound: `limit` of one file, and a last one that says so; a file of something else altogether has
/// a mistake in every line.
package final class ProblemList {
    package static let limit = 100

    package private(set) var problems: [ConfigurationProblem] = []
    /// Records the keys that readers ask for; nil while an object is read.
    package let recorder: FieldRecorder?

    package init(recordingTo recorder: FieldRecorder? = nil) { self.recorder = recorder }

    package func add(_ problem: ConfigurationProblem) {
        recorder?.require(problem.place)
        guard problems.count <= Self.limit else { return }
        let isLast = problems.count == Self.limit
        problems.append(
            isLast
                ? ConfigurationProblem(place: "", message: "there are more mistakes than these")
                : problem
        )
    }

    package func add(_ place: String, _ message: String, meant suggestion: String? = nil) {
        add(ConfigurationProblem(place: place, message: message, suggestion: suggestion))
    }
}
