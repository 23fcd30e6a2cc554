import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import Store
import StoreQueries

struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract:
            "What the station stores on its card: plan, status, check, copy.",
        subcommands: [
            StorePlanCommand.self, StoreStatusCommand.self, StoreCheckCommand.self,
            StoreSeriesCommand.self, StoreReplayCommand.self, StoreCompactCopyCommand.self,
            StorePartitionCommand.self,
        ]
    )
}

struct StorePlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "How long a history of some size reaches back, and what it costs the card.",
        discussion: """
            Plain arithmetic from measured sizes; nothing is written. What the journal lies on is \
            what this machine has, unless --medium says otherwise; the others stand beside it.

            Examples: roost store plan --megabytes 64
                      roost store plan --days 365 --card-gb 16 --json
                      roost store plan --interval 5m --medium partition
            """
    )
    @Option(help: "MiB of the history's file, 4…65536; default 64.")
    var megabytes: Int?

    @Option(help: "Days of raw samples to keep, instead of a size.")
    var days: Int?

    @Option(help: "Between two samples of the sensor.")
    var interval = DurationArgument(.seconds(1))

    @Option(help: "Channels of the sensor.")
    var channels = 2

    @Option(help: "At most so much is lost with the power.")
    var window = DurationArgument(.seconds(600))

    @Option(help: "Between two transactions of the history.")
    var take = DurationArgument(.hours(24))

    @Option(help: "Bytes of a journal block.")
    var block = 4_096

    @Option(name: .customLong("card-gb"), help: "Size of the card in GB.")
    var cardGigabytes = 16.0

    @Option(help: "What the journal lies on: ext4, xfs, vfat or partition.")
    var medium: JournalMedium?

    @Flag(help: "The same as --medium partition.")
    var partition = false

    @Option(help: "The store's folder, whose file system counts without --medium.")
    var store = StoreFolder.standard

    @Flag(help: "Print JSON instead of words.")
    var json = false

    func validate() throws {
        if megabytes != nil, days != nil {
            throw ValidationError("give --megabytes or --days, not both")
        }
        let range = StorePlan.megabytesRange
        if let megabytes, !range.contains(megabytes) {
            throw ValidationError(
                "--megabytes is \(range.lowerBound) to \(range.upperBound), not \(megabytes)"
            )
        }
        if let days, !(1...36_500).contains(days) {
            throw ValidationError("--days is 1 to 36500, not \(days)")
        }
        guard (1...16).contains(channels) else {
            throw ValidationError("--channels is 1 to 16, not \(channels)")
        }
        guard cardGigabytes.isFinite, cardGigabytes >= 0.1, cardGigabytes <= 10_000 else {
            throw ValidationError("--card-gb is 0.1 to 10000")
        }
        try BlockSize.validate(block)
    }

    var plan: StorePlan {
        var journal = JournalPlan()
        journal.blockSize = block
        journal.lossWindow = window.duration
        journal.checkpointInterval = take.duration
        journal.medium = medium ?? (partition ? .partition : site.medium ?? .ext4)
        var flash = FlashModel()
        flash.cardBytes = cardGigabytes * 1e9
        let stream = StoreLoad.Stream(channelCount: channels, interval: interval.duration)
        return StorePlan(
            days.map { .days($0) } ?? .megabytes(megabytes ?? 64),
            load: StoreLoad(streams: [stream]),
            journal: journal,
            flash: flash
        )
    }

    private var site: JournalSite {
        medium == nil && !partition ? JournalSite(folder: store) : JournalSite()
    }

    func run() throws {
        let plan = plan
        if json {
            Output.line(try ControlCodec.line(StorePlanReport(plan, site)))
        } else {
            for line in StoreText.plan(plan, site) { Output.line(line) }
        }
    }
}

extension JournalMedium: ExpressibleByArgument {}

/// The figures of a plan as JSON.
struct StorePlanReport: Codable, Hashable {
    let megabytes: Int
    let rawDays: Double
    let minuteDays: Double
    let quarterHourDays: Double
    let sixHourDays: Double
    let eventDays: Double
    let bytesPerDay: Double
    let journalBytesPerDay: Double
    let historyBytesPerDay: Double
    let requestsPerDay: Double
    let samplesPerDay: Double
    let bytesPerSample: Double
    let cardYears: Double
    /// File system or partition of the journal: `ext4`, `xfs`, `vfat`, `partition`.
    let medium: String
    /// Where it is on this machine; left out when that was not looked for, or is not known.
    let journal: String?
    /// The same plan on each medium.
    let media: [Medium]

    struct Medium: Codable, Hashable {
        let medium: String
        let bytesPerSample: Double
        let cardYears: Double
    }

    init(_ plan: StorePlan, _ site: JournalSite = JournalSite()) {
        let figures = StoreFigures(plan)
        medium = plan.journal.medium.rawValue
        journal = site.path
        media = JournalMedium.allCases.map { medium in
            let figures = StoreFigures(plan.on(medium))
            return Medium(
                medium: medium.rawValue,
                bytesPerSample: figures.bytesPerSample,
                cardYears: Self.finite(figures.cardYears)
            )
        }
        megabytes = figures.megabytes
        rawDays = Self.finite(figures.rawDays)
        minuteDays = Self.finite(figures.minuteDays)
        quarterHourDays = Self.finite(figures.quarterHourDays)
        sixHourDays = Self.finite(figures.sixHourDays)
        eventDays = Self.finite(figures.eventDays)
        bytesPerDay = figures.bytesPerDay
        journalBytesPerDay = figures.journalBytesPerDay
        historyBytesPerDay = figures.historyBytesPerDay
        requestsPerDay = figures.requestsPerDay
        samplesPerDay = figures.samplesPerDay
        bytesPerSample = figures.bytesPerSample
        cardYears = Self.finite(figures.cardYears)
    }

    /// JSON has no infinity.
    private static func finite(_ value: Double) -> Double { min(value, 1e9) }
}
