import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import Doctor
import HardwareIO

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "State of the station: values with their age, lamp, mode, costs, faults.",
        discussion: """
            Each fault is shown with its id, since when it is, and what to do about it.

            Examples: roost status
                      roost status --json
                      roost status --check || echo "see to the station"
            Exit codes: 0 all is well, 2 there is a fault, 69 no station answers.
            """
    )
    @Flag(help: "One line for scripts: `ok`, or the ids of the faults.")
    var check = false

    @Option(help: "The socket of roost-eyes.")
    var eyes = StandardSocket.camera

    @OptionGroup var zone: ZoneOptions
    @OptionGroup var client: ClientOptions

    func run() throws {
        var report = try client.withStation {
            try await $0.ask(GetStatus())
        }
        report.camera = try? SocketLine.camera(eyes, patience: .seconds(3)).ask(GetCameraStatus())
        let courier = SocketLine.courier(nil)
        do {
            report.sending = try courier.ask(GetCourierStatus()).map { courier in
                (courier.targets + courier.receivers).map(SendingReport.init)
            }
        } catch { report.sendingTrouble = "\(error)" }
        let said = CardStart.said(DoctorTree(root: "/"))
        report.cardStart = said.isEmpty ? nil : said
        try client.show(report, check ? ReportText.check : ReportText.status)
        if !report.faults.isEmpty { throw ExitCode(2) }
    }
}

struct TreeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tree",
        abstract: "The supervision tree: every child, its state, restarts and last exit.",
        discussion: "Example: roost tree"
    )
    @OptionGroup var client: ClientOptions

    func run() throws {
        try client.show(answerTo: GetTree(), ReportText.tree)
    }
}

struct ModeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mode",
        abstract: "Changes how much the station measures.",
        discussion: """
            normal   a sample every few minutes; the laser lasts ten years
            live     every second; ends by itself (after 10 min by default)
            survey   every second under a name, between two marks (1 h by default)

            Examples: roost mode live --for 20m
                      roost mode survey --name kitchen --for 2h
                      roost mode survey --name bedroom --no-upload
                      roost mode normal
            """
    )
    @Argument(help: "normal, live or survey.")
    var mode: String

    @Option(help: "The survey's name.")
    var name: String?

    @Option(name: .customLong("for"), help: "How long: 90s, 15m, 2h; at most 24h.")
    var length: DurationArgument?

    @Flag(help: "Keep the survey from uploads.")
    var noUpload = false

    @OptionGroup var zone: ZoneOptions
    @OptionGroup var client: ClientOptions

    func run() throws {
        var question = ChangeMode(mode, name: name, seconds: length?.seconds)
        if noUpload { question.isPrivate = true }
        try client.show(answerTo: question) { report, _ in [ReportText.mode(report.mode)] }
    }
}

struct LiveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "live",
        abstract: "Readings and events as they come, until interrupted.",
        discussion: """
            Times are on the clocks of the machine's zone; a time with a ? is dated uncertainly.

            Examples: roost live --for 30s
                      roost live --json
                      roost live --utc
            """
    )
    @Option(name: .customLong("for"), help: "Stop after this long: 30s, 5m.")
    var length: DurationArgument?

    @OptionGroup var zone: ZoneOptions
    @OptionGroup var client: ClientOptions

    func run() throws {
        let (length, json) = (length?.duration, client.json)
        let paint = Paint.forStandardOutput
        try client.withStation { client in
            // A stream has no deadline; so a request first checks that the station does not hang.
            _ = try await client.ask(GetStatus())
            try client.connection.send(ControlCodec.line(AskedQuestion(FollowLive())))
            let end = length.map { client.clock.now.advanced(by: $0) }
            try await client.clock.run(until: end) {
                while !Task.isCancelled, let line = try await client.connection.nextLine() {
                    if json {
                        Output.line(line)
                        continue
                    }
                    let item = try ControlCodec.message(LiveItem.self, from: line)
                    Self.show(item, paint)
                }
            }
        }
    }

    private static func show(_ item: LiveItem, _ paint: Paint) {
        if let reading = item.reading { Output.line(ReportText.reading(reading)) }
        if let event = item.event { Output.line(ReportText.event(event, paint)) }
        if let count = item.omittedCount {
            Output.line("(\(count) left out: this terminal is too slow)")
        }
    }
}

extension NodeClock {
    /// Runs `body` until it ends or the deadline comes.
    func run(
        until deadline: MonotonicInstant?,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        guard let deadline else { return try await body() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await body() }
            group.addTask { try await self.sleep(until: deadline) }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
