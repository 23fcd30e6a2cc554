import ArgumentParser
import ClientSupport
import ControlProtocol
import Core

struct ProveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prove",
        abstract: "Reads back what a target has, and compares it with what was delivered.",
        discussion: """
            Counts and sums of each day, of InfluxDB and openSenseMap, and of a day in which \
            samples still wait or are yet to come up to the first of them; size and hash of each \
            file, of Google, S3 and WebDAV. With --repair, days that differ are sent again where \
            that does no harm, as to InfluxDB, whose points overwrite themselves, and files that \
            are missing. A file that was left out as too old is missing, too.

            Examples: roost outbox prove influx --last 30d
                      roost outbox prove bucket --repair
            Exit codes: 0 all is proved, 1 something differs, 3 it cannot be asked or nothing was \
            delivered in this time, 69 no courier answers.
            """
    )

    @Argument(help: "The target.")
    var target: String

    @Option(help: "How far back.")
    var last = DurationArgument(.seconds(7 * 86_400))

    @Flag(help: "Send days that differ again.")
    var repair = false

    @OptionGroup var options: CourierOptions

    func run() throws {
        let question = ProveDelivery(target, seconds: last.seconds, repairs: repair)
        let report = try options.ask(question, within: CourierOptions.serverLimit)
        if options.json {
            Output.line(try ControlCodec.line(report))
        } else {
            say(report)
        }
        if let files = report.files {
            guard !files.isEmpty, files.allSatisfy({ $0.state != .unanswered }) else {
                throw ExitCode(3)
            }
            if files.contains(where: { $0.state != .proved }) { throw ExitCode(1) }
            return
        }
        guard let days = report.days, !days.isEmpty, days.allSatisfy({ $0.isProved != nil }) else {
            throw ExitCode(3)
        }
        if days.contains(where: { $0.isProved == false }) { throw ExitCode(1) }
    }

    private func say(_ report: OutboxProofReport) {
        if let files = report.files { return say(files, of: report.target) }
        guard let days = report.days else {
            return Output.line("\(report.target) cannot be asked what it has")
        }
        if days.isEmpty { Output.line("\(report.target): nothing was delivered in this time") }
        for day in days {
            let until = day.until.map { " until \($0.dropFirst(11))" } ?? ""
            let behind = (day.behind ?? [:]).sorted { $0.key < $1.key }
                .map { "; \($0.key) until \($0.value.dropFirst(11))" }.joined()
            let own = "\(day.delivered) values delivered\(until)\(behind)"
            switch day.isProved {
            case true: Output.line("\(day.day)  proved: \(own), all are there")
            case false: Output.line("\(day.day)  differs: \(own), \(Self.held(day))")
            case nil: Output.line("\(day.day)  cannot be asked: \(own)")
            }
        }
    }

    private func say(_ files: [OutboxProofReport.File], of target: String) {
        if files.isEmpty { Output.line("\(target): no file has come to its end in this time") }
        for file in files {
            switch file.state {
            case .proved: continue
            case .differs: Output.line("\(file.path)  differs: another file has this name")
            case .missing: Output.line("\(file.path)  is not there: \(file.samples) samples")
            case .unanswered:
                Output.line("\(file.path)  cannot be asked: \(file.why ?? "no answer")")
            }
        }
        let proved = files.filter { $0.state == .proved }
        let samples = proved.reduce(0) { $0 + $1.samples }
        Output.line("\(target): \(proved.count) of \(files.count) files proved, \(samples) samples")
    }

    private static func held(_ day: OutboxProofReport.Day) -> String {
        let more = (day.held ?? 0) - day.delivered
        guard more > 0 else { return "\(day.held ?? 0) are there" }
        return "\(more) more are there: lost here after delivery, or written by another program"
    }
}
