/// Results of the station's checks of its own machine.
package struct FindingsReport: Codable, Hashable, Sendable {
    /// In the order of `roost doctor`.
    package let findings: [FindingReport]
    /// Checks that cannot be answered from the station's sandbox.
    package let hidden: [String]
    /// Seconds since the checks ran.
    package var ageSeconds: Double = 0

    package init(findings: [FindingReport], hidden: [String]) {
        (self.findings, self.hidden) = (findings, hidden)
    }
}

/// The result of one check.
package struct FindingReport: Codable, Hashable, Sendable {
    /// Name of the check: `under-voltage`.
    package let name: String
    /// `ok`, `note`, `warning`, `failure` or `skipped`.
    package let verdict: String
    /// The result in one sentence.
    package let sentence: String
    /// Further facts, one each.
    package let details: [String]
    /// The next step: a command or an edit, as it is typed.
    package let nextStep: String?
    /// When a fault began, ISO 8601; nil of a check, and while the time is not known.
    package var since: String?

    package init(
        name: String,
        verdict: String,
        sentence: String,
        details: [String],
        nextStep: String?
    ) {
        self.name = name
        self.verdict = verdict
        self.sentence = sentence
        self.details = details
        self.nextStep = nextStep
    }
}
