import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import HardwareIO
import LinuxIO
import Provisioning
import ProvisioningIO

struct UpdateConfirmCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm",
        abstract: "Makes the version on trial the good one, once the station is as well as before.",
        discussion: """
            roost-good.service runs it at each start. Without a version on trial it ends at once. \
            Else it waits until the station runs for a minute, has its store open, no fault that \
            was not there before the update, and a first value of each channel that had one. A \
            station that does not come so far in time is not made good: exit code 2, and the next \
            start is the version before.

            Example: sudo roost update confirm --within 13m
            """
    )
    @Option(help: "How long to wait at most.")
    var within = DurationArgument(.seconds(13 * 60))

    @OptionGroup var client: ClientOptions

    func run() throws {
        let (machine, running) = try UpdateMachine.require()
        let slots = machine.slots
        switch TrialState(slots, running: running) {
        case .settled: try say(machine, "root \(running.rawValue) is the good one")
        case .waiting(let slot):
            try say(machine, "root \(slot.rawValue) is tried at the next start")
        case .standIn(let good):
            try say(machine, "root \(running.rawValue) stands in: root \(good.rawValue) is damaged")
        case .fellBack(let slot): try recordFall(machine, running, slot, slots)
        case .onTrial: try confirm(machine, running, slots)
        }
    }

    private func say(_ machine: ImageMachine, _ words: String) throws {
        try UpdateMachine.print(UpdateMachine.report(machine), json: client.json, [words])
    }

    /// Keeps that an update did not become good; failing to do so is no reason to start again.
    private func recordFall(
        _ machine: ImageMachine,
        _ running: RootSlot,
        _ slot: RootSlot,
        _ slots: BootSlots
    ) throws {
        var record = UpdateHistory.trial(machine.record)
        if record.state != .fellBack {
            record.why = record.why ?? "it was started and did not say that it is good"
            (record.state, record.time) = (.fellBack, ImageMachine.now)
            machine.keep(record)
        }
        do throws(UpdateError) {
            try machine.card(for: slot).writeSlots(slots.settled(on: running).sector)
        } catch { Output.error("\(error)") }
        try say(machine, "root \(slot.rawValue) was tried and did not become good")
    }

    private func confirm(
        _ machine: ImageMachine,
        _ running: RootSlot,
        _ slots: BootSlots
    ) throws {
        var record = UpdateHistory.trial(machine.record)
        if let (why, seconds) = try awaitHealth(before: record.before) {
            let text =
                "the station on trial is not well after \(durationText(seconds: seconds)): \(why)"
            record.why = text
            machine.keep(record)
            throw ClientFailure(
                message: "\(text); the version before starts again",
                exitCode: 2
            )
        }
        do throws(UpdateError) {
            let card = try machine.card(for: running.other)
            try card.writeSlots(slots.settled(on: running).sector)
        } catch { throw UpdateMachine.failure(error) }
        (record.version, record.build) = (machine.version, machine.build)
        (record.state, record.time, record.why) = (.good, ImageMachine.now, nil)
        machine.keep(record)
        try say(machine, "version \(machine.version) is good: root \(running.rawValue)")
    }

    /// - Returns: Nil once the station is well; else what was wrong at last, and after how long.
    private func awaitHealth(before: UpdateBaseline?) throws -> (why: String, seconds: Double)? {
        let loop = try EventLoop()
        let (path, patience, limit) = (client.socketPath, client.timeout.duration, within.seconds)
        return try loop.run {
            let clock = loop.clock
            let began = clock.now
            while true {
                let elapsed = began.duration(to: clock.now).inSeconds
                let verdict: TrialHealthCheck.Verdict
                do {
                    let connection = try LocalSocket.connect(path: path, on: loop)
                    defer { connection.close() }
                    let client = ControlClient(
                        connection: connection,
                        clock: clock,
                        path: path,
                        timeout: patience
                    )
                    let status = try await client.ask(GetStatus())
                    verdict = TrialHealthCheck.verdict(status, before: before, after: elapsed)
                } catch let error as CancellationError {
                    throw error
                } catch { verdict = TrialHealthCheck.unstarted("\(error)", after: elapsed) }
                switch verdict {
                case .good: return nil
                case .bad(let why): return (why, elapsed)
                case .waits(let why): guard elapsed < limit else { return (why, elapsed) }
                }
                try await clock.sleep(for: .seconds(5))
            }
        }
    }
}
