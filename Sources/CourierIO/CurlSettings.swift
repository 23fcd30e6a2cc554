import RoostCourier

/// Settings for every connection of a target.
package struct CurlSettings: Hashable, Sendable {
    /// `http://HOST:PORT`, `https://…` or `socks5h://…`, possibly with a log-in; nil without one.
    package var proxy: MaskedText?
    /// Whether this computer itself may be asked, and the address where clouds keep secrets.
    package var allowsLocal = false
    /// Whether private networks are refused too: addresses come from strangers.
    package var isPublicOnly = false
    /// The folder of hashed certificates that `ServerTrust.system` trusts.
    package var authorities = "/etc/ssl/certs"
    /// How long each address may take to accept a connection.
    package var connectLimit: Duration = .seconds(10)

    package init() {}
}
