import Core

/// Signs what goes to the owner's own servers.
///
/// `X-Roost-Signature: t=<seconds since 1970>,v1=<hex HMAC-SHA256 of "t.body">`; the receiver
/// refuses a signature that is too old. Without any clock, `t` is 0.
struct WebhookSigner: Sendable {
    private let secret: Secret
    private let clock: any NodeClock

    init(_ secret: Secret, clock: any NodeClock) {
        (self.secret, self.clock) = (secret, clock)
    }

    func field(_ body: [UInt8]) -> OutboundRequest.Field {
        let second = (clock.wallReading?.wall.nanoseconds ?? 0) / 1_000_000_000
        let signed = Array("\(second).".utf8) + body
        let code = CourierCrypto.hmacSHA256(key: Array(secret.reveal().utf8), signed)
        return .init("X-Roost-Signature", "t=\(second),v1=\(Secret(Hexadecimal.text(code)))")
    }
}
