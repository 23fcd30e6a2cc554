import Core
import HTTPTypes

/// The cookie of a session.
///
/// Cookies belong to a host and not to a port: another web server on the same machine sees it, and
/// may set one of the same name. So all cookies of the name are tried, four at most.
///
/// Over TLS it has another name, with the prefix `__Host-`: browsers take such a cookie from
/// encrypted pages of this host alone, and give it to those alone.
struct SessionCookie: Hashable, Sendable {
    private(set) var name: String
    private var attributes = "Path=/; HttpOnly; SameSite=Strict"

    /// - Parameter station: Its name, so that two stations behind one host do not end each other's
    ///   sessions.
    init(station: String) {
        name = "roost_" + Hexadecimal.text(SHA256.digest(station).prefix(2))
    }

    /// Returns the cookie for one connection: its name depends on encryption.
    func over(_ peer: PeerAddress) -> SessionCookie {
        guard peer.isEncrypted else { return self }
        var cookie = self
        cookie.name = "__Host-" + name
        cookie.attributes += "; Secure"
        return cookie
    }

    func values(in headers: HTTPFields) -> [String] {
        let pairs = headers[values: .cookie].flatMap { $0.split(separator: ";") }
        let own = pairs.compactMap { pair -> String? in
            let parts = NewPerson.trimmed(String(pair)).split(separator: "=", maxSplits: 1)
            return parts.count == 2 && parts[0] == name ? String(parts[1]) : nil
        }
        return Array(own.filter { $0.utf8.count <= 64 }.prefix(4))
    }

    func setting(_ value: String) -> String {
        "\(name)=\(value); Max-Age=\(SessionRecord.ageMax); \(attributes)"
    }

    var clearing: String { "\(name)=; Max-Age=0; \(attributes)" }
}
