/// One present fault of a station, and the next step.
package struct FaultReport: Codable, Hashable, Sendable {
    /// Stable while the fault lasts: its kind and its subject, as in `sensor-silent:dust`.
    package let id: String
    /// When it began, ISO 8601; nil while the time is not known.
    package let since: String?
    /// Seconds that it has lasted.
    package let ageSeconds: Double
    /// The fault, as a sentence without its full stop.
    package let sentence: String
    /// The next step for a person.
    package let nextStep: String

    package init(
        id: String,
        since: String?,
        ageSeconds: Double,
        sentence: String,
        nextStep: String
    ) {
        self.id = id
        self.since = since
        self.ageSeconds = ageSeconds
        self.sentence = sentence
        self.nextStep = nextStep
    }
}
