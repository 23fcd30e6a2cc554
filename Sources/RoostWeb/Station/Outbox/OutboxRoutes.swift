import ControlProtocol
import HTTPTypes

/// Routes to read and to change the delivery of samples and notices to each target.
package struct OutboxRoutes: Sendable {
    /// Seconds that a page waits for waiting items to be sent.
    private static let flushSeconds = 5.0
    /// Time that a server may take to say what it has, or to receive something again.
    private static let serverLimit = Duration.seconds(60)

    /// The courier; nil for a card without its station.
    private let courier: (any QuestionClient)?

    package init(_ courier: (any QuestionClient)?) { self.courier = courier }

    package var all: [Route] {
        [
            Route(.get, "/api/v1/outbox", .viewer, scope: .read) { request in
                try .json(try await view())
            }
            .about(
                "What became of each sample and notice at each target.",
                answers: OutboxView.self
            ),
            Route(.get, "/api/v1/outbox/fates", .viewer, scope: .read) {
                try .json(try await fates($0))
            }
            .about(
                "What became of the first sample of each device from a moment on.",
                query: [QueryKey("time", .moment, isRequired: true), QueryKey("target")],
                answers: OutboxFatesReport.self
            ),
            Route(.post, "/api/v1/outbox/{id}/flush", .member, scope: .write) {
                let question = FlushOutbox(Self.target($0), seconds: Self.flushSeconds)
                let limit = StationClient.patience + .seconds(Self.flushSeconds)
                return try await act(question, within: limit)
            }
            .about(
                "Sends what waits at a target now.",
                takes: JSONBody.Empty.self,
                answers: OutboxView.self
            ),
            Route(.post, "/api/v1/outbox/{id}/pause", .member, scope: .write) {
                try await act(PauseTarget(Self.target($0), seconds: try length($0)))
            }
            .about(
                "Sends a target nothing, for a while or until resumed.",
                takes: Length.self,
                answers: OutboxView.self
            ),
            Route(.post, "/api/v1/outbox/{id}/resume", .member, scope: .write) {
                try await act(ResumeTarget(Self.target($0)))
            }
            .about("Ends that.", takes: JSONBody.Empty.self, answers: OutboxView.self),
            Route(.post, "/api/v1/outbox/{id}/retry", .member, scope: .write) {
                let question = RetryRefused(Self.target($0))
                return try .json(
                    try await courier.demand().ask(question, within: Self.serverLimit)
                )
            }
            .about(
                "Sends what a target refused once more.",
                takes: JSONBody.Empty.self,
                answers: OutboxRetryReport.self
            ),
            Route(.post, "/api/v1/outbox/{id}/prove", .member, scope: .write) {
                try .json(try await prove($0))
            }
            .about(
                "Compares what a target has with what was delivered.",
                takes: Proof.self,
                answers: OutboxProofReport.self
            ),
            Route(.post, "/api/v1/outbox/{id}/drop", .owner, scope: .write) {
                try await drop($0)
            }
            .about(
                "Leaves out what waits at a target from before a time.",
                takes: Before.self,
                answers: OutboxDropReport.self
            ),
        ] + EntryRoutes(courier: courier).all
    }

    /// The report, or that there is none: a station without a courier is no fault.
    private func view() async throws -> OutboxView {
        OutboxView(try await courier.demand().askIfRunning(GetCourierStatus()))
    }

    private struct Length: Decodable { let seconds: Double? }

    private func length(_ request: WebRequest) throws -> Double? {
        request.body.isEmpty ? nil : try request.decoded(Length.self).seconds
    }

    private static func target(_ request: WebRequest) -> String { request.parameters["id"] ?? "" }

    private func act<Asked: Question>(
        _ question: Asked,
        within limit: Duration? = nil
    ) async throws -> WebResponse where Asked.Answer == CourierReport {
        try .json(OutboxView(try await courier.demand().ask(question, within: limit)))
    }

    /// Returns the delivery of each device's first sample from a moment on.
    private func fates(_ request: WebRequest) async throws -> OutboxFatesReport {
        guard let time = try request.query.one("time") else {
            throw Problem.badRequest("time is missing: a moment as 2026-11-20T03:10:00Z")
        }
        let question = FindFates(from: time, at: try request.query.one("target"))
        return try await courier.demand().ask(question)
    }

    private struct Proof: Decodable {
        let seconds: Double?
        let repairs: Bool?
    }

    private func prove(_ request: WebRequest) async throws -> OutboxProofReport {
        let proof = request.body.isEmpty ? nil : try request.decoded(Proof.self)
        let question = ProveDelivery(
            Self.target(request),
            seconds: proof?.seconds,
            repairs: proof?.repairs
        )
        return try await courier.demand().ask(question, within: Self.serverLimit)
    }

    private struct Before: Decodable { let before: String }

    /// Requires a time, so that samples newer than the person's view are not dropped.
    private func drop(_ request: WebRequest) async throws -> WebResponse {
        let before = try request.decoded(Before.self).before
        let question = DropSamples(Self.target(request), before: before)
        return try .json(try await courier.demand().ask(question))
    }
}
