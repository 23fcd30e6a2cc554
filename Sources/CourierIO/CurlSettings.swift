import RoostCourier

/// Settings for every connection of a target.
package struct CurlSettings: Hashable, Sendable {
    /// Proxy `http://HOST:PORT`, `https://…` or `socks5h://…`, maybe with a log-in; nil for none.
    package var proxy: MaskedText?
    /// Whether this computer and the address where clouds keep secrets are allowed.
    package var allowsLocal = false
    /// Whether private networks are refused too: addresses come from strangers.
    package var isPublicOnly = false
    /// The folder of hashed certificates that `ServerTrust.system` trusts.
    package var authorities = "/etc/ssl/certs"
    /// Time within which each address has to accept a connection.
    var connectLimit: Duration = .seconds(10)

    package init() {}
}
