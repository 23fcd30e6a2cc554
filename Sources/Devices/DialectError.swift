import Profiles

/// Mistakes in the driver settings of a profile.
package struct DialectError: Error, Hashable, Sendable {
    package let problems: [ConfigurationProblem]

    package init(_ problems: [ConfigurationProblem]) { self.problems = problems }
}
