/// Why the station did not answer.
package struct StationDown: Error, Hashable, Sendable, CustomStringConvertible {
    /// Sentence with the socket's path and the next step.
    package let description: String

    package init(_ description: String) { self.description = description }
}
