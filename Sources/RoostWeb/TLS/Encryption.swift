import FileIO
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// Chooses the certificate of a connection: the owner's, or one of the station's own authority.
///
/// Everything is decided at each new connection, on a thread that may wait for the card; nothing
/// runs in between. The authority and its certificate are in the state folder, each in one file of
/// mode 0600 that is written in one step.
package final class Encryption: Sendable {
    /// Addresses in the certificate at most: the last ones that people connected to.
    static let addressMax = 8

    package struct Settings: Sendable {
        /// Folder of the authority's and the server's files.
        package var folder: String
        /// The station's name, for the authority's.
        package var station: String
        /// Names that the station answers to.
        package var names: [String]
        package var own: OwnCertificate.Place?

        package init(
            folder: String,
            station: String,
            names: [String],
            own: OwnCertificate.Place? = nil
        ) {
            self.folder = folder
            self.station = station
            self.names = names
            self.own = own
        }
    }

    /// Facts about the encryption that a visitor may see.
    struct Facts: Hashable {
        /// The authority: nil when it cannot be made or kept.
        var authority: String?
        var fingerprint: String?
        var until: Int64?
        /// The owner's certificate, while it is served.
        var ownUntil: Int64?
    }

    private struct State {
        var authority: KeyPair?
        var server: KeyPair?
        var addresses: [String] = []
        var context: TLSContext?
        /// Context of the owner's certificate, for clients that ask for its name.
        var other: TLSContext?
        var fault: String?
    }

    private let settings: Settings
    private let names: CertificateNames
    private let clock: WebClock
    private let trusted: @Sendable () -> Int64?
    private let logger: Logger
    private let state = Mutex(State())
    /// Not in `state`, which is locked while the card writes, so that plain HTTP does not wait.
    private let own: Mutex<OwnCertificate?>
    /// One thread; at most as many requests wait as there may be connections.
    private let pool = NIOThreadPool(numberOfThreads: 1)

    /// - Parameters:
    ///   - clock: For the server's certificates, which are made again when it is set.
    ///   - trusted: Seconds since 1970 that the station trusts; nil while it trusts none. By them
    ///     alone an authority is judged, as phones do not find back to one that was replaced.
    ///   - logger: For what is made, and why.
    package init(
        _ settings: Settings,
        clock: WebClock = .system,
        trusted: @escaping @Sendable () -> Int64? = { nil },
        logger: Logger
    ) {
        self.settings = settings
        (self.clock, self.trusted) = (clock, trusted)
        self.logger = logger
        names = CertificateNames(settings.names)
        own = Mutex(settings.own.map { OwnCertificate($0, names: settings.names) })
        pool.start()
    }

    deinit { pool.shutdownGracefully { _ in } }

    /// Returns the TLS context for a new connection, off the loop; see `context(for:)`.
    func context(
        for address: String?,
        on loop: any EventLoop
    ) -> EventLoopFuture<TLSContext?> {
        pool.runIfActive(eventLoop: loop) { self.context(for: address) }
    }

    /// Returns the TLS context for a new connection to an address; may wait for the card.
    ///
    /// - Parameter address: As text; nil before anyone connected.
    /// - Returns: nil when there is none; the log says why.
    func context(for address: String?) -> TLSContext? {
        state.withLock { state in
            let own = look()
            let wanted = address.map(Self.plain).flatMap {
                CertificateNames.isPrivate($0) ? $0 : nil
            }
            do {
                try renew(&state, wanted, own?.context)
                state.fault = nil
            } catch {
                // Once for each reason; the next connection tries again.
                if state.fault != "\(error)" {
                    logger.error("the station's own certificate cannot be made or kept: \(error)")
                }
                state.fault = "\(error)"
                return own?.context
            }
            return state.context
        }
    }

    /// Reads the facts for a route; nil while the dashboard ends.
    func readFacts() async -> Facts? { try? await pool.runIfActive { self.facts } }

    var facts: Facts {
        _ = context(for: nil)
        return state.withLock { state in
            var facts = Facts()
            facts.ownUntil = look()?.certificate.until
            if let authority = state.authority, let read = try? Certificate(authority.text) {
                facts.authority = authority.certificate
                facts.fingerprint = read.fingerprint
                facts.until = read.until
            }
            return facts
        }
    }

    /// Whether the owner's certificate is for a host: only then is plain HTTP sent on to HTTPS.
    func isOwn(_ host: String) -> Bool {
        look()?.certificate.isFor(host) ?? false
    }

    private func look() -> OwnCertificate.Served? {
        let now = clock.seconds()
        guard let (served, fault) = own.withLock({ $0?.look(now: now) }) else { return nil }
        if let fault {
            let instead = served == nil ? "the station's own authority" : "the one before"
            logger.error("the certificate is not used, \(instead) serves: \(fault)")
        }
        return served
    }

    /// `::ffff:10.0.0.7` of a socket for both kinds is an address of the fourth version.
    private static func plain(_ address: String) -> String {
        address.lowercased().hasPrefix("::ffff:") && address.contains(".")
            ? String(address.dropFirst(7)) : address
    }

    // MARK: Own authority

    private func renew(
        _ state: inout State,
        _ address: String?,
        _ other: TLSContext?
    ) throws {
        let now = clock.seconds()
        let authority = try authority(&state)
        let wanted =
            state.addresses
            + [address].compactMap(\.self).filter {
                !state.addresses.contains($0)
            }
        if state.server == nil { state.server = try read("server.pem", "certificate") }
        let kept = try state.server.map { try Certificate($0.text) }
        let signer = try Certificate(authority.text)
        if kept.map({
            Authority.isServerDue($0, of: signer, names, addresses: wanted, now: now)
        }) ?? true {
            let addresses = Array((Self.addresses(kept) + wanted).unique.suffix(Self.addressMax))
            let made = try Authority.makeServer(authority, names, addresses: addresses, now: now)
            try keep(made, "server.pem")
            (state.server, state.addresses, state.context) = (made, addresses, nil)
        }
        guard let server = state.server, state.context == nil || state.other !== other else {
            return
        }
        state.context = try TLSContext(
            certificates: server.certificate,
            key: server.key,
            other: other
        )
        state.other = other
    }

    private func authority(_ state: inout State) throws -> KeyPair {
        let path = "authority.pem"
        if let kept = try state.authority ?? read(path, "authority") {
            let read = try Certificate(kept.text)
            guard let fault = Authority.fault(read, names, now: trusted()) else {
                state.authority = kept
                return kept
            }
            logger.warning("a new authority is made, as of the old one \(fault); \(Self.again)")
        }
        let made = try Authority.make(settings.station, names)
        try keep(made, path)
        logger.notice("made the station's own certificate authority in \(settings.folder)")
        state.authority = made
        return made
    }

    private static let again = "phones that trusted it have to trust the new one"

    private func keep(_ pair: KeyPair, _ name: String) throws(FileError) {
        try Files.replace(settings.folder + "/" + name, with: Array(pair.text.utf8), mode: 0o600)
    }

    /// A pair of the folder; a damaged one counts as none.
    private func read(_ name: String, _ words: String) throws -> KeyPair? {
        let path = settings.folder + "/" + name
        guard let bytes = try Files.readIfThere(path, limit: 64 << 10, allowing: .links) else {
            return nil
        }
        if let pair = KeyPair(reading: String(decoding: bytes, as: UTF8.self)) { return pair }
        let next = words == "authority" ? "; " + Self.again : ""
        logger.warning("\(path) is damaged: the \(words) is made anew\(next)")
        return nil
    }

    /// Addresses of the certificate before: people may use them again.
    private static func addresses(_ certificate: Certificate?) -> [String] {
        let names = certificate?.names.split(separator: ",") ?? []
        return names.compactMap { name in
            let parts = name.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].hasSuffix("IP Address") else { return nil }
            let text = parts[1].lowercased().filter { !$0.isWhitespace }
            return CertificateNames.isPrivate(text) ? text : nil
        }
    }
}

extension [String] {
    /// The elements without repetitions, each at its last position.
    fileprivate var unique: [String] {
        var seen: Set<String> = []
        return Array(reversed().filter { seen.insert($0).inserted }.reversed())
    }
}
