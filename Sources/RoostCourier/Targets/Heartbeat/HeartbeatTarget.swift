import Core

/// Decides whether the station may say that it is alive, and makes the heartbeat's request.
///
/// An alarm that does not depend on the station is the absence of heartbeats: so they stop when the
/// station does not answer, when it reports that it is unwell, and when a sampler that should
/// measure makes no progress.
package struct HeartbeatTarget: Sendable {
    /// State of the station, as the courier knows it when a heartbeat is due.
    package struct Health: Hashable, Sendable {
        /// A device that is scheduled; muted and unplugged-by-hand ones are not in the list.
        package struct Sampler: Hashable, Sendable {
            package let device: String
            package let interval: Duration
            /// Time since its last outcome.
            package let progressAge: Duration

            package init(device: String, interval: Duration, progressAge: Duration) {
                (self.device, self.interval) = (device, interval)
                self.progressAge = progressAge
            }
        }

        /// Time since the station last answered `status`; nil when it never did.
        package let answerAge: Duration?
        /// Reasons why the station is unwell; empty when it is well.
        package let reasons: [String]
        package let samplers: [Sampler]

        package init(answerAge: Duration?, reasons: [String], samplers: [Sampler]) {
            (self.answerAge, self.reasons, self.samplers) = (answerAge, reasons, samplers)
        }
    }

    package enum Decision: Hashable, Sendable {
        /// The station is alive; the text is the heartbeat's body.
        case alive(String)
        /// The station answers and is unwell: this is said at once, to the URL for failures.
        case unwell(String)
        /// No heartbeat is sent: the service's own time limit runs out.
        case silent(String)
    }

    /// Time between two heartbeats, 60 s … 1 d.
    package let period: Duration
    package var trust = ServerTrust.system
    private let url: MaskedText
    private let saysUnwell: Bool

    /// - Parameters:
    ///   - url: URL of the check, such as `https://hc-ping.com/UUID`.
    ///   - saysUnwell: Whether the service takes `…/fail`.
    package init(url: MaskedText, period: Duration = .seconds(300), saysUnwell: Bool = true) {
        self.url = URLText.base(url)
        (self.period, self.saysUnwell) = (period, saysUnwell)
    }

    /// Decides whether a heartbeat that is due is sent, and what it says.
    package func decide(_ health: Health) -> Decision {
        guard let age = health.answerAge, age <= period else {
            return .silent("the station has not answered in this period")
        }
        let stuck = health.samplers.filter { $0.progressAge > $0.interval * 2 }.map(\.device)
        guard stuck.isEmpty else {
            return .silent("no progress: " + stuck.sorted().joined(separator: ", "))
        }
        // Two targets that are silent because of each other's failure would never recover.
        let reasons = health.reasons.filter { saysUnwell || !$0.hasPrefix("outbox-fails:") }
        guard reasons.isEmpty else {
            let words = reasons.joined(separator: "\n")
            return saysUnwell ? .unwell(words) : .silent(words)
        }
        return .alive("\(health.samplers.count) devices measure")
    }

    /// Makes the request for a decision; nil when none is sent.
    package func request(_ decision: Decision) -> OutboundRequest? {
        let (address, words): (MaskedText, String)
        switch decision {
        case .silent: return nil
        case .alive(let text): (address, words) = (url, text)
        case .unwell(let text): (address, words) = ("\(url)/fail", text)
        }
        let fields: [OutboundRequest.Field] = [.init("Content-Type", "text/plain; charset=utf-8")]
        // The service keeps 10 000 bytes.
        let body = Array(words.utf8.prefix(10_000))
        var request = OutboundRequest(.post, address, fields, body: body)
        request.timeoutSeconds = 10
        request.trust = trust
        return request
    }

    /// Judges an answer; a heartbeat is tried three times within its period, and never late.
    package static func classify(_ answer: OutboundAnswer) -> DeliveryOutcome {
        // Healthchecks says `OK (not found)` of a check that is gone; others say what they like.
        if answer.isSuccess, !answer.isHTML, !answer.text.hasPrefix("OK (") { return .delivered }
        if answer.status == 404, !answer.isHTML {
            return .hold(DeliveryReason("check-deleted", "the service has no such check"))
        }
        if answer.status == 409 {
            return .hold(DeliveryReason("check-ambiguous", "two checks have this name"))
        }
        return DeliveryClassifier.classify(answer)
    }
}
