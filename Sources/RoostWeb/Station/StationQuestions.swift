import ControlProtocol

/// Asks the station for a route, and turns its refusals into problems.
struct StationQuestions: Sendable {
    /// The station; nil for a card without one.
    let station: StationClient?

    func ask<Body: Codable & Sendable>(
        _ command: ControlRequest.Command,
        _ type: Body.Type
    ) async throws -> Body {
        try await ask(ControlRequest(command), type)
    }

    /// Asks in the name of the person who sent a request.
    func ask<Body: Codable & Sendable>(
        _ control: ControlRequest,
        for request: WebRequest,
        _ type: Body.Type
    ) async throws -> Body {
        var control = control
        control.actor = request.actor
        return try await ask(control, type)
    }

    /// - Throws: `Problem`.
    func ask<Body: Codable & Sendable>(
        _ control: ControlRequest,
        _ type: Body.Type
    ) async throws -> Body {
        guard let station else {
            throw Problem(.notOffered, "a card's history has no station that could do it")
        }
        do {
            return try await station.ask(control, type)
        } catch let failure as ControlFailure {
            throw Problem(failure)
        }
    }

    /// The answer of `/devices` now.
    func devices() async throws -> WebResponse {
        let status = try await ask(.status, StatusReport.self)
        let report = try await ask(.devices, DevicesReport.self)
        return .json(DevicesView(report: report, status: status).json)
    }
}

extension WebRequest {
    /// Name of the person for the station's events; nil where there are no accounts.
    var actor: String? {
        identity.map { String($0.name.prefix(64)) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
