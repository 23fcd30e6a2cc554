import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import Profiles

struct CameraSettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "camera",
        abstract: "Settings of the camera: shows, changes and tries them.",
        discussion: """
            roost-eyes does it, without a restart. What /etc/roost/eyes.json sets wins, and is \
            changed there.

            Examples: roost camera
                      roost camera set camera.device any
                      roost camera set masks 18:00-08:00
                      roost camera try --output now.jpg
                      roost camera undo
            """,
        subcommands: [List.self, Set.self, Undo.self, Try.self],
        defaultSubcommand: List.self
    )

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the settings, who made each, and the cameras that are plugged in.",
            discussion: """
                Of each setting: its value, and who made it: `default`, `ui` (the page Camera or \
                `roost camera set`) or `file` (eyes.json, which wins).

                Examples: roost camera
                          roost camera list --json
                Exit codes: 0 done, 1 refused, 69 no roost-eyes answers.
                """
        )
        @OptionGroup var camera: CameraLineOptions

        func run() throws { try camera.show(try camera.ask(GetCameraSettings())) }
    }

    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Changes a setting of the camera, without a restart.",
            discussion: """
                `roost camera` lists them. The camera is on as soon as camera.device is set, and \
                off after `roost camera set camera --default`. Lists have commas.

                Examples: roost camera set camera.device usb:046d:0825
                          roost camera set live.isOn true
                          roost camera set masks 18:00-08:00,12:00-13:00
                          roost camera set covers "0 600 300 400"
                          roost camera set record false
                          roost camera set camera --default
                Exit codes: 0 done, 1 refused, 64 wrong usage, 69 no roost-eyes answers.
                """
        )
        @Argument(help: "The setting, as in `roost camera`; camera or live for all of its own.")
        var key: String

        @Argument(help: "Its new value.")
        var value: String?

        @Flag(help: "Take the setting back.")
        var `default` = false

        @OptionGroup var camera: CameraLineOptions

        func validate() throws {
            guard (value == nil) == `default` else {
                throw ValidationError("give a value or --default")
            }
        }

        func run() throws {
            let report = try camera.ask(GetCameraSettings())
            guard case .object(var own) = try JSONParser.parse(Array(report.own.utf8)) else {
                throw ClientFailure(message: "roost-eyes has no settings", exitCode: 1)
            }
            let kind = report.settings.first { $0.key == key }?.kind
            own = Self.setting(key, to: value.map { Self.value($0, kind) }, in: own)
            let next = JSONValue.object(own).text
            try camera.show(try camera.ask(ChangeCamera(next, tag: report.tag)))
        }

        /// A typed value, in the kind of its setting; one that is no such is refused by the camera.
        private static func value(_ text: String, _ kind: EntryField.Kind?) -> JSONValue {
            switch kind {
            case .number: Double(text).map(JSONValue.number) ?? .string(text)
            case .flag where text == "true" || text == "false": .bool(text == "true")
            case .list:
                .array(text.isEmpty ? [] : text.split(separator: ",").map { .string(String($0)) })
            default: .string(text)
            }
        }

        private static func setting(
            _ key: String,
            to value: JSONValue?,
            in own: [String: JSONValue]
        ) -> [String: JSONValue] {
            var own = own
            let parts = key.split(separator: ".", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                own[key] = value
                return own
            }
            var inner: [String: JSONValue] = [:]
            if case .object(let found)? = own[parts[0]] { inner = found }
            inner[parts[1]] = value
            own[parts[0]] = inner.isEmpty ? nil : .object(inner)
            return own
        }
    }

    struct Undo: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Brings the settings back that were before the last change.",
            discussion: """
                Settings that cannot be read are kept beside, as settings.json.damaged.

                Example: roost camera undo
                Exit codes: 0 done, 1 refused, 69 no roost-eyes answers.
                """
        )
        @OptionGroup var camera: CameraLineOptions

        func run() throws { try camera.show(try camera.ask(UndoCamera())) }
    }

    struct Try: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Takes one picture now, and keeps it nowhere but in the file named.",
            discussion: """
                While the live picture runs it is that one's next picture.

                Examples: roost camera try
                          roost camera try --output now.jpg
                Exit codes: 0 done, 1 no picture or refused, 69 no roost-eyes answers.
                """
        )
        @Option(help: "The file for the picture; without it only what became of it is said.")
        var output: String?

        @OptionGroup var camera: CameraLineOptions

        func run() throws {
            let report = try camera.ask(TryCamera())
            if let output, let trial = report.trial {
                try FileBytes.put(try picture(trial), output)
            }
            try camera.print(report) { report, paint in CameraText.lines(report, paint) }
            guard report.trial != nil else { throw ExitCode(1) }
        }

        private func picture(_ trial: Int) throws -> [UInt8] {
            var bytes: [UInt8] = []
            while true {
                let piece = try camera.ask(GetTriedPicture(trial, from: bytes.count))
                guard let more = Base64.bytes(piece.base64), !more.isEmpty else { return bytes }
                bytes += more
                if bytes.count >= piece.byteCount { return bytes }
            }
        }
    }
}

