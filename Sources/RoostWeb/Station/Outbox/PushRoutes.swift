import ControlProtocol
import HTTPTypes

/// Routes by which a browser subscribes to notices that arrive while the page is closed.
package struct PushRoutes: Sendable {
    /// The courier; nil for a card without its station.
    private let courier: (any QuestionClient)?

    package init(_ courier: (any QuestionClient)?) { self.courier = courier }

    package var all: [Route] {
        [
            Route(.get, "/api/v1/push", .member) { request in
                try .json(try await courier.demand().ask(GetPushKey()))
            }
            .about(
                "The key that a browser subscribes with, and whether notices go out.",
                answers: PushKeyReport.self
            ),
            Route(.post, "/api/v1/push", .member) { try await subscribe($0) }
                .about(
                    "Has this browser notified with the page closed.",
                    takes: Subscription.self,
                    answers: PushChangeReport.self
                ),
            Route(.delete, "/api/v1/push", .member) { try await unsubscribe($0) }
                .about("Ends that.", takes: Address.self, answers: PushChangeReport.self),
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
        /// Browsers add it, as a number or null; it is not used.
        let expirationTime: Double?
    }

    private struct Address: Decodable { let endpoint: String }

    private func subscribe(_ request: WebRequest) async throws -> WebResponse {
        let body = try request.decoded(Subscription.self)
        var push = SubscribePush(kind: "webpush", address: body.endpoint)
        (push.p256dh, push.auth) = (body.keys.p256dh, body.keys.auth)
        (push.every, push.language) = (body.seconds, body.language)
        let report = try await courier.demand().ask(push)
        return try .json(report, status: report.change == "added" ? .created : .ok)
    }

    /// The endpoint is known to its own browser alone, so that naming it is the proof.
    private func unsubscribe(_ request: WebRequest) async throws -> WebResponse {
        let address = try request.decoded(Address.self).endpoint
        return try .json(try await courier.demand().ask(UnsubscribePush(address: address)))
    }
}
