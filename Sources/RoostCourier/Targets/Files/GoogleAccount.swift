import Core

/// A Google service account, read from the file with its key.
///
/// - Source: Google, *Using OAuth 2.0 for Server to Server Applications*; RFC 7523.
struct GoogleAccount: Sendable {
    /// Permission to write and read objects, not to change access rights.
    private static let scope = "https://www.googleapis.com/auth/devstorage.read_write"

    private let email: String
    private let keyID: String?
    private let key: Secret
    private let tokenURL: String

    /// Parses the file's text; nil when it is not the key of a service account.
    init?(_ file: Secret) {
        let json = WireJSON.parse(Array(file.reveal().utf8))
        guard let email = json?["client_email"]?.string, let key = json?["private_key"]?.string
        else { return nil }
        (self.email, self.key, keyID) = (email, Secret(key), json?["private_key_id"]?.string)
        tokenURL = json?["token_uri"]?.string ?? "https://oauth2.googleapis.com/token"
    }

    /// Makes the signed claim that asks for a token valid for an hour.
    ///
    /// - Parameter time: By a trusted clock: Google refuses a claim of another hour.
    /// - Returns: Three parts in base64url, joined by points (RFC 7515).
    /// - Throws: `CryptoFailure` for a key that is none.
    func claim(at time: WallTime) throws(CryptoFailure) -> Secret {
        let second = time.nanoseconds / 1_000_000_000
        var head = [("alg", WireJSON.string("RS256")), ("typ", WireJSON.string("JWT"))]
        if let keyID { head.append(("kid", WireJSON.string(keyID))) }
        let claims: [(key: String, value: String)] = [
            ("iss", WireJSON.string(email)), ("scope", WireJSON.string(Self.scope)),
            ("aud", WireJSON.string(tokenURL)), ("iat", "\(second)"), ("exp", "\(second + 3_600)"),
        ]
        let parts = [
            WireJSON.object(head.map { (key: $0.0, value: $0.1) }), WireJSON.object(claims),
        ]
        let text = parts.map { Base64.url(Array($0.utf8)) }.joined(separator: ".")
        let signature = try CourierCrypto.signRS256(Array(text.utf8), pem: key)
        return Secret("\(text).\(Base64.url(signature))")
    }

    /// Makes the request that exchanges a claim for a token.
    func request(_ claim: Secret) -> OutboundRequest {
        let grant = URLText.encoded("urn:ietf:params:oauth:grant-type:jwt-bearer")
        let body = "grant_type=\(grant)&assertion="
        var request = OutboundRequest(
            .post,
            MaskedText(tokenURL),
            [.init("Content-Type", "application/x-www-form-urlencoded")],
            body: Array((body + claim.reveal()).utf8)
        )
        request.shownBody = body + Secret.mask
        return request
    }

    /// Returns the token in an answer, or the outcome where there is none.
    static func token(_ answer: OutboundAnswer) -> Result<Secret, FileStop> {
        let json = WireJSON.parse(answer.body)
        if answer.status == 200, let token = json?["access_token"]?.string {
            return .success(Secret(token))
        }
        guard answer.status == 400 || answer.status == 401, let error = json?["error"]?.string
        else {
            return .failure(FileStop(outcome: FileAnswerClassifier.classify(answer)))
        }
        let about = answer.line(json?["error_description"]?.string ?? "")
        let isClock = about.contains("iat")
        let words = "Google refuses the account: \(answer.line(error)) \(about)"
        let reason =
            isClock
            ? DeliveryReason("clock-skewed", "Google finds this station's clock wrong: \(about)")
            : DeliveryReason("account-refused", words)
        return .failure(FileStop(outcome: .hold(reason)))
    }
}
