/// How a check ends, from the best to the worst; what was skipped says nothing.
package enum DoctorVerdict: String, Codable, CaseIterable, Sendable {
    case skipped, ok, note, warning, failure

    /// Returns the word for this verdict on a number of checks.
    package func text(_ count: Int) -> String {
        switch self {
        case .skipped, .ok: rawValue
        case .note, .warning, .failure: rawValue + (count == 1 ? "" : "s")
        }
    }
}

/// The result of a check.
struct DoctorFinding: Hashable {
    let verdict: DoctorVerdict
    /// The state found, in one sentence.
    let sentence: String
    /// Details of the state, one each.
    var details: [String] = []
    /// The next step: a command or an edit, as it is typed.
    var next: String?

    static func ok(_ sentence: String) -> DoctorFinding {
        DoctorFinding(verdict: .ok, sentence: sentence)
    }

    static let ofImage = skipped("asks the running machine; this is an image")
    static let noPi = skipped("only a Raspberry Pi has this")

    /// A check with nothing to decide on, and the reason.
    static func skipped(_ reason: String) -> DoctorFinding {
        DoctorFinding(verdict: .skipped, sentence: reason)
    }

    static func hint(_ sentence: String, next: String? = nil) -> DoctorFinding {
        DoctorFinding(verdict: .note, sentence: sentence, next: next)
    }

    static func warning(_ sentence: String, next: String) -> DoctorFinding {
        DoctorFinding(verdict: .warning, sentence: sentence, next: next)
    }

    static func failure(_ sentence: String, next: String) -> DoctorFinding {
        DoctorFinding(verdict: .failure, sentence: sentence, next: next)
    }

    func with(details: [String]) -> DoctorFinding {
        var finding = self
        finding.details = details
        return finding
    }
}

/// One question about a machine, and how the facts answer it.
///
/// Pure: the same facts give the same finding.
package struct DoctorCheck: Sendable {
    package let name: String
    /// The question that the check answers, for the list.
    package let question: String
    let decide: @Sendable (DoctorFacts) -> DoctorFinding
}

extension [String] {
    /// `a`, `a and b`, `a, b and c`.
    var inWords: String {
        guard let last, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " and " + last
    }
}
