import ArgumentParser
import ClientSupport
import ControlProtocol
import Provisioning
import ProvisioningIO
import Store

struct UpdateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Brings a station that runs from an image to another version, and back.",
        discussion: """
            A card has two roots. An update is written to the one that does not run, is started \
            once, and becomes the good one when the station is as well as before; else the next \
            start is the present version again. Data and settings stay. A station that was \
            installed as packages is updated by apt.

            Examples: roost update status
                      sudo roost update install --restart /media/stick/roost.update
                      sudo roost update rollback

            Exit codes: 0 done, 1 refused or failed (the station is as before), 2 the station on \
            trial is not well (confirm), 64 wrong usage, 69 no image.
            """,
        subcommands: [
            UpdateStatusCommand.self, UpdateInstallCommand.self, UpdateRollbackCommand.self,
            UpdateConfirmCommand.self, UpdateDescribeCommand.self,
        ]
    )
}

struct UpdateDescribeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "describe",
        abstract: "Says which version this is and what stores it reads; needs no running station.",
        discussion: "Example: roost update describe --json"
    )
    @Flag(help: "Print JSON instead of words.")
    var json = false

    func run() throws {
        let report = UpdateMachine.report(ImageMachine())
        try UpdateMachine.print(report, json: json, UpdateText.description(report))
    }
}

struct UpdateStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Which version runs from which root, and what became of the last update.",
        discussion: "Example: roost update status"
    )
    @Flag(help: "Print JSON instead of words.")
    var json = false

    func run() throws {
        let (machine, running) = try UpdateMachine.require()
        let report = UpdateMachine.report(machine)
        let state = TrialState(machine.slots, running: running)
        try UpdateMachine.print(report, json: json, UpdateText.status(report, state))
    }
}

struct UpdateRollbackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback",
        abstract: "Takes an update back, or tries the version before it.",
        discussion: """
            An update that waits or is on trial is taken back at once. After it became good, the \
            version before it is still on the other root: it is tried at the next start like an \
            update, unless it cannot read the store any more. Where the newer version changed the \
            schema of the dashboard's accounts, those of before count again: see \
            docs/guide/updates.md.

            Example: sudo roost update rollback --restart
            """
    )
    @Flag(help: "Restart at once.")
    var restart = false

    @Flag(help: "Print JSON instead of words.")
    var json = false

    @OptionGroup var store: UpdateStoreOptions

    func run() throws {
        let (machine, running) = try UpdateMachine.require()
        do throws(UpdateError) {
            try takeBack(machine, running)
        } catch { throw UpdateMachine.failure(error) }
        let report = UpdateMachine.report(machine)
        let state = TrialState(machine.slots, running: running)
        try UpdateMachine.print(report, json: json, UpdateText.status(report, state))
        if restart { try UpdateRestart.now() }
    }

    private func takeBack(
        _ machine: ImageMachine,
        _ running: RootSlot
    ) throws(UpdateError) {
        let slots = machine.slots
        let card = try machine.card(for: running.other)
        var record = machine.record ?? UpdateRecord(state: .takenBack)
        switch TrialState(slots, running: running) {
        case .waiting, .fellBack: try card.writeSlots(slots.settled(on: running).sector)
        case .onTrial: try card.writeSlots(slots.settled(on: running.other).sector)
        case .settled, .standIn:
            guard RootSlot.holdsFileSystem(try card.read(0, count: 4_096, of: running.other)) else {
                throw .refused("root \(running.other.rawValue) holds no version to go back to")
            }
            let needed = store.schema
            if let known = record.fromSchema, let needed, known < needed {
                throw .refused(
                    "version \(record.from ?? "before") cannot read the store any more: it knows "
                        + "\(known) steps of its schema, and the store has \(needed)"
                )
            }
            record = UpdateHistory.goingBack(
                machine.record,
                at: machine.version,
                schema: StoreSchema.stepCount
            )
            try card.writeSlots(slots.settled(on: running).trying(running.other).sector)
        }
        (record.state, record.time, record.why) = (.takenBack, ImageMachine.now, nil)
        machine.keep(record)
    }
}
