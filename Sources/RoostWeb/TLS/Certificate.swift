import COpenSSL

/// A certificate that was read, by OpenSSL.
final class Certificate {
    /// PEM of the certificate only, without keys and other certificates.
    let pem: String
    private let certificate: OpaquePointer

    /// Reads the first certificate of a PEM text.
    ///
    /// - Throws: `OpenSSLError` when there is none.
    init(_ text: String) throws(OpenSSLError) {
        guard let certificate = copenssl_read_certificate(text) else { throw OpenSSLError() }
        self.certificate = certificate
        pem = PEM.blocks(of: text, "CERTIFICATE").first ?? ""
    }

    deinit { copenssl_free_certificate(certificate) }

    /// Seconds since 1970.
    var from: Int64 { copenssl_valid_from(certificate) }
    var until: Int64 { copenssl_valid_until(certificate) }

    /// The SHA-256 of the certificate, 32 bytes.
    var digest: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 32)
        copenssl_fingerprint(certificate, &bytes)
        return bytes
    }

    /// Fingerprint for people to compare: `3F:A2:…`.
    var fingerprint: String { digest.map(Self.hex).joined(separator: ":") }

    /// Whether it is valid for a name or an address.
    func isFor(_ host: String) -> Bool { copenssl_is_for(certificate, host) }

    func isSigned(by authority: Certificate) -> Bool {
        copenssl_is_signed_by(certificate, authority.certificate)
    }

    func hasKey(_ pem: String) -> Bool { copenssl_has_key(certificate, pem) }

    /// Names and addresses, as `DNS:balcony.local, IP Address:10.0.0.7`; empty without any.
    var names: String { (try? OpenSSLText.pem { copenssl_names(certificate, $0, $1) }) ?? "" }

    /// Name constraints, a line for each; empty without any.
    var constraints: String {
        (try? OpenSSLText.pem { copenssl_constraints(certificate, $0, $1) }) ?? ""
    }

    private static func hex(_ byte: UInt8) -> String {
        let text = String(byte, radix: 16, uppercase: true)
        return text.count == 1 ? "0" + text : text
    }
}

/// Blocks of `-----BEGIN …-----` in a text.
enum PEM {
    /// The blocks of one kind, with their lines of beginning and end.
    static func blocks(of text: String, _ kind: String) -> [String] {
        let (begin, end) = ("-----BEGIN \(kind)-----", "-----END \(kind)-----")
        var (found, open): ([String], [Substring]?) = ([], nil)
        for line in text.split(whereSeparator: \.isNewline) {
            if line == begin { open = [] }
            open?.append(line)
            if line == end, let lines = open {
                found.append(lines.joined(separator: "\n") + "\n")
                open = nil
            }
        }
        return found
    }

    /// Returns the base64 text between the two marker lines, without line breaks.
    static func body(_ block: String) -> String {
        block.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
    }
}
