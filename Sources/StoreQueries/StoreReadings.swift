import ControlProtocol
import Core
import Store

/// One value of a history: an item of a page, and a line of `roost readings --json`.
package struct StoredReading: Codable, Hashable, Sendable {
    /// Only in the stream of `roost readings`: a page says it once.
    package let channel: String?
    /// ISO 8601, with tenths in a page; nil while nothing dates its boot.
    package let time: String?
    /// Whether a trusted clock stands behind the time.
    package let isSure: Bool
    /// The value; nil when there is none.
    package let value: Double?
    /// Why there is no value.
    package let noData: String?
    package let quality: [String]
    package let bootID: String
    /// Seconds since that boot.
    package let instantSeconds: Double
    /// How many decimals the value has; as `channel` where it is.
    package let decimals: Int?
    package let unit: String?
    /// Where it was measured, when that was asked for.
    package let place: PlaceReport?

    /// A line of a stream, which names its channel.
    package init(_ sample: DatedSample, _ index: Int, at place: PlaceReport?) {
        let quantity = sample.stream.quantities[index]
        self.init(
            sample,
            sample.outcomes[index],
            time: sample.wall?.iso8601,
            in: ("\(sample.stream.channels[index])", quantity.unit),
            at: place
        )
    }

    /// An item of a page.
    fileprivate init(inPage sample: DatedSample, _ index: Int) {
        let time = sample.wall?.iso8601Tenths
        self.init(sample, sample.outcomes[index], time: time, in: nil, at: nil)
    }

    private init(
        _ sample: DatedSample,
        _ outcome: Outcome,
        time: String?,
        in channel: (name: String, unit: String)?,
        at place: PlaceReport?
    ) {
        (self.channel, unit) = (channel?.name, channel?.unit)
        decimals = channel.map { _ in outcome.value?.decimals ?? 0 }
        self.time = time
        isSure = sample.isSure
        value = outcome.value?.doubleValue
        switch outcome {
        case .value(_, let doubts): (quality, noData) = (doubts.names, nil)
        case .noData(let reason): (quality, noData) = ([], reason.rawValue)
        }
        bootID = "\(sample.boot)"
        instantSeconds = Double(sample.tick.tenths) / 10
        self.place = place
    }
}

/// A page of the samples of one channel, oldest first: the answer of `/readings`.
package struct StoreReadings: Codable, Sendable {
    /// Where a page begins: at the n-th sample of a moment.
    package struct Cursor: Hashable, Sendable, CustomStringConvertible {
        package let wall: WallTime
        package let number: Int

        package init(wall: WallTime, number: Int) { (self.wall, self.number) = (wall, number) }

        /// Reads one; nil for text that is none.
        package init?(_ text: String) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, let nanoseconds = Int64(parts[0]), let number = Int(parts[1]),
                number >= 0
            else { return nil }
            self.init(wall: WallTime(nanoseconds: nanoseconds), number: number)
        }

        package var description: String { "\(wall.nanoseconds).\(number)" }
    }

    package let channel: String
    package let unit: String
    package let decimals: Int
    package var items: [StoredReading]
    /// Where the next page begins; nil on the last.
    package let next: String?

    /// Reads one page; samples that nothing dates are in none.
    ///
    /// - Parameters:
    ///   - range: From when to when.
    ///   - cursor: `next` of the page before; nil for the oldest.
    ///   - limit: At most so many, from 1.
    /// - Throws: `StoreError.database`.
    package init(
        _ channel: StoreChannel,
        _ reader: HistoryReader,
        _ times: StoreTimes,
        _ range: TimeRange,
        after cursor: Cursor?,
        limit: Int
    ) throws {
        var range = range
        if let cursor { range.from = max(cursor.wall, range.from ?? cursor.wall) }
        range.from = range.from ?? WallTime(nanoseconds: .min)
        var samples = try StoreSamples(reader, StoreWindow(times: times, range: range)) {
            $0.id == channel.stream.id
        }
        var items: [StoredReading] = []
        var next: Cursor?
        var (wall, number): (WallTime?, Int) = (nil, 0)
        while let sample = try samples.next() {
            guard let its = sample.wall else { continue }
            number = its == wall ? number + 1 : 0
            wall = its
            if let cursor, its == cursor.wall, number < cursor.number { continue }
            guard items.count < limit else {
                next = Cursor(wall: its, number: number)
                break
            }
            items.append(StoredReading(inPage: sample, channel.index))
        }
        self.channel = channel.name
        (unit, decimals) = (channel.quantity.unit, channel.decimals)
        (self.items, self.next) = (items, next?.description)
    }
}
