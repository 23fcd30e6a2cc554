import Profiles

/// What is wrong with a driver's settings in a profile.
package struct DialectError: Error, Hashable, Sendable {
    package let problems: [ConfigurationProblem]

    package init(_ problems: [ConfigurationProblem]) { self.problems = problems }
}
