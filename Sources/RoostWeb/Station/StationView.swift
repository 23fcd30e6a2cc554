import Alerts
import ControlProtocol
import Core
import StoreQueries

/// `/station`: what the dashboard's first page shows.
///
/// Without an answer of the station's program it has no channels, and most parts are absent.
struct StationView: Codable, Sendable {
    struct Station: Codable, Sendable {
        let name: String
        let version: String
        var bootID: String?
        var uptimeSeconds: Double?
        /// IANA name of the station's zone.
        let zone: String
        let isSimulated: Bool
        /// Whether a motion sensor sees motion, its hold included; absent without such a sensor.
        var visited: Bool?
        var latitude: Double?
        var longitude: Double?
    }

    /// The station's program.
    struct Daemon: Codable, Sendable {
        enum State: String, Codable, Sendable, CaseIterable {
            case up
            /// Nothing listens at its socket.
            case down
            /// It listens and does not answer.
            case hung
            /// A card's history, without a program.
            case none
        }

        let state: State
        /// Seconds that it has been so; absent while that is not known.
        @OrNull var sinceSeconds: Double?
    }

    struct Time: Codable, Sendable {
        @OrNull var now: String?
        /// Whether a trusted clock stands behind `now`.
        let trusted: Bool
        @OrNull var trust: String?
        /// What is made of the times of stations nearby, and their names.
        let nearby: NearbyClockReport.State?
        let stations: String?

        init(_ clock: ClockReport?, now: String?) {
            self.now = now
            (trusted, trust) = (clock?.isSure ?? false, clock?.trust)
            nearby = clock?.nearby?.state
            stations = clock?.nearby?.stations.joined(separator: ", ")
        }
    }

    struct Accounts: Codable, Sendable {
        /// Why changes of accounts and sessions are not kept, with the next step.
        let trouble: String
    }

    /// A motion sensor.
    struct Line: Codable, Sendable {
        let device: String
        let type: String
        let state: String
    }

    /// A fault, and whether it keeps a device from measuring.
    struct Fault: Codable, Sendable {
        let id: String
        @OrNull var since: String?
        let ageSeconds: Double
        let sentence: String
        let nextStep: String
        let isStopping: Bool

        init(_ fault: FaultReport) {
            (id, since, ageSeconds) = (fault.id, fault.since, fault.ageSeconds)
            (sentence, nextStep) = (fault.sentence, fault.nextStep)
            isStopping = Self.stopping.contains(String(fault.id.prefix { $0 != ":" }))
        }

        private static let stopping: Set = [
            "device-away", "device-unusable", "sensor-silent", "sensor-other", "sensor-stuck",
            "line-stuck",
        ]
    }

    struct Store: Codable, Sendable {
        /// As in `roost status --json`, or `none`.
        let state: String
        @OrNull var folder: String?
        /// When the first sample was, and how long one is kept at the present rate.
        @OrNull var oldest: String?
        @OrNull var keepsDays: Int?
        @OrNull var lossWindowSeconds: Double?
        @OrNull var waitingSeconds: Double?
        @OrNull var lastCommitAgeSeconds: Double?
        /// Why the history cannot be read: then means and the dates above are missing.
        @OrNull var unreadable: String?

        init(_ store: StoreReport?, _ summary: HistorySummary.Summary) {
            state = store.map { ($0.state ?? .ok).rawValue } ?? "none"
            folder = store?.folder
            (oldest, keepsDays) = (summary.oldest, summary.keepsDays)
            lossWindowSeconds = store?.lossWindowSeconds
            waitingSeconds = store?.waitingSeconds
            lastCommitAgeSeconds = store?.lastCommitAgeSeconds
            unreadable = summary.trouble
        }
    }

    /// Shares of the time since the first sample, 0…1.
    struct Completeness: Codable, Sendable {
        @OrNull var since: String?
        let coveredShare: Double
        let accountedShare: Double

        init(_ complete: HistorySummary.Completeness) {
            since = complete.since
            coveredShare = complete.covered.rounded(toDecimals: 5)
            accountedShare = complete.accounted.rounded(toDecimals: 5)
        }
    }

