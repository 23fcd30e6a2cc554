import ControlProtocol
import Core

/// Why a turn of a feed ended early, or one part of it.
struct FeedTrouble: Error {
    private(set) var reason: DeliveryReason
    private(set) var isHeld = false
    private(set) var afterSeconds: Int?
    /// Whether only one part is affected, so that others may succeed.
    private(set) var isOfPart = false
    /// Whether the same request would get the same answer.
    private(set) var isFinal = false

    init(_ code: String, _ words: String, isHeld: Bool = false) {
        (reason, self.isHeld) = (DeliveryReason(code, words), isHeld)
    }

    /// Makes the trouble of an answer that is not a success.
    init(_ answer: OutboundAnswer) {
        self.init(DeliveryClassifier.classify(answer))
        isOfPart = answer.status != 429
        isFinal = isHeld
    }

    /// Makes the trouble of a request that got no answer.
    init(_ failure: NetworkFailure) {
        let outcome = DeliveryClassifier.classify(failure)
        self.init(outcome)
        // A request without an answer says nothing about the next one.
        if case .unknown = outcome { isOfPart = true }
    }

    private init(_ outcome: DeliveryOutcome) {
        switch outcome {
        case .hold(let reason), .refused(let reason): (self.reason, isHeld) = (reason, true)
        case .later(let reason, let seconds): (self.reason, afterSeconds) = (reason, seconds)
        case .unknown(let reason), .foreign(let reason): self.reason = reason
        case .delivered, .partly: reason = DeliveryReason("foreign", "no answer of a feed")
        }
    }

    /// - Parameters:
    ///   - fault: The fault found in an answer.
    ///   - answer: The faulty answer; nil where it was accepted, and only its next page is faulty.
    init(_ fault: FeedFault, of answer: OutboundAnswer? = nil) {
        afterSeconds = answer.flatMap(DeliveryClassifier.retryAfter)
        (isOfPart, isFinal) = (true, true)
        let words = ForeignText.masked(fault.message, answer?.secrets ?? [])
        switch fault {
        case .busy:
            reason = DeliveryReason("busy", words)
            (isOfPart, isFinal) = (false, false)
        case .refused: reason = DeliveryReason("refused", words)
        case .tooLarge, .notJSON, .shape, .continuation:
            reason = DeliveryReason("foreign", words)
        }
    }

    /// The trouble of a turn that has more pages left than it may fetch.
    static var unfinished: FeedTrouble {
        var trouble = FeedTrouble("more", "it has more pages than one turn takes: the next goes on")
        trouble.isOfPart = true
        return trouble
    }

    /// Returns the same trouble with the name of its part.
    func of(_ part: FeedPart) -> FeedTrouble {
        var named = self
        named.reason = DeliveryReason(reason.code, "\(part.name): \(reason.words)")
        return named
    }
}
