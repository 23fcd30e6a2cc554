import Core

/// One HTTP request to a server outside the station.
package struct OutboundRequest: Hashable, Sendable {
    /// Methods of HTTP and WebDAV (RFC 4918).
    package enum Method: String, Hashable, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
        case findProperties = "PROPFIND"
        case makeCollection = "MKCOL"
    }

    /// A field of the head; names are compared without letter case.
    package struct Field: Hashable, Sendable {
        package let name: String
        package let value: MaskedText

        package init(_ name: String, _ value: MaskedText) {
            (self.name, self.value) = (name, value)
        }

        /// `Authorization` by name and password (RFC 7617).
        static func basicAuthorisation(user: String, password: Secret) -> Field {
            let pair = Base64.text(Array("\(user):\(password.reveal())".utf8))
            return Field("Authorization", "Basic \(Secret(pair))")
        }
    }

    /// Signs with AWS Signature Version 4; the network does it, over the body's own hash.
    package struct AWSSignature: Hashable, Sendable {
        package let region: String
        package let service: String
        package let accessKey: String
        package let secretKey: Secret

        package init(region: String, service: String, accessKey: String, secretKey: Secret) {
            (self.region, self.service) = (region, service)
            (self.accessKey, self.secretKey) = (accessKey, secretKey)
        }
    }

    package var method: Method
    /// Absolute URL, `http` or `https`.
    package var url: MaskedText
    package var fields: [Field]
    /// At most `bodyLimit` bytes; larger files go by `OutboundFile`.
    package var body: [UInt8]
    /// Text that dry runs show in place of a body that holds a secret; nil shows the body.
    var shownBody: String?
    package var trust = ServerTrust.system
    package var signature: AWSSignature?
    /// Whether the request needs HTTP/2: Apple's push service speaks nothing else.
    package var needsHTTP2 = false
    /// Whether it must not reach the server twice: it gets a connection of its own.
    ///
    /// Over one that was kept, libcurl sends it again when the server closes without an answer.
    package var isOnce = false
    /// Seconds that the whole request may last, 1…600.
    package var timeoutSeconds = 60

    /// Bytes of the answer's body that are read; a longer one is a failure.
    package var answerLimit = OutboundAnswer.bodyLimit

    /// Bytes of a request's body at most.
    package static let bodyLimit = 8 << 20

    package init(
        _ method: Method,
        _ url: MaskedText,
        _ fields: [Field] = [],
        body: [UInt8] = []
    ) {
        (self.method, self.url, self.fields, self.body) = (method, url, fields, body)
    }

    /// A request with a body of JSON.
    package init(_ method: Method, _ url: MaskedText, json: String, _ fields: [Field] = []) {
        let type = Field("Content-Type", "application/json")
        self.init(method, url, [type] + fields, body: Array(json.utf8))
    }

    /// A request with a body of JSON that holds a secret.
    package init(_ method: Method, _ url: MaskedText, maskedJSON: MaskedText) {
        self.init(method, url, json: maskedJSON.revealed)
        shownBody = maskedJSON.shown
    }

    /// Secrets of the request, which a server may repeat and no person may see.
    var secrets: [String] {
        var found = url.secrets + fields.flatMap(\.value.secrets)
        if let shownBody, let text = String(validating: body, as: UTF8.self) {
            found += MaskedText(secret: text, shown: shownBody).secrets
        }
        return found
    }

    /// The request as a dry run shows it: all bytes that would be sent but for secrets.
    ///
    /// A body that is not text is shown as its size.
    package var dryRun: String {
        let lines = fields.map { "\($0.name): \($0.value.shown)" }
        let head = ["\(method.rawValue) \(url.shown)"] + lines
        let text = shownBody ?? String(validating: body, as: UTF8.self) ?? "\(body.count) bytes"
        return head.joined(separator: "\n") + "\n\n" + text
    }
}

/// Certificates that a server may show.
package enum ServerTrust: Hashable, Sendable {
    /// The certificates of the machine's authorities (`/etc/ssl/certs`).
    case system
    /// The certificates of the authorities in one PEM file.
    case authority(path: String)
    /// The certificate whose public key has this SHA-256 (base64), with any signer.
    case publicKey(sha256: String)
}
