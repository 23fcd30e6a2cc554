import Core

/// URL of a browser at its push service, with the keys to encrypt messages to it.
///
/// An endpoint comes from outside, so it must not lead into the local network: `https` only, no
/// address of a private network, no name and password.
///
/// - Source: RFC 8030, section 5; RFC 8291, section 2; W3C, *Push API*.
package struct PushEndpoint: Hashable, Sendable {
    static let byteLimit = 1_024

    /// URL that the push service gave to the browser: a secret of the browser's owner.
    package let url: String
    /// The browser's public key, a point of P-256: 65 bytes.
    package let key: [UInt8]
    /// The secret that authenticates messages: 16 bytes.
    package let secret: [UInt8]
    /// `https://push.example.org`, the audience of VAPID.
    package let origin: String

    /// Checks an endpoint.
    ///
    /// - Parameters:
    ///   - url: `endpoint` of the browser's subscription.
    /// - Throws: `PushMistake` with the member that is wrong.
    package init(url: String, key: String, secret: String) throws(PushMistake) {
        guard url.utf8.count <= Self.byteLimit else {
            throw PushMistake("endpoint", "an endpoint has at most 1024 bytes")
        }
        let isPlain = url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }
        guard isPlain, url.hasPrefix("https://"), let origin = URLText.origin(url),
            origin.utf8.allSatisfy({ $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "%") })
        else { throw PushMistake("endpoint", "an endpoint is https://HOST/…") }
        guard Self.isPublic(origin) else {
            throw PushMistake("endpoint", "an endpoint is a server of the internet, by its name")
        }
        guard let point = Base64.bytes(key), point.count == 65, point[0] == 4 else {
            throw PushMistake("p256dh", "p256dh is a point of 65 bytes in base64url")
        }
        do {
            _ = try CurveKey(secret: [UInt8](repeating: 0, count: 31) + [1]).agree(with: point)
        } catch {
            throw PushMistake("p256dh", "p256dh is no point of the curve P-256")
        }
        guard let bytes = Base64.bytes(secret), bytes.count == 16 else {
            throw PushMistake("auth", "auth is 16 bytes in base64url")
        }
        (self.url, self.key, self.secret, self.origin) = (url, point, bytes, origin.lowercased())
    }

    /// Host of the push service, which says nothing about the browser's owner.
    package var host: String { String(origin.dropFirst("https://".count)) }

    /// Whether the host is a name with a dot, and not an address: push services are public names.
    private static func isPublic(_ origin: String) -> Bool {
        let place = origin.dropFirst("https://".count).lowercased()
        let parts = place.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let host = parts.first, !host.isEmpty else { return false }
        if parts.count == 2 {
            guard let port = UInt16(parts[1]), port > 0 else { return false }
        }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, let last = labels.last, !labels.contains("") else { return false }
        // A last label that begins with a digit may be an IPv4 address, also as 0x7f000001.
        guard let first = last.utf8.first, first >= UInt8(ascii: "a"), first <= UInt8(ascii: "z")
        else { return false }
        return !["local", "localhost", "internal", "lan", "home", "test", "invalid"].contains(last)
            && !host.hasSuffix(".home.arpa")
    }
}

/// A fault in a subscription or a notice, with its place.
package struct PushMistake: Error, Hashable, Sendable, CustomStringConvertible {
    /// Name of the faulty member in the request.
    package let member: String
    package let description: String

    package init(_ member: String, _ words: String) { (self.member, description) = (member, words) }
}
