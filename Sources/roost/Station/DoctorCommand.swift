import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import Doctor
import Glibc
import HardwareIO
import LinuxIO
import Profiles
import Station

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Checks the machine for everything that would keep a station from working.",
        discussion: """
            Each question is answered with what is and, where something is to be done, how. \
            Nothing is opened that could disturb, and nothing is written. No station is needed. \
            Ask as the user whom the station runs as: sudo -u USER roost doctor.

            Examples: roost doctor
                      roost doctor --only spi --only pin-holders
                      roost doctor --list
                      roost doctor --json | jq '.findings[] | select(.verdict == "failure")'
                      roost doctor --root /mnt/card

            Exit codes: 0 nothing or notes, 1 warnings, 2 failures, 64 wrong usage.
            """
    )

    @Option(help: "Only this check; may be repeated.")
    var only: [String] = []

    @Flag(help: "Name the checks and ask none.")
    var list = false

    @Option(help: "Look at the image of a machine whose files are below this folder.")
    var root: String?

    @Option(help: "The configuration file, below the root.")
    var config = "/etc/roost/roost.json"

    @Flag(help: "Show what was skipped, too, and why.")
    var all = false

    @Flag(help: "Print JSON instead of words.")
    var json = false

    func validate() throws {
        let names = DoctorChecks.all.map(\.name)
        for name in only where !names.contains(name) {
            let meant = Spelling.nearest(to: name, among: names).map { "; did you mean \($0)?" }
            throw ValidationError("no check is named \(name)\(meant ?? "; see --list")")
        }
        if let root, !DoctorTree(root: root).exists("/") {
            throw ValidationError("--root \(root) is not there; correct the path")
        }
        guard config.hasPrefix("/") else {
            throw ValidationError("--config is a path from the root, not \(config)")
        }
    }

    func run() throws {
        let checks = DoctorChecks.all.filter { only.isEmpty || only.contains($0.name) }
        guard !list else { return try show(checks) }
        let tree = DoctorTree(root: root ?? "/")
        let place = DoctorRoot(
            tree: tree,
            machine: tree.isMachine ? .live(asking: Self.answer, camera: Self.camera) : .image,
            configurationPath: config
        )
        let progress = try ProgressLine()
        let facts = DoctorFacts(place) { part in progress.show("looking at \(part)") }
        progress.finish()
        let report = DoctorReport(facts, checks, image: tree.isMachine ? nil : tree.root)
        try show(report, showsSkipped: all || !only.isEmpty)
    }

    private func show(_ checks: [DoctorCheck]) throws {
        let questions = checks.map { DoctorReport.Question(name: $0.name, asks: $0.question) }
        if json { return Output.line(try ControlCodec.line(questions)) }
        let width = questions.map(\.name.count).max() ?? 0
        for question in questions {
            Output.line("\(question.name.padded(to: width))  \(question.asks)")
        }
    }

    private func show(_ report: DoctorReport, showsSkipped: Bool) throws {
        if json {
            Output.line(try ControlCodec.line(report))
        } else {
            for line in report.lines(.forStandardOutput, showsSkipped: showsSkipped) {
                Output.line(line)
            }
        }
        if report.exitCode != 0 { throw ExitCode(report.exitCode) }
    }
}

extension DoctorReport {
    /// A line per finding, its next act below it, and a sum at the end.
    func lines(_ paint: Paint, showsSkipped: Bool) -> [String] {
        let width = findings.map(\.name.count).max() ?? 0
        let indent = String(repeating: " ", count: width + 11)
        let noModel = "no computer that Roost knows"
        var lines = [model.map { "\($0) (\(board ?? ""))" } ?? noModel]
        for entry in findings where showsSkipped || entry.verdict != .skipped {
            let label = paint.verdict(entry.verdict)
            lines.append("\(label)  \(entry.name.padded(to: width))  \(entry.sentence)")
            lines += entry.details.map { "\(indent)- \($0)" }
            if let next = entry.nextStep { lines.append("\(indent)→ \(next)") }
        }
        let counts = DoctorVerdict.allCases.reversed().compactMap { verdict -> String? in
            let count = findings.count { $0.verdict == verdict }
            return count > 0 ? "\(count) \(verdict.text(count))" : nil
        }
        return lines + [counts.joined(separator: ", ")]
    }
}

extension Paint {
    /// A verdict in its colour, seven wide.
    fileprivate func verdict(_ verdict: DoctorVerdict) -> String {
        let text = verdict.rawValue.padded(to: 7)
        return switch verdict {
        case .ok: self(text, .green)
        case .note, .skipped: self(text, .grey)
        case .warning: self(text, .yellow)
        case .failure: self(text, .red)
        }
    }
}

extension DoctorCommand {
    /// Asks `roost-eyes` for its status at its socket.
    @Sendable fileprivate static func camera() -> DoctorMachine.CameraAnswer? {
        do {
            let camera = SocketLine.camera(patience: DoctorMachine.answerLimit)
            guard let report = try camera.ask(GetCameraStatus()) else {
                return .absent
            }
            return .report(report)
        } catch {
            return .refuses(words: "\(error)")
        }
    }

    @Sendable fileprivate static func answer(_ path: String) -> DoctorMachine.StationAnswer? {
        do {
            let loop = try EventLoop()
            let report = try loop.run {
                let connection = try LocalSocket.connect(path: path, on: loop)
                defer { connection.close() }
                let client = ControlClient(
                    connection: connection,
                    clock: loop.clock,
                    path: path,
                    timeout: DoctorMachine.answerLimit
                )
                return try await client.ask(GetStatus())
            }
            return .answers(
                processID: report.processID,
                faults: report.faults,
                clock: report.clock
            )
        } catch let failure as ClientFailure where failure.isSilence {
            return .hangs(words: failure.message)
        } catch let error as LocalSocketError {
            let failure = ClientFailure.unreachable(for: error, path: path)
            return failure.isAbsence ? .absent : .refuses(words: failure.message)
        } catch let failure as ControlFailure {
            return .refuses(words: failure.message)
        } catch {
            return .refuses(words: "\(error)")
        }
    }
}
