import COpenSSL
import Core

/// A certificate with its key as one text, in one file of the state folder.
struct KeyPair: Hashable {
    /// PEM; the certificate first.
    let text: String

    var certificate: String { PEM.blocks(of: text, "CERTIFICATE").joined() }
    var key: String { PEM.blocks(of: text, "PRIVATE KEY").joined() }

    init(certificate: String, key: String) { text = certificate + key }

    /// - Returns: nil for a text that is damaged: half written, or a key that is another's.
    init?(reading text: String) {
        self.text = text
        guard let read = try? Certificate(certificate), read.hasKey(key) else { return nil }
    }
}

/// Makes the certificates of the station's own authority; decides when they are due.
///
/// No clock dates an authority: people carry it to their phones once, and it must be good whatever
/// the station believed that day. A certificate of the server is made again at each connection that
/// needs another one, so that one goes by the clock of the moment.
enum Authority {
    private static let day: Int64 = 86_400
    /// 2050-01-01T00:00:00Z: X.509 writes dates before it in the form that every reader knows.
    static let end: Int64 = 2_524_608_000
    /// Validity of an authority's certificate.
    static let life = (epoch - earlySeconds)..<end
    /// Validity of a server's certificate; Apple's systems accept up to 398 days.
    static let serverLifeSeconds = 397 * day
    /// Time by which certificates are dated back, as clocks of phones may be slow.
    static let earlySeconds = day
    /// 2026-01-01T00:00:00Z: no certificate is from before it, whatever the clock says.
    static let epoch: Int64 = 1_767_225_600

    /// An authority that signs itself.
    static func make(
        _ station: String,
        _ names: CertificateNames,
        life: Range<Int64> = life
    ) throws(OpenSSLError) -> KeyPair {
        let key = try OpenSSLText.pem { copenssl_make_key($0, $1) }
        let mark = Hexadecimal.text(SHA256.digest(key).prefix(2))
        // Two authorities of one station differ in their names; X.509 allows 64 characters.
        let name = station.unicodeScalars.prefix(40).map { String($0) }.joined()
        let made = try with(life) { wish throws(OpenSSLError) in
            try (name + " (Roost \(mark))").with { text throws(OpenSSLError) in
                try names.constraints.with { constraints throws(OpenSSLError) in
                    (wish.name, wish.constraints) = (text, constraints)
                    return try OpenSSLText.pem { copenssl_make_authority(&wish, key, $0, $1) }
                }
            }
        }
        return KeyPair(certificate: made, key: key)
    }

    /// Makes a certificate for the server; its addresses are private, as the authority demands.
    static func makeServer(
        _ authority: KeyPair,
        _ names: CertificateNames,
        addresses: [String],
        now: Int64
    ) throws(OpenSSLError) -> KeyPair {
        let key = try OpenSSLText.pem { copenssl_make_key($0, $1) }
        let from = max(now, epoch) - earlySeconds
        let made = try with(from..<(from + serverLifeSeconds)) { wish throws(OpenSSLError) in
            try (names.names.first ?? "").with { name throws(OpenSSLError) in
                try names.alternatives(addresses).with { list throws(OpenSSLError) in
                    (wish.name, wish.names) = (name, list)
                    return try OpenSSLText.pem {
                        copenssl_make_server(
                            &wish,
                            key,
                            authority.certificate,
                            authority.key,
                            $0,
                            $1
                        )
                    }
                }
            }
        }
        return KeyPair(certificate: made, key: key)
    }

    /// Returns the reason to make a new authority.
    ///
    /// - Parameters:
    ///   - names: That it has to be for.
    ///   - now: Nil while no time is trusted: then no time decides.
    /// - Returns: Nil while the old one is good.
    static func fault(_ authority: Certificate, _ names: CertificateNames, now: Int64?) -> String? {
        let permitted = CertificateNames.permitted(in: authority.constraints)
        if permitted != Set(names.names) {
            let old = permitted.sorted().joined(separator: ", ")
            return "it is for \(old), and the station's names are now "
                + names.names.joined(separator: ", ")
        }
        guard let now, now >= epoch else { return nil }
        if authority.from > now { return "it begins on \(AccountText.date(authority.from))" }
        let left = authority.until - now
        return left < serverLifeSeconds ? "it ends in \(max(0, left / day)) days" : nil
    }

    /// Whether a new certificate of the server is due, for these names and addresses.
    static func isServerDue(
        _ server: Certificate,
        of authority: Certificate,
        _ names: CertificateNames,
        addresses: [String],
        now: Int64
    ) -> Bool {
        let now = max(now, epoch)
        let due = server.from + (server.until - server.from) * 2 / 3
        return !(server.from..<due).contains(now) || !server.isSigned(by: authority)
            || !(names.names + addresses).allSatisfy(server.isFor)
    }

    /// Fills a request with the times and a serial number.
    private static func with<Value>(
        _ life: Range<Int64>,
        _ body: (inout copenssl_wish) throws(OpenSSLError) -> Value
    ) throws(OpenSSLError) -> Value {
        var serial = RandomSecret.bytes(16)
        serial[0] = max(1, serial[0] & 0x7F)
        let kept = serial.copied()
        defer { kept.deallocate() }
        var wish = copenssl_wish()
        (wish.from, wish.until) = (life.lowerBound, life.upperBound)
        wish.serial = UnsafePointer(kept.baseAddress)
        return try body(&wish)
    }
}

extension [UInt8] {
    fileprivate func copied() -> UnsafeMutableBufferPointer<UInt8> {
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: count)
        _ = copy.initialize(from: self)
        return copy
    }
}

extension String {
    /// Runs `body` with the text as a C string.
    fileprivate func with<Value>(
        _ body: (UnsafePointer<CChar>) throws(OpenSSLError) -> Value
    ) throws(OpenSSLError) -> Value {
        let copy = (Array(utf8) + [0]).copied()
        defer { copy.deallocate() }
        return try copy.withMemoryRebound(to: CChar.self) { chars throws(OpenSSLError) in
            guard let base = UnsafePointer(chars.baseAddress) else { throw OpenSSLError() }
            return try body(base)
        }
    }
}
