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
            )
        ]
    }
}
