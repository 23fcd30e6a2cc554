import ControlProtocol
import HTTPTypes

/// Routes for a phone that is to trust the station: the authority's certificate and fingerprint.
package struct TrustRoutes: Sendable {
    private let encryption: Encryption?
    private let station: String
    private let addresses: [String]
    private let accounts: Accounts?

    /// - Parameters:
    ///   - encryption: nil where nothing is encrypted.
    ///   - accounts: For a day they say who claimed the station, also to strangers.
    package init(
        _ encryption: Encryption?,
        station: String,
        addresses: [String],
        _ accounts: Accounts? = nil
    ) {
        (self.encryption, self.station, self.addresses) = (encryption, station, addresses)
        self.accounts = accounts
    }

    package var all: [Route] {
        [
            Route(.get, "/api/v1/trust", .anyone) { try await trust($0) }
                .about(
                    "Whether this is encrypted, and the authority's fingerprint.",
                    answers: TrustView.self
                ),
            Route(.get, "/ca.pem", .anyone) { _ in
                var answer = WebResponse.text(
                    try await authority().pem,
                    type: "application/x-x509-ca-cert"
                )
                answer.headers[.contentDisposition] = "attachment; filename=\"roost-ca.pem\""
                return answer
            },
            Route(.get, "/ca.mobileconfig", .anyone) { _ in
                let (pem, mark) = try await authority()
                return .text(
                    AppleProfile(station: station, pem: pem, fingerprint: mark).text,
                    type: "application/x-apple-aspen-config"
                )
            },
            Route(.get, "/.well-known/security.txt", .anyone) { _ in try security() },
        ]
    }

    /// Good for a year from the day of the question.
    ///
    /// - Source: RFC 9116.
    private func security() throws(Problem) -> WebResponse {
        guard let address = addresses.first else {
            throw Problem(.notOffered, "a contact has to be an encrypted page, and there is none")
        }
        let until = AccountText.date(WebClock.system.seconds() + 365 * 86_400)
        return .text(
            """
            # A station at home that measures its air. Its page Trust says whom to ask.
            Contact: \(address)trust
            Preferred-Languages: en, de, it
            Expires: \(until)

            """
        )
    }

    private func authority() async throws -> (pem: String, fingerprint: String) {
        guard let encryption else {
            throw Problem(.notOffered, "nothing is encrypted here: start it with --listen-tls")
        }
        let facts = await encryption.readFacts()
        guard let pem = facts?.authority, let fingerprint = facts?.fingerprint else {
            throw Problem(.store, "there is no authority; see journalctl -u roost-web")
        }
        return (pem, fingerprint)
    }

    private func trust(_ request: WebRequest) async throws -> WebResponse {
        let facts = await encryption?.readFacts()
        return try .json(
            TrustView(
                isEncrypted: request.peer.isEncrypted,
                addresses: addresses,
                fingerprint: facts?.fingerprint,
                until: facts?.until.map(AccountText.date),
                ownCertificateUntil: facts?.ownUntil.map(AccountText.date),
                claimed: accounts.flatMap { ClaimedView($0.roster, at: $0.clock.seconds()) }
            )
        )
    }
}

/// `/trust`: whether this is encrypted, and the authority's fingerprint.
struct TrustView: Codable, Sendable {
    let isEncrypted: Bool
    let addresses: [String]
    @OrNull var fingerprint: String?
    @OrNull var until: String?
    @OrNull var ownCertificateUntil: String?
    let claimed: ClaimedView?
}
