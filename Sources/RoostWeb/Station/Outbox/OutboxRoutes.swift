import ControlProtocol
import HTTPTypes
import NIOCore

/// Routes to read and to change the delivery of samples and notices to each target.
package struct OutboxRoutes: Sendable {
    /// Seconds that a page waits for waiting items to be sent.
    private static let flushSeconds = 5.0
    /// Time that a server may take to say what it has, or to receive something again.
    private static let serverPatience = TimeAmount.seconds(60)

    /// The courier; nil for a card without its station.
    private let courier: CourierClient?

    package init(_ courier: CourierClient?) { self.courier = courier }

    package var all: [Route] {
        [
            Route(.get, "/api/v1/outbox", .viewer, scope: .read) { request in
                try request.query.allow(only: [])
                return try .json(try await view())
            },
            Route(.get, "/api/v1/outbox/fates", .viewer, scope: .read) {
                try .json(try await fates($0))
            },
            Route(.post, "/api/v1/outbox/{id}/flush", .member, scope: .write, body: .form) {
                try $0.allow(only: [])
                return try await act(.flush, $0, seconds: Self.flushSeconds)
            },
            Route(.post, "/api/v1/outbox/{id}/pause", .member, scope: .write, body: .form) {
                try $0.allow(only: ["seconds"])
                return try await act(.pause, $0, seconds: try length($0))
            },
            Route(.post, "/api/v1/outbox/{id}/resume", .member, scope: .write, body: .form) {
                try $0.allow(only: [])
                return try await act(.resume, $0)
            },
            Route(.post, "/api/v1/outbox/{id}/retry", .member, scope: .write, body: .form) {
                try $0.allow(only: [])
                let question = CourierRequest(.retry, target: $0.parameters["id"])
                return try .json(
                    try await ask(question, OutboxRetryReport.self, within: Self.serverPatience)
                )
            },
            Route(.post, "/api/v1/outbox/{id}/prove", .member, scope: .write, body: .form) {
                try .json(try await prove($0))
            },
            Route(.post, "/api/v1/outbox/{id}/drop", .owner, scope: .write, body: .form) {
                try await drop($0)
            },
        ]
    }

    /// The report, or that there is none: a station without a courier is no fault.
    private func view() async throws -> OutboxView {
        guard let courier else {
            throw Problem(.notOffered, "a card's history has no courier that could send")
        }
        return OutboxView(try await courier.outbox())
    }

    private struct Length: Decodable { let seconds: Double? }

    private func length(_ request: WebRequest) throws -> Double? {
        request.body.isEmpty ? nil : try request.decoded(Length.self).seconds
    }

    private func act(
        _ command: CourierRequest.Command,
        _ request: WebRequest,
        seconds: Double? = nil
    ) async throws -> WebResponse {
        let question = CourierRequest(command, target: request.parameters["id"], seconds: seconds)
        let patience = TimeAmount.seconds(Int64(command == .flush ? seconds ?? 0 : 0))
        let report = try await ask(
            question,
            CourierReport.self,
            within: patience + StationClient.patience
        )
        return try .json(OutboxView(report))
    }

    /// Returns the delivery of each device's first sample from a moment on.
    private func fates(_ request: WebRequest) async throws -> OutboxFatesReport {
        try request.query.allow(only: ["time", "target"])
        guard let time = try request.query.one("time") else {
            throw Problem.badRequest("time is missing: a moment as 2026-11-20T03:10:00Z")
        }
        var question = CourierRequest(.why, target: try request.query.one("target"))
        question.time = time
        return try await ask(question, OutboxFatesReport.self)
    }

    private struct Proof: Decodable {
        let seconds: Double?
        let repairs: Bool?
    }

    private func prove(_ request: WebRequest) async throws -> OutboxProofReport {
        try request.allow(only: ["seconds", "repairs"])
        let proof = request.body.isEmpty ? nil : try request.decoded(Proof.self)
        var question = CourierRequest(
            .prove,
            target: request.parameters["id"],
            seconds: proof?.seconds
        )
        question.repairs = proof?.repairs
        return try await ask(question, OutboxProofReport.self, within: Self.serverPatience)
    }

    private struct Before: Decodable { let before: String }

    /// Requires a time, so that samples newer than the person's view are not dropped.
    private func drop(_ request: WebRequest) async throws -> WebResponse {
        try request.allow(only: ["before"])
        var question = CourierRequest(.drop, target: request.parameters["id"])
        question.time = try request.decoded(Before.self).before
        return try .json(try await ask(question, OutboxDropReport.self))
    }

    private func ask<Body: Codable & Sendable>(
        _ question: CourierRequest,
        _ type: Body.Type,
        within patience: TimeAmount = StationClient.patience
    ) async throws -> Body {
        guard let courier else {
            throw Problem(.notOffered, "a card's history has no courier that could send")
        }
        return try await courier.ask(question, type, within: patience)
    }
}

/// `/outbox`: the courier's report without what belongs to its computer.
struct OutboxView: Codable, Sendable {
    let isRunning: Bool
    /// Why the station is not followed, and why cursors are not kept; nil while all is well.
    let stationTrouble: String?
    let cursorTrouble: String?
    let isMetered: Bool
    let omittedEventCount: Int
    let targets: [OutboxReport]
    let receivers: [OutboxReport]
    let feeds: [OutboxReport]

    init(_ report: CourierReport?) {
        isRunning = report != nil
        (stationTrouble, cursorTrouble) = (report?.stationTrouble, report?.cursorTrouble)
        isMetered = report?.isMetered ?? false
        omittedEventCount = report?.omittedEventCount ?? 0
        (targets, receivers) = (report?.targets ?? [], report?.receivers ?? [])
        feeds = report?.feeds ?? []
    }
}
