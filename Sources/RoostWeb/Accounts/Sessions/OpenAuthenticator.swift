import HTTPTypes

/// Admits each visitor of this computer: to a card's history, or to the demonstration.
package struct OpenAuthenticator: Gate.Authenticator {
    private let right: Right

    /// `viewer` for a card; `owner` for a simulated station.
    package init(_ right: Right) { self.right = right }

    package var isClaimed: Bool { true }

    package func identity(_ headers: HTTPFields, _ peer: PeerAddress) -> Identity? {
        Identity(account: 0, name: "", right: right, door: .open)
    }

    /// `/me` where there are no accounts.
    package var route: Route {
        Route(.get, "/api/v1/me", .anyone) { [right] _ in
            try .json(MeView(openTo: right))
        }
        .about("Who asks; the first request of every page.", answers: MeView.self)
    }
}
