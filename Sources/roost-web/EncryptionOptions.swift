import ArgumentParser
import Logging
import RoostWeb

/// Options of `roost-web` for encryption.
struct EncryptionOptions: ParsableArguments {
    @Option(help: "Address and port of HTTPS; may be given several times.")
    var listenTls: [String] = []

    @Option(help: "Ports of systemd's sockets that speak HTTPS; may be given several times.")
    var tlsPort: [Int] = [443, 8443]

    @Option(help: "A certificate of your own, as PEM with its chain; else the station makes one.")
    var certificate: String?

    @Option(help: "The key of --certificate.")
    var key: String?

    func validate() throws {
        guard (certificate == nil) == (key == nil) else {
            throw ValidationError("--certificate and --key belong together: give both")
        }
    }

    /// Addresses of HTTPS that this process opens itself.
    func sockets() throws -> [WebServer.Socket] {
        try listenTls.map { try ListenAddress.socket($0, of: "--listen-tls") }
    }

    /// Whether a socket of systemd's is meant for HTTPS.
    func isEncrypted(_ socket: WebServer.Socket) -> Bool {
        guard case .inherited(let descriptor) = socket,
            let port = InheritedSockets.port(of: descriptor)
        else { return false }
        return tlsPort.contains(port)
    }

    /// Makes the source of the connections' certificates.
    ///
    /// - Parameters:
    ///   - state: Where the authority is kept.
    ///   - names: That the station answers to; its own first.
    ///   - accounts: They know a time that the station trusts.
    /// - Returns: Nil without a socket that speaks TLS.
    func encryption(
        _ served: WebServer.Settings,
        _ state: String,
        _ names: [String],
        _ accounts: Accounts?,
        _ logger: Logger
    ) -> Encryption? {
        guard !served.encrypted.isEmpty else { return nil }
        var settings = Encryption.Settings(
            folder: state,
            station: names.first ?? "",
            names: names
        )
        if let certificate, let key {
            settings.own = OwnCertificate.Place(certificate: certificate, key: key)
        }
        return Encryption(
            settings,
            trusted: { accounts?.trustedSeconds },
            logger: logger
        )
    }

    /// Redirect to the first port of HTTPS.
    func redirect(_ settings: WebServer.Settings) -> HTTPSRedirect? {
        guard let encryption = settings.encryption, let first = settings.encrypted.first else {
            return nil
        }
        let port =
            switch first {
            case .inherited(let descriptor): InheritedSockets.port(of: descriptor)
            case .address(_, let port): port
            }
        return port.map { HTTPSRedirect(encryption, port: $0) }
    }
}
