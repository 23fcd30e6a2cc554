import Core
import Store

/// The dose report of `roost dose` and of the dashboard's interface.
package struct DoseReport: Codable, Hashable, Sendable {
    package struct Rate: Codable, Hashable, Sendable {
        package let mean: Double
        /// One standard error, by the number of counts.
        package let error: Double

        fileprivate init(_ rate: DoseSummary.Rate) { (mean, error) = (rate.mean, rate.error) }
    }

    package let channel: String
    package let from: String?
    package let to: String?
    package let isSinceMark: Bool
    package let sampleCount: Int
    package let coveredSeconds: Double
    package let elapsedSeconds: Double
    /// Number of counts in the covered time.
    package let counts: Double
    /// Per minute.
    package let countRate: Rate?
    package let deviation: Double?
    package let least: Double?
    package let most: Double?
    /// Dose rate in µSv/h.
    package let doseRate: Rate?
    /// Dose in µSv, of the covered time.
    package let measuredDose: Double?
    /// Dose in µSv, of all the time if it was like the covered time.
    package let estimatedDose: Double?

    package init(_ summary: DoseSummary, _ range: TimeRange, isSinceMark: Bool) {
        channel = summary.channels.name
        (from, to) = (range.from?.iso8601, range.to?.iso8601)
        self.isSinceMark = isSinceMark
        sampleCount = summary.sampleCount
        coveredSeconds = Double(summary.coveredTenths) / 10
        elapsedSeconds = Double(summary.elapsedTenths) / 10
        counts = summary.counts.rounded()
        countRate = summary.rate.map { Rate($0) }
        deviation = summary.deviation
        let hasSamples = summary.sampleCount > 0
        (least, most) = hasSamples ? (summary.least, summary.most) : (nil, nil)
        doseRate = summary.doseRate.map { Rate($0) }
        (measuredDose, estimatedDose) = (summary.measuredDose, summary.estimatedDose)
    }
}
