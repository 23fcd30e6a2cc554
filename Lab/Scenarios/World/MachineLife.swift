import Configuration
import Core
import HardwareIO
import Logging
import SimulationKit
import Station

/// One life of the process: the station on its machine, and what acts on it from outside.
///
/// Unchecked: one simulation is one thread.
struct MachineLife: @unchecked Sendable {
    let machine: Machine

    private var world: World { machine.world }
    private var simulated: SimulatedClock { machine.simulated }

    /// Runs until the end of this life.
    ///
    /// - Parameters:
    ///   - seed: Of the station's own chance.
    /// - Throws: `ConfigurationError`, `CancellationError`.
    func run(_ text: String, seed: UInt64) async throws {
        let configuration = try StationConfiguration.read(Array(text.utf8), file: "years")
        for line in world.highLines.sorted() { machine.gpio.drive(line, true) }
        machine.plugAll()
        var dependencies = StationDependencies(
            platform: machine,
            logger: Logger(label: "years") { _ in SwiftLogNoOpLogHandler() },
            seed: seed,
            serviceWatchdog: Machine.serviceWatchdog,
            endProcess: { [unowned machine] reason in machine.end(.endedItself(reason)) }
        )
        dependencies.builtAt = World.birth
        let station = Station(
            configuration,
            stored: OverlayFile(world.settings).read(),
            in: dependencies
        )
        machine.requestStop.value = { station.requestStop() }
        machine.follow(station)
        machine.refreshCard()
        if world.scenario.hasCourier { machine.courier = CourierLives(on: machine, seed: seed) }
        if world.scenario.hasCamera { machine.eyes = EyesLives(on: machine) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await run(station) }
            group.addTask { try await drive() }
            group.addTask { try await watchOver() }
            group.addTask { try await machine.lookNowAndThen() }
            group.addTask { try await actNowAndThen() }
            if let courier = machine.courier { group.addTask { try await courier.run() } }
            if let eyes = machine.eyes { group.addTask { try await eyes.run() } }
            try await group.waitForAll()
        }
    }

    private func run(_ station: Station) async {
        do {
            try await station.run()
            let reason = machine.stopReason.value
            machine.end(machine.isStopping ? reason : .gaveUp("ended without being asked"))
        } catch {
            machine.end(.gaveUp("\(error)"))
        }
    }

    /// Carries out the planned faults and acts in time.
    private func drive() async throws {
        let changed = Signal()
        world.nextChanged = changed
        while !Task.isCancelled, !machine.isDead {
            guard let next = world.nextPlanned else { return }
            if next > machine.now {
                _ = try await simulated.wait(for: changed, until: next, tolerance: .zero)
            }
            while !machine.isDead, let action = world.takePlanned(by: machine.now) {
                let before = machine.now
                action(machine)
                // No process ran for a while: timers that fell due come before other events.
                if machine.now > before { try await simulated.sleep(for: .milliseconds(20)) }
            }
        }
    }

    /// Ends a node without heartbeat as systemd and the board's watchdog do.
    private func watchOver() async throws {
        while !Task.isCancelled, !machine.isDead {
            try await simulated.sleep(for: .seconds(60), tolerance: .seconds(30))
            let now = machine.now
            let silence = machine.lastAlive.duration(to: now)
            if let askedAt = machine.askedAt, askedAt.duration(to: now) > Machine.patience * 2,
                !machine.isStopping
            {
                world.records.unanswered.append(now)
                machine.askedAt = nil
            }
            if let lastPet = machine.lastPet, lastPet.duration(to: now) > Machine.boardWatchdog {
                machine.end(.boardWatchdog)
            } else if machine.isReady, !machine.isStopping, silence > Machine.serviceWatchdog {
                machine.end(.serviceWatchdog)
            } else if !machine.isReady, silence > .seconds(90) {
                machine.end(.serviceWatchdog)
            }
        }
    }

    private func actNowAndThen() async throws {
        while !Task.isCancelled, !machine.isDead {
            _ = try await simulated.wait(for: machine.actSignal, until: nil, tolerance: .zero)
            while !machine.acts.isEmpty, !machine.isDead {
                try await machine.act(machine.acts.removeFirst())
            }
        }
    }
}
