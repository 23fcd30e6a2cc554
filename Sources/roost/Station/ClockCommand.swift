import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import StoreQueries

struct ClockCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock",
        abstract: "The station's time and its source.",
        discussion: """
            A station dates what it measures by the system clock. A time server makes dates sure, \
            and so do a receiver of positions, an owner's browser and a station nearby. Without \
            one they come from the real time clock, or from the time stamp of a file, and are \
            marked with a ?. `roost clock trust` confirms the time.

            Examples: roost clock
                      roost clock trust
                      roost clock trust --at 2026-11-21T07:15
            Exit codes: 0 done, 1 refused, 69 no station answers.
            """,
        subcommands: [Show.self, Trust.self],
        defaultSubcommand: Show.self
    )

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "What time the station has, and by what.",
            discussion: "Examples: roost clock\n          roost clock --utc --json"
        )
        @OptionGroup var zone: ZoneOptions
        @OptionGroup var client: ClientOptions

        func run() throws {
            try client.show(answerTo: GetClock()) { report, _ in
                [ReportText.clock(report)]
            }
        }
    }

    struct Trust: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Says that the system clock is right, or what time it is.",
            discussion: """
                It dates everything since the board started, until a time server says better. It \
                counts for this start of the board alone.

                Examples: roost clock trust
                          roost clock trust --at 2026-11-21T07:15
                """
        )
        @Option(
            help: "What time it is, as 2026-11-21T07:15; what the system clock says by default."
        )
        var at: TimeArgument?

        @OptionGroup var zone: ZoneOptions
        @OptionGroup var client: ClientOptions

        func run() throws {
            var question = TrustClock()
            if let moments = at?.moments() {
                if let oddity = moments.oddity {
                    let next =
                        moments.first == moments.last
                        ? "type what the clocks show now" : "type one of these"
                    throw ClientFailure(message: "\(oddity); \(next)", exitCode: 64)
                }
                question.time = moments.first.iso8601
            }
            try client.show(answerTo: question) { report, _ in
                [ReportText.clock(report)]
            }
        }
    }
}
