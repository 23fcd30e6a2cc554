import ControlProtocol
import HTTPTypes

/// The pins of the header.
struct PinRoutes: Sendable {
    let questions: StationQuestions

    var all: [Route] {
        [
            Route(.get, "/api/v1/pins", .viewer, scope: .read) { _ in
                try await questions.answer(GetPins())
            }
            .about(
                "The pins of the 40-pin header, and what uses each of them now.",
                answers: PinsReport.self
            ),
            Route(.post, "/api/v1/pins/{line}/try", .owner) { try await attempt($0) }
                .about(
                    "Blinks the part on an output for 3 s, or reads an input for 5 s.",
                    takes: Trial.self,
                    answers: PinTrialReport.self
                ),
        ]
    }

    /// The longest trial lasts 5 s.
    private static let trialLimit = Duration.seconds(10)

    private struct Trial: Decodable {
        /// The part on a free line, by a profile's id, such as `led`.
        let type: String?
    }

    private func attempt(_ request: WebRequest) async throws -> WebResponse {
        let body = request.body.isEmpty ? Trial(type: nil) : try request.decoded(Trial.self)
        let question = TryPin(request.parameters["line"] ?? "", profile: body.type)
        return .json(
            try ControlCodec.line(
                try await questions.ask(question, for: request, within: Self.trialLimit)
            )
        )
    }
}
