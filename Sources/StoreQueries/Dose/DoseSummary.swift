import Core
import Store

/// What a radiation counter counted in a time, how sure that is, and the dose.
///
/// A count per minute is that of the minute before it. So a sample covers the time since the one
/// before it, a minute at most, and all counts together are the rates times the covered time.
/// Decays are independent of one another: of N counts the error is √N (Poisson).
package struct DoseSummary: Hashable, Sendable {
    /// A number of counts per minute or µSv/h with its error of counting.
    package struct Rate: Hashable, Sendable {
        package let mean: Double
        /// One standard error of the mean, by the number of counts.
        package let error: Double
    }

    /// Counts per minute of a device, and its dose rate where that is derived.
    package struct Channels: Hashable, Sendable {
        package let stream: StreamDescription
        package let rate: Int
        /// In µSv/h; nil where the profile has no such channel.
        package let doseRate: Int?

        /// Those of a stream with counts per minute.
        package init?(_ stream: StreamDescription) {
            let units = stream.quantities.map(\.unit)
            guard let rate = units.firstIndex(of: Quantity.countRate.unit) else { return nil }
            (self.stream, self.rate) = (stream, rate)
            doseRate = units.firstIndex(of: "µSv/h")
        }

        /// As `geiger/cpm`.
        package var name: String { stream.channels[rate].description }
    }

    /// What a count of a minute covers.
    private static let minuteTenths: Int64 = 600

    package let channels: Channels
    /// Samples with a count.
    package private(set) var sampleCount = 0
    /// Time with counts, in tenths of a second.
    package private(set) var coveredTenths: Int64 = 0
    /// Time from the first to the last sample, or to where the time was asked for.
    package private(set) var elapsedTenths: Int64 = 0
    package private(set) var least: Double = 0
    package private(set) var most: Double = 0
    /// Counts in the covered time.
    package private(set) var counts: Double = 0
    /// µSv in the covered time; nil without a dose rate.
    package private(set) var measuredDose: Double?

    private var sum: Double = 0
    private var squares: Double = 0
    private let factor: Double?

    /// Reads the samples of a time.
    ///
    /// - Parameters:
    ///   - channels: Of which counter.
    ///   - reader: The history.
    ///   - times: Of the same reader.
    ///   - range: From when to when.
    ///   - factor: Counts per minute for 1 µSv/h, > 0, where no dose rate is derived.
    /// - Throws: `StoreError.database`.
    package init(
        _ channels: Channels,
        _ reader: HistoryReader,
        _ times: StoreTimes,
        _ range: TimeRange,
        factor: Double? = nil
    ) throws {
        (self.channels, self.factor) = (channels, factor)
        let spans = times.clip(try StreamExtents(reader).spans(of: channels.stream.id), range)
        let scales = [channels.rate, channels.doseRate ?? channels.rate].map { index in
            (0..<channels.stream.quantities[index].decimals).reduce(1.0) { scale, _ in scale * 10 }
        }
        measuredDose = channels.doseRate != nil || factor != nil ? 0 : nil
        for span in ImportedBoot.ordered(spans) {
            let samples = try RawSamples(reader, channels.stream.id, [span])
            // Within a stretch of time that was asked for, the first sample covers its minute too.
            var last = span.from.tenths - Self.minuteTenths
            elapsedTenths += span.to.tenths - span.from.tenths
            while let sample = try samples.next() {
                let dose = channels.doseRate.flatMap { sample.outcomes[$0].value }
                guard let value = sample.outcomes[channels.rate].value else { continue }
                let covered = min(sample.tick.tenths - last, Self.minuteTenths)
                last = sample.tick.tenths
                take(
                    Double(value.mantissa) / scales[0],
                    dose.map { Double($0.mantissa) / scales[1] },
                    max(covered, 0)
                )
            }
        }
    }

    private mutating func take(_ rate: Double, _ doseRate: Double?, _ covered: Int64) {
        (least, most) = sampleCount == 0 ? (rate, rate) : (min(least, rate), max(most, rate))
        sampleCount += 1
        sum += rate
        squares += rate * rate
        coveredTenths += covered
        counts += rate * Double(covered) / Double(Self.minuteTenths)
        let reckoned = doseRate ?? factor.map { rate / $0 }
        if let reckoned { measuredDose = (measuredDose ?? 0) + reckoned * Double(covered) / 36_000 }
    }

    /// Of the covered time; nil without any count that covers some.
    package var rate: Rate? {
        guard coveredTenths > 0 else { return nil }
        let minutes = Double(coveredTenths) / Double(Self.minuteTenths)
        // Of no count at all the error is that of one.
        return Rate(mean: counts / minutes, error: max(counts, 1).squareRoot() / minutes)
    }

    /// Of the samples, as they scatter; nil below two.
    package var deviation: Double? {
        guard sampleCount > 1 else { return nil }
        let count = Double(sampleCount)
        return (max(squares - sum * sum / count, 0) / (count - 1)).squareRoot()
    }

    /// In µSv/h, with the same relative error as the counts; nil without a dose rate.
    package var doseRate: Rate? {
        guard let measuredDose, let rate, coveredTenths > 0 else { return nil }
        let mean = measuredDose * 36_000 / Double(coveredTenths)
        let relative = rate.mean > 0 ? rate.error / rate.mean : 0
        return Rate(mean: mean, error: mean * relative)
    }

    /// µSv in all the time, if the rest was like what was covered; nil without a dose rate.
    package var estimatedDose: Double? {
        doseRate.map { $0.mean * Double(max(elapsedTenths, coveredTenths)) / 36_000 }
    }
}
