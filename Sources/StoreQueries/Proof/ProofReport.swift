import ControlProtocol
import Core
import Store

/// Where all the time went since the first sample: the answer of `/proof`, with the figures of
/// `roost ledger`.
package struct ProofReport: Codable, Hashable, Sendable {
    package struct Card: Codable, Hashable, Sendable {
        package let usedBytes: Int
        /// Days of samples that the history keeps at the rate so far; nil below a day.
        package let keepsDays: Int?
        /// Absent while the station has counted less than an hour.
        package fileprivate(set) var bytesPerDay: Int?
        /// Years that a new card of this kind lasts, 1 000 at most.
        package fileprivate(set) var yearsLeft: Double?
    }

    package struct Clock: Codable, Hashable, Sendable {
        /// Share of the running time that trusted clocks date, 0…1.
        package let sureShare: Double
    }

    package let station: String
    /// When the first sample was; ISO 8601.
    package let since: String?
    package let at: String?
    /// Whether there is a station that does not answer: then lasers and the bytes a day are
    /// missing, and not zero.
    package let isStationAway: Bool
    /// Times of the channel that speaks for the station; nil without one.
    package let elapsedSeconds: Double?
    package let coveredSeconds: Double?
    package let explainedSeconds: Double?
    /// 0…1 of the time in which values were due: nothing recorded says why they are missing.
    package let unknownShare: Double
    /// By cause, most first.
    package let missing: [ProofMissing]
    package let channels: [ChannelLedgerReport]
    package let card: Card
    package let lasers: [LaserReport]?
    package let clock: Clock

    /// - Parameters:
    ///   - now: The present by the station's clock.
    ///   - usedBytes: Size of the store.
    ///   - status: Says of card and lasers; nil without a station.
    /// - Throws: What the store throws.
    package init(
        _ reader: HistoryReader,
        _ times: StoreTimes,
        of station: (name: String, now: WallTime?, isAway: Bool),
        usedBytes: Int,
        _ status: StatusReport?
    ) throws {
        let channels = try StoreChannel.all(reader)
        let lines = StoreLedger.ordered(
            try StoreLedger.reports(reader, times).flatMap(\.lines),
            by: channels
        )
        let extent = try StoreExtent(reader, times)
        let chief = StoreLedger.chief(lines, of: try StoreChannel.inUse(reader))
        self.station = station.name
        since = extent.oldest?.wall.iso8601
        at = station.now?.iso8601
        isStationAway = station.isAway
        elapsedSeconds = chief.map { Double($0.elapsedTenths) / 10 }
        coveredSeconds = chief.map { Double($0.coveredTenths) / 10 }
        explainedSeconds = chief.map {
            Double($0.elapsedTenths - $0.coveredTenths - $0.unexplainedTenths) / 10
        }
        (unknownShare, missing) = ProofMissing.all(of: lines)
        let units = channels.map { ($0.name, $0.quantity.unit) }
        let unit = Dictionary(units) { first, _ in first }
        self.channels = lines.map { ChannelLedgerReport($0, unit: unit[$0.channel]) }
        var card = Card(usedBytes: usedBytes, keepsDays: extent.keepsDays.map { Int($0) })
        if let day = status?.budget.day, let bytes = day.cardBytes, day.seconds >= 3_600 {
            let share = 86_400 / day.seconds
            let perDay = Double(bytes) * share
            card.bytesPerDay = Int(perDay)
            let flash = FlashModel()
            let years = flash.years(
                pagesPerDay: Double(day.cardSyncs) * share + perDay / flash.pageBytes,
                transactionsPerDay: 1
            )
            // Beyond a thousand years the figure says nothing.
            card.yearsLeft = min(years, 1_000).rounded(decimals: 1)
        }
        self.card = card
        lasers = status?.lasers
        clock = Clock(sureShare: Self.sureShare(times).rounded(decimals: 5))
    }

    private static func sureShare(_ times: StoreTimes) -> Double {
        var (sure, all): (Int64, Int64) = (0, 0)
        for run in times.runs {
            let length = run.ended.tenths - run.started.tenths
            all += length
            if times.clock.time(run.boot, run.started)?.isSure == true { sure += length }
        }
        return all > 0 ? Double(sure) / Double(all) : 1
    }
}
