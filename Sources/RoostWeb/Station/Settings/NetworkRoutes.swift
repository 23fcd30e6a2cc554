import HTTPTypes
import Provisioning

/// Routes to look for Wi-Fi networks and to join one, for the owner of a station from an image.
package struct NetworkRoutes: Sendable {
    private let requests: NetworkRequests

    package init(_ requests: NetworkRequests) { self.requests = requests }

    /// Routes whose calls are written to the audit.
    package var acts: [Route] {
        [
            Route(.post, "/api/v1/network", .owner) { request in
                let wish = try request.decoded(Wish.self)
                return try answer(
                    NetworkRequest(
                        .join,
                        network: wish.network,
                        password: wish.password,
                        isHidden: wish.isHidden,
                        country: wish.country
                    )
                )
            }
            .about(
                "Has the station try a Wi-Fi, and return to the present one if it does not work.",
                takes: Wish.self,
                answers: NetworkView.self
            ),
            Route(.post, "/api/v1/network/point", .owner) { request in
                let wish = try request.decoded(PointWish.self)
                return try answer(NetworkRequest(.point, rule: wish.rule))
            }
            .about(
                "Says who may join the station's own Wi-Fi, from the next time that it opens.",
                takes: PointWish.self,
                answers: NetworkView.self
            ),
        ]
    }

    package var others: [Route] {
        [
            Route(.get, "/api/v1/network", .owner) { _ in try .json(try requests.view) }
                .about(
                    "How the station is connected, networks in range, and the last try.",
                    answers: NetworkView.self
                ),
            Route(.post, "/api/v1/network/scan", .owner) { _ in try answer(NetworkRequest(.scan)) }
                .about("Has the station look for networks.", answers: NetworkView.self),
        ]
    }

    private func answer(_ request: NetworkRequest) throws -> WebResponse {
        try requests.ask(request)
        return try .json(try requests.view)
    }

    private struct PointWish: Decodable {
        /// `open`, `locked`, or `afterClaim`: open until the station has an owner, then locked.
        let rule: String
    }

    private struct Wish: Decodable {
        /// The name's bytes, as hexadecimal digits.
        let network: String
        /// Without it, the one that the station has of this network; empty: none.
        let password: String?
        let isHidden: Bool?
        /// Two letters.
        let country: String?
    }
}
