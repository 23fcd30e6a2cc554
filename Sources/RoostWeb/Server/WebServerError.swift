import Glibc

/// Why an address cannot be listened on, with the next step.
struct WebServerError: Error, Hashable, CustomStringConvertible {
    let host: String
    let port: Int
    /// The system's error number; nil when it gave none, as for a name without an address.
    let errno: Int32?
    let words: String

    init(host: String, port: Int, errno: Int32?, words: String) {
        self.host = host
        self.port = port
        self.errno = errno
        self.words = words
    }

    var description: String {
        let place = "\(host.contains(":") ? "[\(host)]" : host):\(port)"
        switch errno {
        case EADDRINUSE?:
            return "\(place) is taken by another program: choose another port with --listen, or "
                + "see which it is: sudo ss -ltnp 'sport = :\(port)'"
        case EACCES?:
            return "\(place) may not be taken by this user: ports below 1024 need systemd's socket "
                + "(scripts/install) or root; choose --listen \(host):8088"
        case EADDRNOTAVAIL?:
            return "\(place): this computer does not have that address; `ip address` shows those "
                + "it has, and --listen 0.0.0.0:\(port) takes all"
        default:
            return "\(place) cannot be listened on: \(words); choose another with --listen"
        }
    }
}
