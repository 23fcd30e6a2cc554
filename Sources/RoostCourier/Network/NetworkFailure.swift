/// Why a request got no answer.
package struct NetworkFailure: Error, Hashable, Sendable {
    /// Stage of the exchange at which it failed.
    package enum Stage: String, Hashable, Sendable, CaseIterable {
        /// The name server did not answer within its time.
        case nameServerSilent
        /// No name server knows the host.
        case unknownHost
        /// The machine is there, and no program listens on the port.
        case refused
        /// No route, or no machine answered.
        case unreachable
        case connectTimedOut
        /// The certificate is not trusted, or is for another name.
        case certificate
        /// The certificate is not valid now by this machine's clock.
        case certificateTime
        case encryption
        /// The server accepted the connection and sent no whole answer in time.
        case silent
        /// The connection ended within the exchange.
        case closed
        /// The answer breaks the protocol, or is longer than its limit.
        case malformed
        /// The server demands a log-in, or refuses this one (mail, broker).
        case notAuthorised
        /// The server sends a request by `http` to `https` of the same host.
        case redirected
        /// The failure is on this machine: memory, descriptors, a file that cannot be read.
        case local
    }

    package let stage: Stage
    /// Sentence for people, without a secret.
    package let words: String
    /// Whether the whole request had been sent, so that it may have been carried out.
    package let wasSent: Bool
    /// A code that says more than the stage; nil where the stage says it.
    package let code: String?
    /// Whether the server has an address of the own network.
    package var isNear = false

    package init(_ stage: Stage, _ words: String, wasSent: Bool = false, code: String? = nil) {
        (self.stage, self.words, self.wasSent, self.code) = (stage, words, wasSent, code)
    }
}

extension NetworkFailure: CustomStringConvertible {
    package var description: String { words }
}
