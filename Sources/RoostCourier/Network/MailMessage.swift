/// A message for a mail server (RFC 5321, RFC 5322).
package struct MailMessage: Hashable, Sendable {
    /// `smtp://HOST:587` with STARTTLS, which is required, or `smtps://HOST:465`.
    package var url: MaskedText
    package var user: String?
    package var password: Secret?
    package var from: String
    /// 1…10.
    package var recipients: [String]
    /// Head and body with CRLF; the network doubles dots at the start of lines.
    package var bytes: [UInt8]
    package var trust = ServerTrust.system
    /// Whether a server without encryption is allowed: only on the local network.
    package var allowsPlain = false
    /// Whether the conversation ends after the log-in: nothing is sent.
    package var isProbe = false

    package init(url: MaskedText, from: String, recipients: [String], bytes: [UInt8]) {
        (self.url, self.from, self.recipients, self.bytes) = (url, from, recipients, bytes)
    }
}