/// Where `roost-eyes` is, and how to answer.
struct CameraLineOptions: ParsableArguments {
    /// A picture may take a minute, and the live picture's end another.
    private static let patience: Duration = .seconds(130)

    @Option(help: "The socket of roost-eyes.")
    var socket = StandardSocket.camera

    @Flag(help: "Print JSON instead of words.")
    var json = false

    /// Asks one question.
    ///
    /// - Throws: `ClientFailure`, also where no `roost-eyes` runs.
    func ask<Asked: Question>(_ question: Asked) throws -> Asked.Answer {
        let line = SocketLine.camera(socket, patience: Self.patience)
        guard let answer = try line.report(question) else {
            throw ClientFailure(
                message: "no roost-eyes answers at \(socket); start it: "
                    + "sudo systemctl start roost-eyes",
                exitCode: unavailableExitCode
            )
        }
        return answer
    }

    /// Prints a report as JSON or as text.
    func print<Body: Codable>(_ body: Body, _ words: (Body, Paint) -> [String]) throws {
        if json { return Output.line(try ControlCodec.line(body)) }
        for line in words(body, .forStandardOutput) { Output.line(line) }
    }

    func show(_ report: CameraSettingsReport) throws {
        try print(report) { report, paint in CameraText.lines(report, paint) }
    }
}

/// Settings of the camera, and a trial, as lines of text.
private enum CameraText {
    static func lines(_ report: CameraSettingsReport, _ paint: Paint) -> [String] {
        var lines = [report.trouble ?? (report.isOn ? "the camera is on" : "the camera is off")]
        lines += report.settings.map { setting in
            let value = paint.bold(setting.value.padded(to: 24))
            return "\(setting.key.padded(to: 22)) \(value) \(setting.origin.rawValue)"
        }
        if report.hasProgram { lines.append("pictures by a program, which \(report.file) names") }
        if let trouble = report.coverTrouble { lines.append(trouble) }
        lines += report.cameras.map { "plugged in: \($0.device)  \($0.path)  \($0.name)" }
        return lines
    }

    static func lines(_ report: CameraTrialReport, _ paint: Paint) -> [String] {
        var lines = report.steps.map { step in
            let state = step.state.rawValue.padded(to: 8)
            let words = step.sentence.isEmpty ? "" : " \(step.sentence)"
            return "\(step.name.rawValue.padded(to: 10)) \(paint.bold(state))\(words)"
        }
        if let byteCount = report.byteCount {
            let size = report.width.map { "\($0) × \(report.height ?? 0), " } ?? ""
            let seconds = report.seconds.map { " in \($0) s" } ?? ""
            lines.append("\(size)\(byteCount) bytes\(seconds)")
        }
        return lines
    }
}
