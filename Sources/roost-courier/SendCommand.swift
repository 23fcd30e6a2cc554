import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import CourierIO
import LinuxIO
import Profiles
import RoostCourier
import StoreQueries

/// Options of commands that try one entry of the configuration without the running courier.
struct EntryOptions: ParsableArguments {
    @Argument(help: "The target or receiver, by its id.")
    var id: String

    @Option(help: "The configuration file.")
    var config = CourierConfiguration.standardPath

    @Option(help: "The station's control socket.")
    var socket = "/run/roost/roost.sock"

    @Option(help: "The folder of secrets, after those of systemd.")
    var secrets = SecretFolder.standard

    @Option(help: "The folder of subscribers and their keys.")
    var state = CourierFolder.standard

    @Option(help: "The folder of hashed certificates of authorities.")
    var authorities = "/etc/ssl/certs"

    @OptionGroup var presets: PresetOptions

    @Flag(help: "Print JSON instead of words.")
    var json = false

    func configuration() throws -> CourierConfiguration {
        do {
            let limit = CourierConfiguration.byteLimit + 1
            return try CourierConfiguration(
                try FileBytes.read(config, limit: limit),
                file: config,
                presets: try presets.catalog()
            )
        } catch let error as ConfigurationError {
            Output.error("\(error)")
            throw ExitCode(78)
        } catch {
            Output.error("\(error)")
            throw ExitCode(1)
        }
    }

    func unknown(_ configuration: CourierConfiguration) -> ExitCode {
        let known = configuration.targets.map(\.id) + configuration.receivers.map(\.id)
        let list = known.isEmpty ? "it names none" : "there are \(known.joined(separator: ", "))"
        Output.error("\(config): there is no target or receiver \(id); \(list)")
        return ExitCode(1)
    }

    /// Asks the station for its status; nil where none answers.
    func status(on loop: EventLoop) async throws -> StatusReport? {
        do {
            return try await StationSocket(path: socket, on: loop)
                .ask(GetStatus())
        } catch is StationDown {
            return nil
        }
    }

    func materials(
        _ status: StatusReport?,
        _ secrets: any SecretSource,
        _ clock: any NodeClock
    ) throws -> TargetDependencies {
        let zone = status?.zone.flatMap { Zone(named: $0) }
        if zone == nil {
            let why = status?.zone.map { "the zone \($0) is not known here" }
            Output.error(
                "\(why ?? "the station names no zone"): times are in the zone of this machine"
            )
        }
        var materials = TargetDependencies(
            secrets: secrets,
            station: StationIdentity(
                id: status?.stationID ?? "000000000000",
                name: status?.name ?? "station",
                model: status?.board?.model ?? status?.board?.name ?? "computer",
                version: RoostVersion.text
            ),
            clock: clock,
            zone: zone ?? Zone.system
        )
        let disk = try DiskThread(name: "subscribers")
        let folder = CourierFolder.ofProcess(state, on: disk)
        materials.subscribers = SubscriberStore(folder, clock: clock)
        return materials
    }
}

struct SendCommand: ParsableCommand {
    /// Gives a mask in place of each secret, so that a dry run needs none.
    private struct Marks: SecretSource {
        func secret(_ name: SecretName) throws(SecretError) -> Secret { Secret(Secret.mask) }
    }

