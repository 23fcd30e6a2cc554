import Core

/// Outcome of one attempt to deliver.
package enum DeliveryOutcome: Hashable, Sendable {
    /// The receiver has it, by the proof that its protocol gives.
    case delivered
    /// Part of the batch is delivered, the rest refused: the indices of refused items.
    case partly(refused: [Int], DeliveryReason)
    /// Try again after the back-off, or when the receiver asked for, in seconds.
    case later(DeliveryReason, afterSeconds: Int? = nil)
    /// A person has to change something; tried with one item an hour.
    case hold(DeliveryReason)
    /// The receiver will never take this batch as it is.
    case refused(DeliveryReason)
    /// The batch was sent whole, and no answer says whether it arrived.
    case unknown(DeliveryReason)
    /// Another server answered: a captive portal, a wrong address.
    case foreign(DeliveryReason)
}

extension DeliveryOutcome {
    /// Sentence for people.
    package var text: String {
        switch self {
        case .delivered: "delivered"
        case .partly(let refused, let reason): "\(refused.count) refused: \(reason.words)"
        case .later(let reason, _): "not delivered: \(reason.words)"
        case .hold(let reason): "not delivered, and not before you act: \(reason.words)"
        case .refused(let reason): "refused: \(reason.words)"
        case .unknown(let reason): "sent, and no answer says whether it arrived: \(reason.words)"
        case .foreign(let reason): reason.words
        }
    }
}

/// Reason of an outcome, as a code for programs and a sentence for people.
package struct DeliveryReason: Hashable, Sendable {
    /// Code of small letters and hyphens: `unknown-host`, `status-503`.
    package let code: String
    /// Sentence of at most 160 bytes on one line, without a secret.
    package let words: String
    /// Whether a machine of the own network refused the connection.
    package let isNear: Bool

    package init(_ code: String, _ words: String, isNear: Bool = false) {
        (self.code, self.isNear) = (code, isNear)
        self.words = ForeignText.line(words, byteMax: 160)
    }

    /// Makes the reason for samples that are too old; with `partly` the indices are of the oldest.
    package static func tooOld(_ words: String) -> DeliveryReason {
        DeliveryReason(ageCode, "older than the target keeps: \(words)")
    }

    var isAge: Bool { code == Self.ageCode }

    private static let ageCode = "older-than-kept"
}
