import ControlProtocol

/// Connection to the station: the control socket in the program, the station itself in tests.
package protocol StationLink: Sendable {
    /// Asks one question; several may be under way at once.
    ///
    /// - Throws: `ControlFailure` when the station refuses, `StationDown` when it does not answer;
    ///   `CancellationError`.
    func ask<Body: Codable & Sendable>(
        _ request: ControlRequest,
        _ type: Body.Type
    ) async throws -> Body
}

/// Why the station did not answer.
package struct StationDown: Error, Hashable, Sendable, CustomStringConvertible {
    /// Sentence with the socket's path and the next step.
    package let description: String

    package init(_ description: String) { self.description = description }
}
