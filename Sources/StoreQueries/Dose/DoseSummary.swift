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

    /// Counts per minute of a device, and its dose rate where that is measured or derived.
    package struct Channels: Hashable, Sendable {
        /// A channel in µSv/h.
        struct DoseRate: Hashable, Sendable {
            let stream: StreamDescription
            let index: Int
        }

        package let stream: StreamDescription
        package let rate: Int
        /// Of one name; empty where there is none.
        ///
        /// What a station derives has streams of its own, a further one after each change of its
        /// graph: `dose_rate@1`, then `dose_rate@2`.
        let doseRates: [DoseRate]

        /// Those of a stream with counts per minute.
        ///
        /// - Parameters:
        ///   - stream: With the counts.
        ///   - others: Streams of the same history, in which its dose rate is looked for.
        package init?(_ stream: StreamDescription, among others: [StreamDescription] = []) {
            let units = stream.quantities.map(\.unit)
            guard let rate = units.firstIndex(of: Quantity.countRate.unit) else { return nil }
            (self.stream, self.rate) = (stream, rate)
            // Each import is a device of its own time, also where its name is that of another.
            let parts =
                stream.id.isImported
                ? []
                : others.filter {
                    $0.device == stream.device && !$0.id.isImported && $0.id != stream.id
                }
            let found = ([stream] + parts).flatMap { part in
                part.quantities.indices.filter { part.quantities[$0].unit == "µSv/h" }
                    .map { DoseRate(stream: part, index: $0) }
            }
            // Two rates of the same radiation are not added up.
            let names = found.map { $0.stream.quantities[$0.index].name.prefix { $0 != "@" } }
            doseRates = zip(found, names).filter { $1 == names[0] }.map(\.0)
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
    /// µSv in the time that the dose rate covers; nil without a dose rate.
    package private(set) var measuredDose: Double?

    private var sum: Double = 0
    private var squares: Double = 0
    /// Time with a dose rate, in tenths of a second.
    private var dosedTenths: Int64 = 0

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
        self.channels = channels
        let source = Source(reader: reader, times: times, range: range)
        elapsedTenths = try source.spans(of: channels.stream)
            .reduce(0) { $0 + $1.to.tenths - $1.from.tenths }
        try source.each(channels.stream, channels.rate) { take($0, $1) }
        for dose in channels.doseRates {
            try source.each(dose.stream, dose.index) { takeDose($0, $1) }
        }
        if measuredDose == nil, let factor {
            (measuredDose, dosedTenths) = (counts / factor / 60, coveredTenths)
        }
    }

    /// A time of a history.
    private struct Source {
        let reader: HistoryReader
        let times: StoreTimes
        let range: TimeRange

        func spans(of stream: StreamDescription) throws -> [HistorySpan] {
            times.clip(try StreamExtents(reader).spans(of: stream.id), range)
        }

        /// Hands out each value of a channel, and the tenths of a second that it covers.
        func each(
            _ stream: StreamDescription,
            _ index: Int,
            _ body: (Double, Int64) -> Void
        ) throws {
            let decimals = stream.quantities[index].decimals
            let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
            let whole = try StreamExtents(reader).spans(of: stream.id)
            for span in ImportedBoot.ordered(try spans(of: stream)) {
                let samples = try RawSamples(reader, stream.id, [span])
                // The first covers its minute too, but nothing before the time that was asked for.
                let isCut = whole.contains { one in
                    one.boot == span.boot && one.from < span.from && span.from < one.to
                }
                var last = span.from.tenths - (isCut ? 0 : DoseSummary.minuteTenths)
                while let sample = try samples.next() {
                    guard let value = sample.outcomes[index].value else { continue }
                    let covered = min(sample.tick.tenths - last, DoseSummary.minuteTenths)
                    last = sample.tick.tenths
                    body(Double(value.mantissa) / scale, max(covered, 0))
                }
            }
        }
    }

    private mutating func take(_ rate: Double, _ covered: Int64) {
        (least, most) = sampleCount == 0 ? (rate, rate) : (min(least, rate), max(most, rate))
        sampleCount += 1
        sum += rate
        squares += rate * rate
        coveredTenths += covered
        counts += rate * Double(covered) / Double(Self.minuteTenths)
    }

    private mutating func takeDose(_ doseRate: Double, _ covered: Int64) {
        measuredDose = (measuredDose ?? 0) + doseRate * Double(covered) / 36_000
        dosedTenths += covered
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
        guard let measuredDose, let rate, dosedTenths > 0 else { return nil }
        let mean = measuredDose * 36_000 / Double(dosedTenths)
        let relative = rate.mean > 0 ? rate.error / rate.mean : 0
        return Rate(mean: mean, error: mean * relative)
    }

    /// µSv in all the time, if the rest was like what was covered; nil without a dose rate.
    package var estimatedDose: Double? {
        doseRate.map { $0.mean * Double(max(elapsedTenths, coveredTenths)) / 36_000 }
    }
}
