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
        /// Constant: `unknown-host`, `certificate`, `status-401`.
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
            let (message, isLocal) = try await Self.message(configuration, options, materials)
            var settings = CurlSettings()
            settings.allowsLocal = isLocal
            settings.authorities = options.authorities
            settings.proxy = configuration.network.proxy.map { MaskedText($0) }
            let network = TargetNetwork(try CurlNetwork(on: loop, settings: settings))
            return try await Self.probe(message, of: options.id, over: network, loop.clock)
        }
        if options.json {
            Output.line(try ControlCodec.line(report))
        } else {
            Output.line("\(report.server): \(report.words) (\(report.milliseconds) ms)")
        }
        if !report.isReached { throw ExitCode(1) }
    }

    /// What the entry would send first, and whether it may go to this computer.
    private static func message(
        _ configuration: CourierConfiguration,
        _ options: EntryOptions,
        _ materials: TargetMaterials
    ) async throws -> (DryNetwork.Message, isLocal: Bool) {
        let network = DryNetwork()
        let isLocal: Bool
        do {
            if let entry = configuration.receivers.first(where: { $0.id == options.id }) {
                isLocal = entry.common.isLocal
                _ = try await entry.make(materials)
                    .deliver(NoticeValues.test(at: nil), over: network)
            } else if let entry = configuration.targets.first(where: { $0.id == options.id }) {
                isLocal = entry.common.isLocal
                switch try entry.make(materials) {
                case .samples(let target):
                    if let probe = target.probe { return (.request(probe), isLocal) }
                    let now = WallTime(nanoseconds: 0)
                    _ = try await target.deliver(ExampleBatch.make(nil, at: now), over: network)
                case .broker(let target):
                    return (.broker(target.settings.broker), isLocal)
                case .files(let work):
                    let example = try await OutboxFile(path: "example.csv") { _ in nil }
                    _ = try await work.target.deliver(example, over: network)
                case .drives(let work):
                    let (drive, file) = ExampleDrive.make()
                    let upload = DriveUpload()
                    _ = try await work.target.advance(upload, of: drive, file, over: network)
                case .heartbeat(let target):
                    guard let request = target.request(.alive("")) else { break }
                    // Each request to its address counts as a beat.
                    let origin = DryNetwork.Message.request(request).origin
                    var probe = OutboundRequest(.get, origin)
                    probe.trust = request.trust
                    return (.request(probe), isLocal)
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
        return (message, isLocal)
    }

    /// Asks for nothing and sends nothing of the station's.
    private static func probe(
        _ message: DryNetwork.Message,
        of id: String,
        over network: TargetNetwork,
        _ clock: any NodeClock
    ) async throws -> Report {
        let begun = clock.now
        func report(_ isReached: Bool, _ code: String?, _ words: String) -> Report {
            let elapsed = begun.duration(to: clock.now).inSeconds
            return Report(
                id: id,
                server: message.origin.shown,
                isReached: isReached,
                code: code,
                words: words,
                milliseconds: Int(elapsed * 1_000)
            )
        }
        var request: OutboundRequest
        switch message {
        case .request(let first) where first.body.isEmpty: request = first
        case .request(let first), .upload(let first, _):
            request = OutboundRequest(.get, message.origin)
            request.trust = first.trust
            request.needsHTTP2 = first.needsHTTP2
        case .broker(let broker):
            do {
                await (try await network.connect(broker)).close()
                return report(true, nil, "the broker takes our log-in")
            } catch let failure as NetworkFailure {
                return report(false, failure.stage.rawValue, failure.words)
            }
        case .mail:
            let words = "mail is tried by a test notice: `roost courier send`"
            return report(false, "no-probe", words)
        }
        request.timeoutSeconds = 30
        do {
            let answer = try await network.exchange(request)
            if answer.isHTML, request.method != .get {
                return report(false, "foreign", "another server answers (captive portal?)")
            }
            if request.method != .get, !answer.isSuccess {
                let words = "status \(answer.status) \(answer.excerpt)"
                return report(false, "status-\(answer.status)", words)
            }
            let isKnown = request.method == .get ? "" : " and takes our log-in"
            return report(true, nil, "the server answers\(isKnown), status \(answer.status)")
        } catch let failure as NetworkFailure {
            return report(false, failure.stage.rawValue, failure.words)
        }
    }
}
