import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import CourierIO
import LinuxIO
import RoostCourier

struct ProbeCommand: ParsableCommand {
    private struct Report: Encodable {
        let id: String
        let server: String
        let isReached: Bool
        /// Constant code such as `unknown-host`, `certificate` or `status-401`.
        let code: String?
        let words: String
        let milliseconds: Int
    }

    static let configuration = CommandConfiguration(
        commandName: "probe",
        abstract: "Tries the way to a target: name, connection, certificate, log-in; without data.",
        discussion: """
            Example: sudo roost courier probe influx
            Exit codes: 0 the server answers and knows us, 1 it does not,
            78 the configuration is wrong.
            """
    )

    @OptionGroup var options: EntryOptions

    func run() throws {
        let configuration = try options.configuration()
        let loop = try EventLoop()
        let options = options
        let report = try loop.run { () -> Report in
            let status = try await options.status(on: loop)
            let secrets = SecretFolder.ofProcess(options.secrets)
            let materials = try options.materials(status, secrets, loop.clock)
            let trial = try await Self.trial(configuration, options, materials)
            var settings = CurlSettings()
            settings.allowsLocal = trial.isLocal
            settings.authorities = options.authorities
            settings.proxy = configuration.network.proxy.map { MaskedText($0) }
            // This network hides secrets in all texts of a server.
            let network = TargetNetwork(try CurlNetwork(on: loop, settings: settings))
            return try await Self.probe(trial, of: options.id, over: network, loop.clock)
        }
        if options.json {
            Output.line(try ControlCodec.line(report))
        } else {
            Output.line("\(report.server): \(report.words) (\(report.milliseconds) ms)")
        }
        if !report.isReached { throw ExitCode(1) }
    }

    /// A message that the command tries to send.
    private struct Trial {
        let message: DryNetwork.Message
        /// Whether an address of this computer is allowed.
        let isLocal: Bool
        /// Whether success proves that the server accepts the login; otherwise it is only reached.
        var isLogin = false
    }

    /// Returns a request that tests the login, or else the first that the entry would send.
    private static func trial(
        _ configuration: CourierConfiguration,
        _ options: EntryOptions,
        _ materials: TargetDependencies
    ) async throws -> Trial {
        let network = DryNetwork()
        let isLocal: Bool
        func login(_ request: OutboundRequest, _ isLocal: Bool) -> Trial {
            Trial(message: .request(request), isLocal: isLocal, isLogin: true)
        }
        do {
            if let entry = configuration.receivers.first(where: { $0.id == options.id }) {
                isLocal = entry.common.isLocal
                let receiver = try entry.make(materials)
                if let probe = receiver.probe { return login(probe, isLocal) }
                _ = try await receiver.deliver(NoticeValues.test(at: nil), over: network)
            } else if let entry = configuration.targets.first(where: { $0.id == options.id }) {
                isLocal = entry.common.isLocal
                switch try entry.make(materials) {
                case .samples(let target):
                    if let probe = target.probe { return login(probe, isLocal) }
                    let now = WallTime(nanoseconds: 0)
                    _ = try await target.deliver(ExampleBatch.make(nil, at: now), over: network)
                case .broker(let target):
                    return Trial(message: .broker(target.settings.broker), isLocal: isLocal)
                case .files(let work):
                    if let probe = work.target.probe { return login(probe, isLocal) }
                    let example = try await OutboxFile(path: "example.csv") { _ in nil }
                    _ = try await work.target.deliver(example, over: network)
                case .drives(let work):
                    let (drive, file) = ExampleDrive.make()
                    let upload = DriveUpload()
                    _ = try await work.target.advance(upload, of: drive, file, over: network)
                case .heartbeat(let target):
                    guard let request = target.request(.alive("")) else { break }
                    // Each request to a heartbeat's URL counts as a heartbeat.
                    let origin = DryNetwork.Message.request(request).origin
                    var probe = OutboundRequest(.get, origin)
                    probe.trust = request.trust
                    return Trial(message: .request(probe), isLocal: isLocal)
                }
            } else {
                throw options.unknown(configuration)
            }
        } catch let error as SecretError {
            Output.error("\(error)")
            throw ExitCode(1)
        }
        guard let message = network.message else {
            Output.error("\(options.id) sends nothing that could be probed")
            throw ExitCode(1)
        }
        return Trial(message: message, isLocal: isLocal)
    }

    /// Connects to the server without sending any data of the station.
    private static func probe(
        _ trial: Trial,
        of id: String,
        over network: TargetNetwork,
        _ clock: any NodeClock
    ) async throws -> Report {
        let begun = clock.now
        func report(_ isReached: Bool, _ code: String?, _ words: String) -> Report {
            let elapsed = begun.duration(to: clock.now).inSeconds
            return Report(
                id: id,
                server: trial.message.origin.shown,
                isReached: isReached,
                code: code,
                words: words,
                milliseconds: Int(elapsed * 1_000)
            )
        }
        do {
            switch trial.message {
            case .request(let request) where trial.isLogin:
                return try await judged(request, over: network, report)
            case .request(let first), .upload(let first, _):
                var request = OutboundRequest(.get, trial.message.origin)
                (request.trust, request.needsHTTP2) = (first.trust, first.needsHTTP2)
                request.timeoutSeconds = 30
                let answer = try await network.exchange(request)
                let words = "the server answers, status \(answer.status)"
                return report(true, nil, "\(words); whether it knows us shows with the first data")
            case .broker(let broker):
                await (try await network.connect(broker)).close()
                return report(true, nil, "the broker takes our log-in")
            case .mail(var message):
                message.isProbe = true
                _ = try await network.send(message)
                let isKnown = message.user == nil ? "" : " and takes our log-in"
                return report(true, nil, "the server answers\(isKnown)")
            }
        } catch let failure as NetworkFailure {
            return report(false, failure.stage.rawValue, failure.words)
        }
    }

    /// Judges whether the server accepts the login.
    private static func judged(
        _ first: OutboundRequest,
        over network: TargetNetwork,
        _ report: (Bool, String?, String) -> Report
    ) async throws -> Report {
        var request = first
        request.timeoutSeconds = 30
        let answer = try await network.exchange(request)
        if answer.isHTML {
            return report(false, "foreign", "another server answers (captive portal?)")
        }
        guard answer.isSuccess else {
            let words = "the server does not take our log-in: status \(answer.status)"
            let said = answer.excerpt.isEmpty ? "" : " \(answer.excerpt)"
            return report(false, "status-\(answer.status)", words + said)
        }
        let words = "the server answers and takes our log-in, status \(answer.status)"
        return report(true, nil, words)
    }
}