    private struct Shown: Encodable {
        let id: String
        let sent: String
    }

    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Shows what a target or receiver would be sent, byte for byte but for secrets.",
        discussion: """
            With --dry-run nothing leaves the station and no secret is read. Without it a receiver \
            gets a notice that is marked TEST; targets of samples get theirs from the courier alone.

            Examples: roost courier send influx --dry-run
                      roost courier send phone --dry-run
                      sudo roost courier send phone
            Exit codes: 0 done, 1 not delivered, 78 the configuration is wrong.
            """
    )

    @OptionGroup var options: EntryOptions

    @Flag(help: "Send nothing.")
    var dryRun = false

    func run() throws {
        let configuration = try options.configuration()
        let loop = try EventLoop()
        let (command, options) = (self, options)
        let text = try loop.run { () -> String in
            let status = try await options.status(on: loop)
            let secrets: any SecretSource =
                command.dryRun ? Marks() : SecretFolder.ofProcess(options.secrets)
            let materials = try options.materials(status, secrets, loop.clock)
            if let entry = configuration.receivers.first(where: { $0.id == options.id }) {
                let receiver = try entry.make(materials)
                let notice = entry.test(receiver, at: loop.clock.wallReading?.wall)
                let reach = (entry.common.isLocal, entry.common.isPublicOnly)
                return try await command.deliver(on: loop, reach) { network in
                    try await receiver.deliver(notice, over: network)
                }
            }
            guard let entry = configuration.targets.first(where: { $0.id == options.id }) else {
                throw options.unknown(configuration)
            }
            guard command.dryRun else {
                let words = "\(entry.id) gets its samples from the running courier alone"
                let next = "or try the way with `roost target try \(entry.id)`"
                Output.error("\(words); look at them with --dry-run, \(next)")
                throw ExitCode(64)
            }
            switch try entry.make(materials) {
            case .samples(let target):
                let batch = ExampleBatch.make(status, at: loop.clock.wallReading?.wall)
                return try await command.deliver(on: loop, (entry.common.isLocal, false)) {
                    network in
                    try await target.deliver(batch, over: network)
                }
            case .broker(let target):
                let batch = ExampleBatch.make(status, at: loop.clock.wallReading?.wall)
                let messages = batch.samples.map {
                    let expiry = MQTTPayloads.expiry(nil)
                    return target.settings.payloads.sample($0, age: .zero, expiry: expiry)
                }
                return messages.map { "\($0.topic) \(String(decoding: $0.payload, as: UTF8.self))" }
                    .joined(separator: "\n")
            case .files(let work):
                let example = try await OutboxFile(path: work.prefix + "hourly/example.csv") { n in
                    n == 0 ? Array("PM2.5,12.3,2026-11-22T04:30:00Z\n".utf8) : nil
                }
                return try await command.deliver(on: loop, (entry.common.isLocal, false)) {
                    network in
                    try await work.target.deliver(example, over: network)
                }
            case .drives(let work):
                return try await command.deliver(on: loop, (entry.common.isLocal, false)) {
                    try await Self.begin(work, over: $0)
                }
            case .heartbeat(let target):
                return target.request(.alive("1 devices measure"))?.dryRun ?? ""
            }
        }
        guard options.json else { return Output.line(text) }
        Output.line(try ControlCodec.line(Shown(id: options.id, sent: text)))
    }

    /// Sends the first request for an example.
    private static func begin(
        _ work: DriveWork,
        over network: any CourierNetwork
    ) async throws -> DeliveryOutcome {
        let (drive, file) = ExampleDrive.make()
        let step = try await work.target.advance(DriveUpload(), of: drive, file, over: network)
        guard case .ended(let outcome) = step else { return .delivered }
        return outcome
    }

    private func deliver(
        on loop: EventLoop,
        _ reach: (allowsLocal: Bool, isPublicOnly: Bool),
        _ body: (any CourierNetwork) async throws -> DeliveryOutcome
    ) async throws -> String {
        if dryRun {
            let network = DryNetwork()
            _ = try await body(network)
            guard let message = network.message else { return "nothing would be sent" }
            return message.text
        }
        var settings = CurlSettings()
        (settings.allowsLocal, settings.isPublicOnly) = reach
        settings.authorities = options.authorities
        let outcome = try await body(
            TargetNetwork(try CurlNetwork(on: loop, settings: settings))
        )
        guard outcome == .delivered else {
            Output.error("\(options.id): \(outcome.text)")
            throw ExitCode(1)
        }
        return "\(options.id): delivered"
    }
}
