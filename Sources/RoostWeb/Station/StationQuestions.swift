import ControlProtocol

/// Asks the station for a route, and turns its refusals into problems.
struct StationQuestions: Sendable {
    /// The station; nil for a card without one.
    let station: StationClient?

    /// - Parameters:
    ///   - request: Names the person in whose name it is asked; nil for the dashboard.
    ///   - limit: How long the answer may take; nil for what is usual.
    /// - Throws: `Problem`.
    func ask<Asked: Question>(
        _ question: Asked,
        for request: WebRequest? = nil,
        within limit: Duration? = nil
    ) async throws -> Asked.Answer {
        guard let station else {
            throw Problem(.notOffered, "a card's history has no station that could do it")
        }
        do {
            return try await station.ask(question, for: request?.actor, within: limit)
        } catch let failure as ControlFailure {
            throw Problem(failure)
        }
    }

    /// Answers a request with what the station says.
    func answer<Asked: Question>(
        _ question: Asked,
        for request: WebRequest? = nil
    ) async throws -> WebResponse {
        .json(try ControlCodec.line(try await ask(question, for: request)))
    }
}

extension WebRequest {
    /// Name of the person for the station's events; nil where there are no accounts.
    var actor: String? {
        identity.map { String($0.name.prefix(64)) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