    var station: Station
    let daemon: Daemon
    let verdict: VerdictView
    var time: Time?
    var mode: ModeReport?
    /// `good`, `moderate`, `poor`, `unknown`, `fault`; absent without lights.
    var lamp: String?
    var lampCause: LampReport?
    /// In the order of what people ask for, those that the owner chose before and behind it.
    var channels: [ChannelView] = []
    var lines: [Line]?
    /// What people call devices, by their names; absent without any.
    var titles: [String: String]?
    var faults: [Fault] = []
    var lasers: [LaserReport] = []
    var store: Store?
    var complete: Completeness?
    var budget: BudgetReport?
    var watchdog: WatchdogReport?
    var power: PowerReport?
    var accounts: Accounts?
}

extension StationView {
    /// What the dashboard knows of a station without asking it.
    struct Place: Sendable {
        let name: String
        /// IANA name of the machine's zone.
        let zone: String
        let isSimulated: Bool
    }

    /// A station that answers.
    ///
    /// - Parameter summary: Figures from the history, as far as it can be read.
    init(
        _ status: StatusReport,
        _ devices: DevicesReport,
        _ summary: HistorySummary.Summary = .init(),
        at place: Place
    ) {
        let sensors = devices.devices.filter { $0.type == "pir" }
        let levels = status.levels.flatMap(LevelRule.named) ?? .sampleLevels
        self.init(
            station: Station(
                name: status.name,
                version: status.version,
                bootID: status.bootID,
                uptimeSeconds: status.uptimeSeconds,
                zone: status.zone ?? place.zone,
                isSimulated: place.isSimulated,
                visited: Self.isVisited(devices.devices),
                latitude: status.position?.latitude,
                longitude: status.position?.longitude
            ),
            daemon: Daemon(state: .up, sinceSeconds: status.uptimeSeconds),
            verdict: VerdictView(Verdict(status, devices), rule: levels.name)
        )
        time = Time(status.clock, now: status.wallTime)
        (mode, lamp, lampCause) = (status.mode, status.lamp, status.lampCause)
        let views = status.channels.map { channel in
            let device = channel.channel.prefix { $0 != "/" }
            return ChannelView(
                channel,
                of: devices.devices.first { $0.name == device },
                levels: levels,
                day: summary.days[channel.channel]
            )
        }
        channels = NowOrder(first: status.nowFirst, hidden: status.nowHidden).sorted(views)
        lines = sensors.map { Line(device: $0.name, type: $0.type, state: $0.state) }
        titles = status.titles
        (faults, lasers) = (status.faults.map(Fault.init), status.lasers)
        store = Store(status.store, summary)
        complete = summary.complete.map(Completeness.init)
        (budget, watchdog, power) = (status.budget, status.watchdog, status.power)
    }

    /// A station that does not answer, or a card without one.
    ///
    /// - Parameter seconds: How long it has been away; nil while that is not known.
    init(_ state: Daemon.State, seconds: Double? = nil, at place: Place) {
        var verdict =
            state == .none ? Verdict.cardOnly : state == .hung ? Verdict.hung : Verdict.down
        verdict.sinceSeconds = seconds
        self.init(
            station: Station(
                name: place.name,
                version: RoostVersion.text,
                zone: place.zone,
                isSimulated: place.isSimulated
            ),
            daemon: Daemon(state: state, sinceSeconds: seconds),
            verdict: VerdictView(verdict, rule: LevelRule.sampleLevels.name)
        )
    }

    /// Whether a motion sensor sees motion, its hold included; nil without such a sensor.
    static func isVisited(_ devices: [DeviceReport]) -> Bool? {
        let sensors = devices.filter { $0.type == "pir" }
        return sensors.isEmpty ? nil : sensors.contains { $0.state == "motion" }
    }
}

/// The first sentence, with what it names.
struct VerdictView: Codable, Sendable {
    let level: Verdict.Level
    let code: String
    let sentence: String
    /// The channels that decided it.
    let because: [String]
    /// What the sentence names.
    let device: String?
    let channel: String?
    let cause: String?
    let sinceSeconds: Double?
    let leftSeconds: Double?
    let doubts: [String]
    let rule: String

    init(_ verdict: Verdict, rule: String) {
        self.rule = rule
        (level, code, sentence) = (verdict.level, verdict.code, verdict.sentence)
        (because, doubts) = (verdict.because, verdict.doubts)
        (device, channel, cause) = (verdict.subject, verdict.because.first, verdict.cause)
        (sinceSeconds, leftSeconds) = (verdict.sinceSeconds, verdict.leftSeconds)
    }
}

extension Double {
    /// As close as a number of that many decimals comes.
    func rounded(toDecimals decimals: Int) -> Double {
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        return (self * scale).rounded() / scale
    }
}
