import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import Store
import StoreQueries

struct SitesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sites",
        abstract: "Where the station stands, what others measured around it, and means by place.",
        discussion: """
            Regions and reference stations come from the feeds of courier.json; the station's \
            place is set by `roost settings set position 46.17,9.88`. Your other stations are in \
            `roost stations`.

            Examples: roost sites
                      roost sites regions --last 3d
                      roost sites references --from 2026-11-01 --to 2026-11-15 --json
                      roost sites clusters pm25
            Exit codes: 0 done, 1 refused or failed, 69 there is no history.
            """,
        subcommands: [
            SitesListCommand.self, SitesRegionsCommand.self, SitesReferencesCommand.self,
            SitesClustersCommand.self,
        ],
        defaultSubcommand: SitesListCommand.self
    )
}

struct SitesListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "The station's place, and all regions, reference stations, peers and imports.",
        discussion: """
            Of each quantity the newest value of the time with its own time, the mean, and how \
            many values were corrected; the last correction counts. By default the last 24 hours.

            Examples: roost sites
                      roost sites list --last 14d --json
            Exit codes: 0 done, 1 refused or failed, 69 there is no history.
            """
    )
    @OptionGroup var options: SitesOptions

    func run() throws { try options.show(Set(SiteKind.allCases)) }
}

struct SitesRegionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "regions",
        abstract: "Air quality of regions, as data.gov.sg publishes it.",
        discussion: """
            A value that the service does not have is missing here, as PM2.5 of `national`.

            Examples: roost sites regions
                      roost sites regions --last 3d --json
            Exit codes: 0 done, 1 refused or failed, 69 there is no history.
            """
    )
    @OptionGroup var options: SitesOptions

    func run() throws { try options.show([.region]) }
}

struct SitesReferencesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "references",
        abstract: "Reference stations: what an authority's network measured, as ARPA Lombardia's.",
        discussion: """
            The mean of a time beside one's own: `roost store series` has that of a channel.

            Examples: roost sites references --last 14d
                      roost sites references --from 2026-11-01 --to 2026-11-15 --json
            Exit codes: 0 done, 1 refused or failed, 69 there is no history.
            """
    )
    @OptionGroup var options: SitesOptions

    func run() throws { try options.show([.reference]) }
}

struct SitesClustersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clusters",
        abstract: "Means of a quantity by place: what was measured within 200 m is one cluster.",
        discussion: """
            Own measurements, where a receiver had a fix, else at the station's place; and \
            imported drives. Surveys that are kept from uploads are left out. By default the last \
            14 days.

            Examples: roost sites clusters pm25
                      roost sites clusters cpm --last 365d --json
            Exit codes: 0 done, 1 refused, or nothing here measures that, 69 there is no history.
            """
    )
    @Argument(help: "As pm25, pm10 or cpm.")
    var quantity: String

    @OptionGroup var span: SpanOptions

    @OptionGroup var source: StoreOptions

    @Flag(help: "Print JSON instead of words.")
    var json = false

    func run() throws {
        let source = try source.open()
        let station = try SitesOptions.station(source, self.source.socket)
        try withStore(source.folder) {
            let reader = source.reader
            let times = try StoreTimes(reader, now: source.now)
            let known = Set(try ClusterTable.channels(of: reader).map(\.quantity.name)).sorted()
            guard known.contains(quantity) else {
                let others = known.isEmpty ? "nothing yet" : known.joined(separator: ", ")
                throw ClientFailure(
                    message: "nothing here measures \(quantity); there is \(others)",
                    exitCode: 1
                )
            }
            let range = try span.range(source, times, standard: .days(ClusterTable.standardDays))
            let table = try ClusterTable(reader, times, quantity, range, station?.position)
            let report = ClustersReport(table, quantity, range)
            if json { return Output.line(try ControlCodec.line(report)) }
            for line in SitesText.lines(report) { Output.line(line) }
        }
    }
}

/// Options of every command that lists sites.
struct SitesOptions: ParsableArguments {
    @OptionGroup var span: SpanOptions

    @OptionGroup var source: StoreOptions

    @Option(help: "The courier's socket (or the environment variable ROOST_COURIER_SOCKET).")
    var control: String?

    @Flag(help: "Print JSON instead of words.")
    var json = false

    func show(_ kinds: Set<SiteKind>) throws {
        let source = try source.open()
        let station = try Self.station(source, self.source.socket)
        let feeds =
            try source.now == nil
            ? nil : SocketLine.courier(control).report(GetCourierStatus())?.feeds
        try withStore(source.folder) {
            let times = try StoreTimes(source.reader, now: source.now)
            let range = try span.range(source, times, standard: .days(1))
            let present = try StoreExtent.present(source.reader, times, now: source.now)
            guard !SiteTable.isTooLong(range, present) else {
                throw ClientFailure(
                    message: "sites are read for \(SiteTable.daysMax) days at most; "
                        + "choose a shorter time",
                    exitCode: 1
                )
            }
            let table = try SiteTable(source.reader, times, range, feeds: feeds ?? [])
            let report = SitesReport(table, kinds, range, station)
            if feeds == nil, !report.items.isEmpty {
                Output.error(
                    "no courier answers: places and names of its feeds' stations are not known"
                )
            }
            if json { return Output.line(try ControlCodec.line(report)) }
            for line in SitesText.lines(report, kinds) { Output.line(line) }
        }
    }

    /// Asks the station that writes this store for its status; nil for a card without one.
    static func station(_ source: StoreSource, _ socket: String?) throws -> StatusReport? {
        guard source.now != nil else { return nil }
        let client = try ClientOptions.reaching(socket)
        return try client.withStation { try await $0.ask(GetStatus()) }
    }
}
