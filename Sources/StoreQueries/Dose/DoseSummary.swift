import Core
import Store

/// Counts of a radiation counter in a range of time, their uncertainty, and the dose.
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
    ///
    /// A device has a further stream after each change of its channels, and what a station derives
    /// after each change of its graph: `dose_rate@1`, then `dose_rate@2`.
    package struct Channels: Hashable, Sendable {
        /// A quantity of a stream.
        struct Part: Hashable, Sendable {
            let stream: StreamDescription
            let index: Int
        }

        /// The newest stream of the history with the device's counts.
        package let stream: StreamDescription
        package let rate: Int
        /// All parts of the device with counts.
        let counts: [Part]
        /// Dose rates of one quantity; empty where there is none.
        let doseRates: [Part]

        /// Finds the channels of a stream with counts per minute.
        ///
        /// - Parameters:
        ///   - others: Streams of the same history, among them those of its device.
        package init?(_ stream: StreamDescription, among others: [StreamDescription] = []) {
            let units = stream.quantities.map(\.unit)
            guard let rate = units.firstIndex(of: Quantity.countRate.unit) else { return nil }
            (self.stream, self.rate) = (stream, rate)
            // An imported stream belongs to another device, even one with the same name.
            let parts = others.filter {
                $0.device == stream.device && $0.id.isImported == stream.id.isImported
                    && $0.id != stream.id
            }
            counts = ([stream] + parts).compactMap { part in
                part.quantities.firstIndex { $0.unit == Quantity.countRate.unit }
                    .map { Part(stream: part, index: $0) }
            }
            // Imported dose rates may be those of other times and places than the counts.
            let dosed = stream.id.isImported ? counts.map(\.stream) : [stream] + parts
            let found = dosed.flatMap { part in
                part.quantities.indices.filter { part.quantities[$0].unit == "µSv/h" }
                    .map { Part(stream: part, index: $0) }
            }
            // Two rates of the same radiation are not added up.
            let names = found.map { $0.stream.quantities[$0.index].name.prefix { $0 != "@" } }
            doseRates = zip(found, names).filter { $1 == names[0] }.map(\.0)
        }

        /// Name of the channel, such as `geiger/cpm`.
        package var name: String { stream.channels[rate].description }
    }

    /// Time that a count per minute covers, in tenths of a second.
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
        elapsedTenths = try source.elapsed(channels.counts)
        try source.each(channels.counts) { append($0, $1) }
        try source.each(channels.doseRates) { takeDose($0, $1) }
        if measuredDose == nil, let factor {
            (measuredDose, dosedTenths) = (counts / factor / 60, coveredTenths)
        }
    }

    /// A time of a history.
    private struct Source {
        let reader: HistoryReader
        let times: StoreTimes
        let range: TimeRange

        func spans(of part: Channels.Part) throws -> [HistorySpan] {
            times.clip(try StreamExtents(reader).spans(of: part.stream.id), range)
        }

        /// Tenths of a second in which any of them was recorded.
        func elapsed(_ parts: [Channels.Part]) throws -> Int64 {
            let all = try parts.flatMap { try spans(of: $0) }.sorted { $0.from < $1.from }
            var (sum, ends) = (Int64(0), [BootID: Int64]())
            for span in all {
                let from = max(span.from.tenths, ends[span.boot] ?? .min)
                sum += max(span.to.tenths - from, 0)
                ends[span.boot] = max(span.to.tenths, from)
            }
            return sum
        }

        /// Hands out each value of channels in the order of their times, and the tenths of a second
        /// that it covers.
        func each(_ parts: [Channels.Part], _ body: (Double, Int64) -> Void) throws {
            var lines = try lines(parts)
            // Imported boots share one clock.
            var (ordinal, last) = (UInt32?.none, Int64(0))
            while let index = lines.indices.min(by: { lines[$0].key < lines[$1].key }),
                let sample = lines[index].head
            {
                let (line, key) = (lines[index], lines[index].key)
                try lines[index].step()
                guard let value = sample.outcomes[line.index].counted else { continue }
                if ordinal != key.ordinal {
                    (ordinal, last) = (key.ordinal, first(of: sample))
                }
                let covered = min(key.tick - last, DoseSummary.minuteTenths)
                last = key.tick
                body(Double(value.mantissa) / line.scale, covered)
            }
        }

        private func lines(_ parts: [Channels.Part]) throws -> [Line] {
            let boots = try reader.boots().map { ($0.id, $0.ordinal) }
            let ordinals = Dictionary(boots) { first, _ in first }
            return try parts.flatMap { part in
                let all = try spans(of: part)
                let groups = part.stream.id.isImported ? all.map { [$0] } : [all]
                return try groups.map { group in
                    var line = Line(
                        samples: try RawSamples(reader, part.stream.id, group),
                        index: part.index,
                        decimals: part.stream.quantities[part.index].decimals,
                        ordinals: part.stream.id.isImported ? [:] : ordinals
                    )
                    try line.step()
                    return line
                }
            }
        }

        /// From where the first sample of a boot covers time: its minute, but nothing before the
        /// time that was asked for.
        private func first(of sample: BootSample) -> Int64 {
            let from = sample.tick.tenths - DoseSummary.minuteTenths
            let minute = HistorySpan(
                boot: sample.boot,
                from: Tick(tenths: max(from, 0)),
                to: Tick(tenths: sample.tick.tenths + 1)
            )
            let cut = times.clip([minute], range).first?.from ?? sample.tick
            return cut == minute.from ? from : cut.tenths
        }
    }

    /// The samples of one stream; of imported ones those of one boot.
    private struct Line {
        let samples: RawSamples
        let index: Int
        let scale: Double
        private let ordinals: [BootID: UInt32]
        private(set) var head: BootSample?
        /// Position of the sample; after all others at the end.
        private(set) var key: (ordinal: UInt32, tick: Int64) = (.max, .max)

        init(samples: RawSamples, index: Int, decimals: Int, ordinals: [BootID: UInt32]) {
            (self.samples, self.index, self.ordinals) = (samples, index, ordinals)
            scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        }

        mutating func step() throws {
            head = try samples.next()
            key = head.map { (ordinals[$0.boot] ?? 0, $0.tick.tenths) } ?? (.max, .max)
        }
    }

    private mutating func append(_ rate: Double, _ covered: Int64) {
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

    /// The mean of the covered time; nil while no count covers any.
    package var rate: Rate? {
        guard coveredTenths > 0 else { return nil }
        let minutes = Double(coveredTenths) / Double(Self.minuteTenths)
        // Without a single count the error is that of one count.
        return Rate(mean: counts / minutes, error: max(counts, 1).squareRoot() / minutes)
    }

    /// Standard deviation of the samples; nil below two.
    package var deviation: Double? {
        guard sampleCount > 1 else { return nil }
        let count = Double(sampleCount)
        return (max(squares - sum * sum / count, 0) / (count - 1)).squareRoot()
    }

    /// Dose rate in µSv/h, with the counts' relative error; nil without one.
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
