import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import Glibc
import Provisioning
import ProvisioningIO

struct UpdateInstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Writes a signed update to the root that does not run.",
        discussion: """
            Who signed the file, whether it is for this station, and that it is whole, is checked \
            before anything is written. An older version is refused unless --allow-downgrade is \
            given. The station measures on meanwhile. The new version starts with the next \
            restart; a loss of power at any moment leaves a station that starts.

            Examples: sudo roost update install --restart /media/stick/roost.update
                      sudo roost update install https://example.org/roost.update
                      ssh laptop cat roost.update | sudo roost update install -
            """
    )
    @Argument(help: "The update file, - for standard input, or an address of https://.")
    var file: String

    @Flag(help: "Restart when it is written.")
    var restart = false

    @Flag(help: "Take an older version than the one that runs, too.")
    var allowDowngrade = false

    @OptionGroup var store: UpdateStoreOptions
    @OptionGroup var client: ClientOptions

    func run() throws {
        let (machine, running) = try UpdateMachine.require()
        let lock = try UpdateLock()
        defer { lock.release() }
        // An update that is stopped by hand leaves no progress that the page would wait for.
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) { _ in
                unlink("/run/roost-update.json")
                _exit(1)
            }
        }
        var record = UpdateHistory.beginning(after: machine.record, at: machine.version)
        machine.show(record)
        let failure: UpdateError?
        do throws(UpdateError) {
            try install(machine, running, &record)
            failure = nil
        } catch { failure = error }
        if let failure {
            (record.code, record.why) = (failure.code, "\(failure)")
            if case .failed = failure { record.state = .failed } else { record.state = .refused }
            if case .damaged = failure { record.state = .failed }
        } else {
            record.state = .waiting
        }
        (record.percent, record.time) = (nil, ImageMachine.now)
        machine.keep(record)
        if client.json { Output.line(try ControlCodec.line(record)) }
        if let failure { throw UpdateMachine.failure(failure) }
        if !client.json { UpdateText.installed(record).forEach(Output.line) }
        if restart { try UpdateRestart.now() }
    }

    private func install(
        _ machine: ImageMachine,
        _ running: RootSlot,
        _ record: inout UpdateRecord
    ) throws(UpdateError) {
        let card = try machine.card(for: running.other)
        let (slots, schema) = (machine.slots, store.schema)
        let (keys, leftOut) = machine.keys()
        for (path, why) in leftOut { Output.error("\(path) is left out: \(why)") }
        let run = UpdateRun(try source())
        let offer = try run.offer(trusting: keys)
        let manifest = offer.manifest
        (record.version, record.build, record.keyID) = (
            manifest.version, manifest.build, offer.key
        )
        record.slot = running.other.rawValue
        try UpdateRules(
            board: machine.board,
            layout: machine.layout,
            version: machine.version,
            storeSchema: schema,
            partitionByteCount: card.byteCount,
            trial: TrialState(slots, running: running),
            allowsOlder: allowDowngrade
        ).check(manifest)
        Output.write(
            "roost: version \(manifest.version) (\(manifest.build)), signed by key \(offer.key), "
                + "goes to root \(running.other.rawValue)\n",
            to: 2
        )
        let teller = UpdateTeller(machine, record)
        let fetched = try run.fetch(offer, in: machine.updateFolder) { teller.report($0) }
        record.before = UpdateBaseline.asked(client)
        (record.from, record.fromSchema) = (machine.version, schema)
        // The record that stays if the power is lost or the program killed from here on.
        var cut = record
        (cut.state, cut.percent) = (.failed, nil)
        (cut.code, cut.why) = ("interrupted", "it was interrupted: install it again")
        machine.keep(cut)
        machine.show(record)
        teller.record = record
        _ = try run.install(fetched, on: card, slots: slots, running: running) { teller.report($0) }
        teller.finish()
    }

    private func source() throws(UpdateError) -> UpdateSource {
        if file.hasPrefix("https://") {
            do {
                return try UpdateSource(
                    command: [try SisterProgram.path("roost-courier"), "fetch", file]
                )
            } catch let error as UpdateError { throw error } catch { throw .failed("\(error)") }
        }
        guard !file.hasPrefix("http://") else {
            throw .refused("\(file) is not encrypted: take its https:// address")
        }
        return try UpdateSource(path: file)
    }
}

/// Says how far an update is: on standard error, and for the dashboard.
private final class UpdateTeller {
    private let machine: ImageMachine
    var record: UpdateRecord
    private let line = try? ProgressLine()

    init(_ machine: ImageMachine, _ record: UpdateRecord) {
        (self.machine, self.record) = (machine, record)
    }

    func report(_ progress: UpdateRun.Progress) {
        let percent = progress.percent
        switch progress {
        case .reads(let done, let all):
            line?.show("\(percent) %, read \(done >> 20) of \(all >> 20) MiB of the file")
        case .writes(let done, let all):
            line?.show("\(percent) %, written \(done >> 20) of \(all >> 20) MiB of the file")
        case .compares(let done, let all):
            line?.show("\(percent) %, compared \(done >> 20) of \(all >> 20) MiB of the root")
        }
        guard record.percent != percent else { return }
        record.percent = percent
        machine.show(record)
    }

    func finish() { line?.finish() }
}

/// A lock that allows one update at a time.
struct UpdateLock {
    private let descriptor: Int32

    /// - Throws: `ClientFailure` while another command writes an update.
    init() throws {
        descriptor = open("/run/roost-update.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw ClientFailure(
                message: "only root may install an update: type sudo in front",
                exitCode: 1
            )
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw ClientFailure(
                message: "another update is being written: roost update status",
                exitCode: 1
            )
        }
    }

    func release() { close(descriptor) }
}

extension UpdateBaseline {
    /// How the station is now; nil when it does not answer, and then nothing is compared.
    fileprivate static func asked(_ client: ClientOptions) -> UpdateBaseline? {
        let answer = try? client.withStation { client in
            let status = try await client.ask(GetStatus())
            let devices = try await client.ask(GetDevices())
            return (status, devices)
        }
        guard let (status, devices) = answer else {
            Output.error("the station does not answer: the new version need only answer, too")
            return nil
        }
        let remote = devices.devices.filter { $0.location.hasPrefix("http") }.map(\.name)
        return TrialHealthCheck.baseline(status, remote: Set(remote))
    }
}
