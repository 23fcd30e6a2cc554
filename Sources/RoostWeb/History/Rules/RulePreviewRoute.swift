import Alerts
import Configuration
import ControlProtocol
import HTTPTypes
import Profiles

/// `/rules/preview`: tries a rule on the station's own past; nothing is kept of it.
struct RulePreviewRoute: Sendable {
    let history: HistoryClient
    let zone: OwnerZone

    var all: [Route] {
        [
            Route(.post, "/api/v1/rules/preview", .owner) { try await answer($0) }
                .about(
                    "How often a rule would have been raised in the last 30 days.",
                    takes: RuleEntry.self,
                    answers: RulePreview.self
                )
        ]
    }

    private func answer(_ request: WebRequest) async throws -> WebResponse {
        let rule = try rule(request)
        let zone = await zone.present().zone
        let job = try await history.beginExport(of: request.identity?.account) { opened, seat in
            try RulePreviewJob(opened, rule, zone, seat)
        }
        while true {
            try Task.checkCancellation()
            if let found = try await history.work({ try job.step() }) { return try .json(found) }
        }
    }

    private func rule(_ request: WebRequest) throws -> AlertRule {
        let found: AlertRule?
        do throws(ConfigurationError) { found = try OwnerRule.read(request.body).rule } catch {
            let places = error.problems.map { problem in
                let pointer = ConfigurationProblem.pointer(problem.place)
                return Problem.Place(pointer: pointer, detail: problem.message)
            }
            let words = error.problems.map(\.description).joined(separator: "; ")
            throw Problem(.badRequest, words, places: places)
        }
        guard let found, found.parts.contains(where: { $0.condition.isOfChannels }) else {
            throw Problem(
                .badRequest,
                "only a rule about values can be tried: the past has no other",
                places: [Problem.Place(pointer: "/when", detail: "is no rule about values")]
            )
        }
        return found
    }
}
