import Core
import PowerCut
import SimulationKit
import Station
import Store

/// One life of a station: all its processes and boots, under a scenario's faults.
package struct Life {
    /// The seed, length and faults of a life to simulate.
    package struct Order: Sendable {
        package var seed: UInt64
        package var length: Duration
        /// The faults that happen, by their numbers in the plan; nil: all.
        package var only: Set<Int>?
        /// A bug planted for tests of the checker: a change to what the world has seen or kept.
        package var planted: PlantedBug?

        package init(
            seed: UInt64,
            length: Duration,
            only: Set<Int>? = nil,
            planted: PlantedBug? = nil
        ) {
            (self.seed, self.length, self.only, self.planted) = (seed, length, only, planted)
        }
    }

    /// Power to first line of the station, about as long as a Pi needs.
    static let bootTime: Duration = .seconds(25)
    /// systemd's `RestartSec`.
    static let restartPause: Duration = .seconds(2)

    /// Processes of one life; what would go on for ever ends there.
    static let segmentMax = 100_000

    package let scenario: Scenario
    package let order: Order
    /// Receives each line of the log.
    package var log: ((String) -> Void)?
    /// Called with the folder where the card's files are kept; nil: they are deleted.
    package var keepFiles: ((String) -> Void)?
    /// Processor time, for how long the store really works to open; nil does not time it.
    package var stopwatch: (() -> MonotonicInstant)?
    /// Called with the duration of each opening, which differs between runs.
    package var openingTook: (Duration) -> Void = { _ in }
    /// Called with the progress, 0…1; false ends the life early.
    package var progress: (Double) -> Void = { _ in }

    package init(_ scenario: Scenario, _ order: Order) {
        (self.scenario, self.order) = (scenario, order)
    }

    /// Runs the life and checks it.
    ///
    /// - Throws: `SimulationError` or what the simulation itself cannot do; never for the node.
    package func run() throws -> LifeReport {
        let world = try World(scenario, seed: order.seed, length: order.length)
        defer { world.finish() }
        world.log.sink = log
        world.stopwatch = stopwatch
        plan(world)
        var now = MonotonicInstant.boot
        var boot = (number: 1, at: now)
        plant(world)
        for part in world.parts {
            part.switchOn(at: now)
            part.isPlugged = true
        }
        while now < world.end {
            let segment = try live(world, from: now, boot)
            guard segment.ending != .finished else { break }
            now = try leave(world, segment)
            if segment.ending.beginsBoot { boot = (boot.number + 1, now) }
            if now >= world.end, world.records.segments.count < Self.segmentMax {
                // It was not stopped in order: the store it left is opened once more.
                world.end = now.advanced(by: .minutes(15))
                planEnd(world)
            }
            progress(MonotonicInstant.boot.duration(to: now) / order.length)
        }
        for part in world.parts { part.countFired() }
        if let keepFiles { keepFiles(world.card.keepFiles()) }
        for case let time? in world.records.segments.map(\.openingTime) { openingTook(time) }
        return LifeReport(world, self)
    }

    private func plant(_ world: World) {
        world.planted = order.planted
        switch order.planted {
        case .forgottenSyncs: world.card.forgetsSyncs = true
        case .endsForNothing:
            world.plan(at: .boot.advanced(by: order.length / 2)) { $0.end(.endedItself("planted")) }
        default: break
        }
    }

    // MARK: One process

    private func live(
        _ world: World,
        from start: MonotonicInstant,
        _ boot: (number: Int, at: MonotonicInstant)
    ) throws -> LifeRecords.Segment {
        let number = world.records.segments.count
        var dice = SplitMix64(seed: order.seed &* 31 &+ UInt64(boot.number))
        var chance = world.dice(at: start)
        let bytes = (0..<16).map { _ in UInt8(truncatingIfNeeded: dice.next()) }
        let id = BootID(bytes: bytes)
        world.records.segments.append(
            LifeRecords.Segment(
                number: number,
                boot: id,
                bootedAt: boot.at,
                start: start,
                end: start
            )
        )
        world.log.line("start \(number) in boot \(boot.number)", at: start)
        let untilKnown = 20 + chance.index(60)
        world.clockKnownAt = max(
            world.clockKnownAt ?? start,
            boot.at.advanced(by: .seconds(untilKnown))
        )
        let text = configuration(world)
        let box = Box<Machine?>(nil)
        let seed = chance.next()
        world.card.refuse(nil)
        let isCut = { box.value?.isDead == true }
        _ = try simulate(startingAt: start, seed: seed, until: isCut) { clock in
            let machine = Machine(world, on: clock, boot: id, bootedAt: boot.at)
            box.value = machine
            try await MachineLife(machine: machine).run(text, seed: seed)
        }
        guard let machine = box.value else { preconditionFailure("a life has a machine") }
        machine.requestStop.value = {}
        machine.readers.removeAll()
        return record(machine, world)
    }

    private func record(_ machine: Machine, _ world: World) -> LifeRecords.Segment {
        let last = world.records.segments.count - 1
        let end = machine.endedAt
        world.records.wakeUps += machine.simulated.wakeUps
        world.records.segments[last].end = end
        world.records.segments[last].ending = machine.ending ?? .finished
        world.records.segments[last].byteCounts = world.card.byteCounts
        world.records.segments[last].awakeAtEnd = world.parts.filter { part in
            part.isAwake && part.isPlugged && !part.isFaulty(at: end)
        }.map(\.name)
        for part in world.parts { part.leaveAlone(at: end) }
        let segment = world.records.segments[last]
        world.log.line("end \(segment.ending)", at: end)
        return segment
    }

    /// Applies the effects of an end to the world; returns when the next process starts.
    private func leave(
        _ world: World,
        _ segment: LifeRecords.Segment
    ) throws -> MonotonicInstant {
        let end = segment.end
        world.stalledUntil = min(world.stalledUntil, end)
        let hadArmed = world.cutArmed
        world.cutArmed = nil
        guard segment.ending.beginsBoot else {
            try world.card.leave()
            world.rotLog(at: end)
            let pause = world.importFiles(after: segment) ? OwnerImport.time : .zero
            return end.advanced(by: Self.restartPause + pause)
        }
        world.mirror = []
        world.clockError = .zero
        world.clockSlew = nil
        wedge(world, at: end)
        guard segment.ending.losesPages else {
            try world.card.flush()
            world.rotLog(at: end)
            guard segment.ending == .poweredOff else { return end.advanced(by: Self.bootTime) }
            return power(world, offAt: end, onAt: world.batteryUse?.end ?? end)
        }
        world.cutSettings(at: end)
        world.album.cutPower(seed: UInt64(bitPattern: end.nanoseconds))
        let model = order.planted == .forgottenSyncs ? .nothing : world.cardModel(at: end)
        try world.card.cut(model, number: segment.number)
        world.rotLog(at: end)
        guard segment.ending == .powerCut else { return end.advanced(by: Self.bootTime) }
        let isEmpty = world.batteryPercent(at: end) == 0
        let cuts = world.records.windows.last { window in
            isEmpty
                ? window.kind == .batteryLow
                : [.powerCut, .powerCutAtWrite, .doublePowerCut].contains(window.kind)
        }
        let start = power(world, offAt: end, onAt: cuts?.end ?? end)
        if cuts?.kind == .doublePowerCut, hadArmed == nil, world.lastDouble != cuts?.start {
            world.lastDouble = cuts?.start
            var chance = world.dice(at: start)
            let count = chance.index(12)
            world.plan(at: start) { machine in
                machine.armCut(after: count, machine.world.cardModel(at: start), again: true)
            }
        }
        return start
    }

    /// Switches the parts off with the machine.
    ///
    /// - Returns: When the station starts.
    private func power(
        _ world: World,
        offAt end: MonotonicInstant,
        onAt wanted: MonotonicInstant
    ) -> MonotonicInstant {
        let back = max(wanted, end.advanced(by: .seconds(5)))
        world.timeOff += end.duration(to: back)
        for part in world.parts where part.isPlugged { part.switchOff(at: end) }
        for part in world.parts where part.isPlugged { part.switchOn(at: back) }
        return back.advanced(by: Self.bootTime)
    }

    private func wedge(_ world: World, at end: MonotonicInstant) {
        for part in world.parts where part.isAwake {
            guard world.isOpen(.wedgeOnReboot, part: part.name, at: end) else { continue }
            part.wedge(at: end)
            world.fire(.wedgeOnReboot)
            let pulled = world.end(of: .wedgeOnReboot, part: part.name) ?? end
            world.plan(at: pulled) { $0.tearOff(part, for: .seconds(5)) }
        }
    }

    // MARK: What will happen

    private func plan(_ world: World) {
        let faults = scenario.plan(for: order.length, seed: order.seed)
        for (number, fault) in faults.enumerated() where order.only?.contains(number) ?? true {
            world.plannedFaults += 1
            world.plan(at: .boot.advanced(by: fault.at)) { $0.begin(fault) }
        }
        planEnd(world)
        let quietFrom = MonotonicInstant.boot.advanced(by: order.length - scenario.quiet)
        for (number, habit) in scenario.habits.enumerated() {
            var dice = SplitMix64(seed: order.seed &+ 7_919 &* UInt64(number + 1))
            var at = MonotonicInstant.boot
            while true {
                at = at.advanced(by: .seconds(dice.exponential() / habit.perDay * 86_400))
                guard at < quietFrom else { break }
                world.plan(at: at) { $0.ask(.habit(habit)) }
            }
        }
        for (number, line) in scenario.motion.enumerated() where scenario.motionPerDay > 0 {
            let dice = SplitMix64(seed: order.seed &+ 104_729 &* UInt64(number + 1))
            Self.visit(world, line, scenario.motionPerDay, from: .boot, dice)
        }
        for (number, part) in scenario.parts.enumerated() {
            guard let start = part.failsAfter else { continue }
            let dice = SplitMix64(seed: order.seed &+ 15_485_863 &* UInt64(number + 1))
            Self.die(world, part.name, from: .boot.advanced(by: start), until: quietFrom, dice)
        }
    }

    private func planEnd(_ world: World) {
        if scenario.hasCourier {
            world.plan(at: world.end.advanced(by: .minutes(-5))) { $0.ask(.flush) }
        }
        world.plan(at: world.end) { $0.stop(.finished) }
    }

    /// A person passes a motion sensor again and again.
    private static func visit(
        _ world: World,
        _ line: String,
        _ perDay: Double,
        from start: MonotonicInstant,
        _ dice: SplitMix64
    ) {
        var dice = dice
        let at = start.advanced(by: .seconds(dice.exponential() / perDay * 86_400))
        let length = Duration.milliseconds(500 + dice.index(20_000))
        let next = dice
        world.plan(at: at) { machine in
            // A machine without power sees no one.
            let isSeen = at.duration(to: machine.now) < .minutes(1)
            let end = max(at.advanced(by: length), machine.now)
            if isSeen {
                machine.drive(line, true)
                machine.world.plan(at: end) { $0.drive(line, false) }
            }
            visit(machine.world, line, perDay, from: end, next)
        }
    }

    /// A part falls silent, for longer and longer, and more and more often.
    private static func die(
        _ world: World,
        _ name: String,
        from start: MonotonicInstant,
        until end: MonotonicInstant,
        _ dice: SplitMix64,
        age: Int = 1
    ) {
        var dice = dice
        let pause = Duration.hours(max(2, 48 / age) + dice.index(24))
        let at = start.advanced(by: pause)
        guard at < end else { return }
        let kinds: [FaultKind] = [.silence, .flippedBits, .stuck, .zeros, .garbage]
        let kind = kinds[dice.index(kinds.count)]
        let length = min(Duration.minutes(5 * age + dice.index(60)), at.duration(to: end))
        let next = dice
        world.plan(at: at) { machine in
            machine.begin(PlannedFault(kind, at: .zero, for: length, to: name))
            let after = at.advanced(by: length)
            die(machine.world, name, from: after, until: end, next, age: min(age + 1, 40))
        }
    }

    private func configuration(_ world: World) -> String {
        let pirs = scenario.motion.enumerated().map { number, line in
            #"{"name":"door\#(number + 1)","type":"pir","line":"\#(line)"}"#
        }
        let httpDevices = scenario.httpDevices.map { device in
            #"{"name":"\#(device.name)","type":"\#(device.profile)","#
                + #""address":"http://\#(device.host)/","#
                + #""intervalSeconds":\#(Int(device.interval.inSeconds))}"#
        }
        var fields = [
            #""name":"years""#, #""devices":[\#((pirs + httpDevices).joined(separator: ","))]"#,
            #""store":{"folder":"\#(world.card.folder)","megabytes":\#(scenario.megabytes),"#
                + #""journalBlocks":\#(scenario.journalBlocks),"#
                + #""lossWindowSeconds":\#(Int(scenario.lossWindow.inSeconds))}"#,
        ]
        if scenario.hasLamps { fields.append(#""lights":{}"#) }
        if scenario.hasBattery { fields.append(#""battery":{"powerOffPercent":15}"#) }
        if scenario.hasWatchdog { fields.append(#""watchdog":{}"#) }
        return "{" + fields.joined(separator: ",") + "}"
    }
}
