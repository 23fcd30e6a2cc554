/// One HTTP request to a server outside the station.
package struct OutboundRequest: Hashable, Sendable {
    /// As HTTP and WebDAV (RFC 4918) name them.
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
    /// Absolute, `http` or `https`.
    package var url: MaskedText
    package var fields: [Field]
    /// At most `bodyLimit` bytes; larger files go by `OutboundFile`.
    package var body: [UInt8]
    package var trust = ServerTrust.system
    package var signature: AWSSignature?
    /// Whether it is to be HTTP/2 (Apple's push service speaks nothing else).
    package var needsHTTP2 = false
    /// The whole request, in seconds, 1…600.
    package var timeoutSeconds = 60

    /// Bytes of a body.
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
}

/// Which certificates a server may show.
package enum ServerTrust: Hashable, Sendable {
    /// Those of the machine's authorities (`/etc/ssl/certs`).
    case system
    /// Those of the authorities in one PEM file.
    case authority(path: String)
    /// The one whose public key has this SHA-256, in base64, without a look at its signer.
    case publicKey(sha256: String)
}
