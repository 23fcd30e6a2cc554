/// The phase of a device between two samples.
package struct ProgressReport: Codable, Hashable, Sendable {
    /// `asleep`, `warming` or `measuring`.
    package let phase: String
    /// Seconds until the phase ends, ≥ 0; nil when it goes on.
    package let endsInSeconds: Double?
    /// Seconds until the next sample is expected, ≥ 0; nil in a stream.
    package let nextInSeconds: Double?

    package init(phase: String, endsInSeconds: Double?, nextInSeconds: Double?) {
        self.phase = phase
        self.endsInSeconds = endsInSeconds
        self.nextInSeconds = nextInSeconds
    }
}
