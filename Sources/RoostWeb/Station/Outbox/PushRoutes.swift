import ControlProtocol
import HTTPTypes

/// Routes by which a browser subscribes to notices that arrive while the page is closed.
package struct PushRoutes: Sendable {
    /// The courier; nil for a card without its station.
    private let courier: CourierClient?

    package init(_ courier: CourierClient?) { self.courier = courier }

    package var all: [Route] {
        [
            Route(.get, "/api/v1/push", .member) { request in
                try request.query.allow(only: [])
                return try .json(try await ask(.vapid, PushRequest(), PushKeyReport.self))
            },
            Route(.post, "/api/v1/push", .member, body: .form) { try await subscribe($0) },
            Route(.delete, "/api/v1/push", .member, body: .form) { try await unsubscribe($0) },
        ]
    }

    /// As `PushSubscription.toJSON()` gives it, with the choices of the page.
    private struct Subscription: Decodable {
        struct Keys: Decodable {
            let p256dh: String
            let auth: String
        }

        let endpoint: String
        let keys: Keys
        let seconds: Int?
        let language: String?
    }

    private struct Address: Decodable { let endpoint: String }

    private func subscribe(_ request: WebRequest) async throws -> WebResponse {
        try request.allow(only: ["endpoint", "keys", "seconds", "language", "expirationTime"])
        let body = try request.decoded(Subscription.self)
        var push = PushRequest()
        (push.kind, push.address) = ("webpush", body.endpoint)
        (push.p256dh, push.auth) = (body.keys.p256dh, body.keys.auth)
        (push.every, push.language) = (body.seconds, body.language)
        let report = try await ask(.subscribe, push, PushChangeReport.self)
        return try .json(report, status: report.change == "added" ? .created : .ok)
    }

    /// The endpoint is known to its own browser alone, so that naming it is the proof.
    private func unsubscribe(_ request: WebRequest) async throws -> WebResponse {
        try request.allow(only: ["endpoint"])
        var push = PushRequest()
        push.address = try request.decoded(Address.self).endpoint
        return try .json(try await ask(.unsubscribe, push, PushChangeReport.self))
    }

    private func ask<Body: Codable & Sendable>(
        _ command: CourierRequest.Command,
        _ push: PushRequest,
        _ type: Body.Type
    ) async throws -> Body {
        guard let courier else {
            throw Problem(.notOffered, "a card's history has no courier that could send")
        }
        return try await courier.ask(command, push, type)
    }
}
