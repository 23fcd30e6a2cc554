import Core

/// Meaning of an answer or failure where the receiver has no rules of its own.
enum DeliveryClassifier {
    /// Judges an answer by its status alone; a target looks for its own proof first.
    ///
    /// A success that reaches this function lacks the proof, so it is `foreign`.
    static func classify(_ answer: OutboundAnswer) -> DeliveryOutcome {
        let words =
            "status \(answer.status)" + (answer.excerpt.isEmpty ? "" : ": \(answer.excerpt)")
        let reason = DeliveryReason("status-\(answer.status)", words)
        if answer.isHTML || answer.isSuccess || (300..<400).contains(answer.status) {
            return .foreign(
                DeliveryReason("foreign", "another server answers (captive portal?): \(words)")
            )
        }
        switch answer.status {
        case 401, 403, 404: return .hold(reason)
        case 408, 425, 429, 500...: return .later(reason, afterSeconds: retryAfter(answer))
        default: return .refused(reason)
        }
    }

    /// Judges a request without an answer.
    static func classify(_ failure: NetworkFailure) -> DeliveryOutcome {
        let reason = DeliveryReason(
            failure.code ?? code(failure.stage),
            failure.words,
            isNear: failure.isNear && failure.stage == .refused
        )
        switch failure.stage {
        case .certificate, .notAuthorised, .redirected: return .hold(reason)
        default: return failure.wasSent ? .unknown(reason) : .later(reason)
        }
    }

    /// Returns the seconds of `Retry-After`, at most a day; nil without one.
    ///
    /// A date counts from the answer's own `Date`, so the station's clock need not be right.
    static func retryAfter(_ answer: OutboundAnswer) -> Int? {
        guard let text = answer.fields["retry-after"]?.trimming() else { return nil }
        if let seconds = Int(text) { return min(max(seconds, 0), 86_400) }
        guard let until = HTTPDate.parse(text), let date = answer.fields["date"],
            let now = HTTPDate.parse(date.trimming())
        else { return nil }
        return Int(min(max((until.tenths - now.tenths) / 10, 0), 86_400))
    }

    private static func code(_ stage: NetworkFailure.Stage) -> String {
        var code = ""
        for letter in stage.rawValue {
            code += letter.isUppercase ? "-\(letter.lowercased())" : "\(letter)"
        }
        return code
    }
}

extension CourierNetwork {
    /// Sends a request and judges its answer, or the failure in place of one.
    ///
    /// - Throws: `CancellationError` alone.
    package func outcome(
        of request: OutboundRequest,
        _ classify: (OutboundAnswer) -> DeliveryOutcome
    ) async throws -> DeliveryOutcome {
        do {
            return classify(try await exchange(request))
        } catch let failure as NetworkFailure {
            return DeliveryClassifier.classify(failure)
        }
    }
}
