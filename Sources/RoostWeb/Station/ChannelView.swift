import Alerts
import ControlProtocol
import Core
import Profiles
import StoreQueries

/// One channel as `/station` has it.
struct ChannelView: Codable, Sendable {
    /// The guideline for the mean of 24 h.
    struct Limit: Codable, Sendable {
        let rule: String
        let averagingSeconds: Int
        let limit: Int
    }

    /// Where an owner has a channel on the page Now; the usual place has no name.
    enum Place: String, Codable, Sendable, CaseIterable {
        case first
        /// Behind all others, folded; judged and recorded as they are.
        case hidden
    }

    let id: String
    let device: String
    let quantity: String
    /// What people ask it for; `detail` for what few ask for.
    let group: QuantityGroup
    /// Where the owner has it on the page Now; absent for the usual place of its group.
    var place: Place?
    let unit: String
    let decimals: Int
    @OrNull var profile: String?
    /// Least and most that the part measures.
    let range: [Double]?
    @OrNull var value: Double?
    @OrNull var noData: String?
    let quality: [String]
    /// The humidity that a flag `humid` in `quality` is for; absent without the flag.
    let humidity: HumidityReport?
    @OrNull var time: String?
    @OrNull var ageSeconds: Double?
    @OrNull var ageLimitSeconds: Double?
    @OrNull var intervalSeconds: Double?
    let isStale: Bool
    @OrNull var level: String?
    /// The mean that the level comes from, and its seconds; absent for limits of single samples,
    /// the mean also while there is none.
    let levelMean: Double?
    let levelMeanSeconds: Int?
    /// The levels of the lamp's rule, by where they begin.
    let limits: [QuantityLimit]?
    /// What its device does, and when that ends.
    @OrNull var phase: String?
    @OrNull var phaseEndsInSeconds: Double?
    @OrNull var nextInSeconds: Double?
    let mean24h: Double?
    /// Share of the last 24 h with values, 0…1.
    let coverage24h: Double?
    /// Implausible values that the mean leaves out.
    let omitted24h: Int?
    let guideline: Limit?
    let isMuted: Bool
    /// Whether its values are kept, and not shown only.
    let records: Bool

    /// - Parameter day: Its last 24 h; nil where the history has none.
    init(
        _ channel: ChannelReport,
        of device: DeviceReport?,
        levels: LevelRule,
        day: HistorySummary.Day?
    ) {
        let (facts, latest, progress) = (channel.facts, channel.latest, device?.progress)
        id = channel.channel
        self.device = String(id.prefix { $0 != "/" })
        quantity = String(id.dropFirst(self.device.count).dropFirst())
        group = QuantityGroup(of: quantity)
        unit = channel.unit
        decimals = facts?.decimals ?? latest?.decimals ?? 1
        profile = facts?.profile
        if let least = facts?.least, let most = facts?.most {
            range = [least, most]
        } else {
            range = nil
        }
        (value, noData, quality) = (latest?.value, latest?.noData, latest?.quality ?? [])
        humidity = channel.humidity
        (time, ageSeconds) = (latest?.time, channel.valueAgeSeconds)
        ageLimitSeconds = channel.ageLimitSeconds
        intervalSeconds = channel.intervalSeconds
        (isStale, level) = (channel.isStale, channel.level)
        levelMean = channel.levelMean?.rounded(toDecimals: decimals + 1)
        levelMeanSeconds = channel.levelMeanSeconds
        limits = QuantityLimit.all(of: quantity, by: levels)
        phase = progress?.phase ?? device?.state
        phaseEndsInSeconds = progress?.endsInSeconds
        nextInSeconds = progress?.nextInSeconds
        mean24h = day?.mean?.rounded(toDecimals: (day?.decimals ?? 0) + 1)
        coverage24h = day?.coverage.rounded(toDecimals: 3)
        omitted24h = day?.omittedCount
        guideline = day?.guideline.map { guideline in
            Limit(
                rule: Guideline.rule,
                averagingSeconds: guideline.averagingSeconds,
                limit: guideline.limit
            )
        }
        let mutes = device?.mutes ?? []
        let covering: Set<String> = [self.device, id]
        isMuted = mutes.contains { covering.contains($0.target) }
        records = channel.records ?? true
    }
}
