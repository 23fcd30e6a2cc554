import Core
import HardwareIO
import PowerCut
import SimulationKit
import Station

// Faults that begin and end outside the node.
extension Machine {
    /// Lets a fault begin, and plans its end.
    func begin(_ fault: PlannedFault) {
        guard !isDead else { return }
        guard !fault.kind.waitsForItsMoment else { return world.arm(fault) }
        world.open(fault, at: now)
        let end = now.advanced(by: fault.length)
        switch fault.kind.area {
        case .serial: beginSerial(fault, until: end)
        case .usb: beginUSB(fault, until: end)
        case .gpio: beginGPIO(fault, until: end)
        case .network: break  // Shows itself to those who ask; see `WorldFetcher`.
        case .card: beginCard(fault, until: end)
        case .clock: beginClock(fault, until: end)
        case .process, .power, .memory: beginProcess(fault, until: end)
        case .owner: beginOwner(fault)
        case .courier:
            // The others show themselves to a courier that asks; see `ServerNetwork`.
            if fault.kind == .courierKill { courier?.kill() }
        case .camera:
            // The others show themselves to a picture; see `WorldCamera`.
            if fault.kind == .eyesKill { eyes?.kill() }
        }
    }

    // MARK: Serial

    private func beginSerial(_ fault: PlannedFault, until end: MonotonicInstant) {
        guard let part = world.part(fault.part) else { return }
        switch fault.kind {
        case .brownout:
            guard part.isPowered else { return }
            world.fire(.brownout)
            part.switchOff(at: now)
            part.switchOn(at: now, isSeen: false)
        case .wedgeOnReboot, .lineTakesNothing: break
        case .busHang:
            guard let adapter = adapters[part.name] else { return }
            world.fire(.busHang)
            world.records.hitParts.insert(LifeRecords.Hit(part: part.name, at: now))
            part.busHangsUntil = max(part.busHangsUntil, end)
            adapter.hang(true)
            world.plan(at: end) { machine in
                guard part.busHangsUntil <= machine.now else { return }
                machine.adapters[part.name]?.hang(false)
            }
        // Hits only a new opening of the line: ModemManager opens ports that have just appeared.
        case .portBusy, .portForbidden, .portError: tearOff(part, for: .seconds(1))
        case .noFirmware:
            // Asked for only when a part is new.
            tearOff(part, for: .seconds(1))
            world.plan(at: now.advanced(by: .seconds(1))) { $0.inject(fault, part, until: end) }
        default:
            inject(fault, part, until: end)
            guard fault.kind == .wedge else { return }
            // A person unplugs a dead part sooner or later.
            world.plan(at: end) { machine in
                guard part.isWedged else { return }
                machine.tearOff(part, for: .seconds(5))
            }
        }
    }

    private func inject(_ fault: PlannedFault, _ part: Part, until end: MonotonicInstant) {
        guard part.inject(fault.kind, at: now, until: end) else { return }
        world.records.hitParts.insert(LifeRecords.Hit(part: part.name, at: now))
    }

    /// Resets the computer in the middle of a measurement, and the sensor does not survive that.
    func resetBoard() {
        simulated.skip(Self.boardWatchdog)
        end(.boardWatchdog)
    }

    // MARK: GPIO

    private func beginGPIO(_ fault: PlannedFault, until end: MonotonicInstant) {
        guard let line = world.scenario.motion.first else { return }
        let kind = fault.kind
        switch kind {
        case .edgeStorm, .edgeOverrun, .bounce:
            world.fire(kind)
            let gap: Duration =
                kind == .edgeOverrun ? .zero : .milliseconds(kind == .bounce ? 7 : 3)
            let count = kind == .bounce ? 9 : 400
            for index in 0..<count {
                world.plan(at: now.advanced(by: gap * index)) { machine in
                    machine.gpio.drive(line, !machine.gpio.level(of: line))
                }
            }
            world.plan(at: now.advanced(by: gap * count)) { $0.drive(line, false) }
        case .motionStuckHigh, .motionStuckLow:
            world.fire(kind)
            gpio.stick(line, at: kind == .motionStuckHigh)
            world.plan(at: end) { $0.gpio.stick(line, at: nil) }
        case .chipGone:
            world.fire(kind)
            gpio.disconnect(chip: SimulatedGPIO.Chip.raspberryPi4.label)
            world.plan(at: end) { machine in
                machine.gpio.reconnect(chip: SimulatedGPIO.Chip.raspberryPi4.label)
            }
        case .lineForbidden:
            world.fire(kind)
            gpio.setPermitted(false)
            gpio.disconnect(chip: SimulatedGPIO.Chip.raspberryPi4.label)
            gpio.reconnect(chip: SimulatedGPIO.Chip.raspberryPi4.label)
            world.plan(at: end) { $0.gpio.setPermitted(true) }
        default: break
        }
    }

    /// Puts a motion sensor's line at a level.
    func drive(_ line: String, _ isHigh: Bool) {
        if isHigh { world.highLines.insert(line) } else { world.highLines.remove(line) }
        gpio.drive(line, isHigh)
    }

    // MARK: Card

    private func beginCard(_ fault: PlannedFault, until end: MonotonicInstant) {
        switch fault.kind {
        case .diskHang: world.stalledUntil = max(world.stalledUntil, end)
        case .cardFull, .cardReadOnly, .cardError, .failingWrites:
            let (tried, start) = (world.card.triedCount, now)
            refreshCard()
            world.plan(at: end) { [weak self] machine in
                machine.refreshCard()
                let count = machine.world.card.triedCount - tried
                guard machine === self, count > 0 else { return }
                machine.world.fire(fault.kind)
                guard fault.kind != .failingWrites else { return }
                machine.world.records.refusals.append(
                    LifeRecords.Refusal(start: start, end: machine.now, count: count)
                )
            }
        case .lyingSync:
            world.fire(.lyingSync)
            world.card.forgetsSyncs = true
            world.plan(at: end) { $0.world.card.forgetsSyncs = false }
        case .journalRot, .historyRot:
            let name = fault.kind == .journalRot ? "journal.ring" : "history.db"
            let size = world.card.byteCounts[name] ?? 0
            guard size > 0 else { return }
            var chance = world.dice(at: now)
            let place = chance.index(size - 64)
            let isDone = try? world.card.rot(name, at: place, count: 64)
            if isDone == true { world.fire(fault.kind) }
        case .lostPage: losePage()
        case .badSlots:
            var chance = world.dice(at: now)
            world.badSlots = (chance.index(Self.badSlotMax), 1 + chance.index(Self.badSlotMax))
            world.plan(at: end) { $0.world.badSlots = nil }
        case .longReader: beginReading(until: end)
        default: break
        }
    }

    /// Slots of the journal's ring in a row that refuse what is written, at most.
    private static let badSlotMax = 48

    /// The card forgets a page of 4 KiB: as often one of the history's tables as of its rings.
    private func losePage() {
        var chance = world.dice(at: now)
        let name = ["history.db", "history.db", "journal.ring"][chance.index(3)]
        let pages = (world.card.byteCounts[name] ?? 0) / 4_096
        guard pages > 0 else { return }
        let page = chance.index(chance.index(2) == 0 ? pages : min(pages, 460))
        let isDone = try? world.card.rot(name, at: page * 4_096, count: 4_096) { _ in 0 }
        if isDone == true { world.fire(.lostPage) }
    }

    /// Lets the card refuse what is asked of it now.
    func refreshCard() {
        guard !isDead, world.cutArmed == nil else { return }
        let (card, now) = (world.card, now)
        if world.isOpen(.cardError, at: now) {
            card.refuse(.broken, from: card.triedCount)
        } else if world.isOpen(.cardReadOnly, at: now) {
            card.refuse(.readOnly, from: card.triedCount)
        } else if world.isOpen(.cardFull, at: now) {
            card.refuse(.full, from: card.triedCount)
        } else if world.isOpen(.failingWrites, at: now) {
            card.refuse(.broken, from: card.triedCount, count: 5)
        } else {
            card.refuse(nil)
        }
    }

    // MARK: Clock

    private func beginClock(_ fault: PlannedFault, until end: MonotonicInstant) {
        world.fire(fault.kind)
        var chance = world.dice(at: now)
        // Hours, and at times a year: a server of the time that is wrong, or a person's mistake.
        let far = chance.index(4) == 0 ? 400 * 86_400 : 0
        let shift = Duration.seconds(60 + chance.index(7_200) + far)
        switch fault.kind {
        case .clockForward, .clockBack:
            let change = fault.kind == .clockForward ? shift : .zero - shift
            world.clockError += change
            world.plan(at: end) { $0.world.clockError = .zero }
        case .clock1970:
            let trueNow = world.trueTime(at: now).nanoseconds
            world.clockError = .nanoseconds(-trueNow)
            world.plan(at: end) { $0.world.clockError = .zero }
        case .clockSlew:
            world.clockSlew = (now, 200)
            world.plan(at: end) { $0.world.clockSlew = nil }
        case .clockLost, .clockUnknown:
            world.clockKnownAt = end
            world.timeOff = .zero
        case .suspend:
            // The kernel stops its watchdogs first.
            simulated.skip(fault.length)
            lastAlive = now
            if lastPet != nil { lastPet = now }
        default: break
        }
    }

    // MARK: Process, power, memory

    private func beginProcess(_ fault: PlannedFault, until end: MonotonicInstant) {
        switch fault.kind {
        case .kill, .outOfMemory:
            world.fire(fault.kind)
            self.end(.killed(by: fault.kind))
        case .freeze, .longFreeze:
            world.fire(fault.kind)
            simulated.skip(fault.length)
        case .boardHang:
            world.fire(fault.kind)
            simulated.skip(Self.boardWatchdog)
            self.end(.boardWatchdog)
        case .restart, .reboot:
            world.fire(fault.kind)
            stop(fault.kind == .reboot ? .rebooted : .restarted)
        case .powerCut:
            world.fire(.powerCut)
            world.records.windows[world.records.windows.count - 1].end = end
            self.end(.powerCut)
        case .batteryLow:
            world.fire(.batteryLow)
            world.batteryUse = (now, end)
            world.plan(at: now.advanced(by: World.batteryTime)) { machine in
                guard machine.world.batteryPercent(at: machine.now) == 0 else { return }
                machine.end(.powerCut)
            }
        case .powerCutAtWrite, .doublePowerCut:
            var chance = world.dice(at: now)
            let (model, isAgain) = (world.cardModel(at: now), fault.kind == .doublePowerCut)
            armCut(after: chance.index(40), model, again: isAgain)
        case .slowReaders: beginSlowReaders(until: end)
        default: break
        }
    }

    /// Stops the station in order, as systemd does: for so long, and then by force.
    func stop(_ reason: LifeEnding) {
        guard !isDead, !isStopping else { return }
        (isStopping, stopReason.value) = (true, reason)
        requestStop.value()
        world.plan(at: now.advanced(by: Self.stopTimeout)) { [weak self] machine in
            if machine === self { machine.end(.stopTimedOut) }
        }
    }
}

extension World {
    /// Time until a full battery is empty.
    static let batteryTime: Duration = .minutes(50)

    /// The charge of the battery: it falls while no power comes in, and is full otherwise.
    func batteryPercent(at now: MonotonicInstant) -> Int {
        guard let use = batteryUse, use.end > now else { return 100 }
        return max(0, 100 - Int(use.start.duration(to: now) / Self.batteryTime * 100))
    }

    /// The machine's supplies; none in a scenario without a battery.
    func supplies(at now: MonotonicInstant) -> [PowerSupply] {
        guard scenario.hasBattery else { return [] }
        let isUsed = batteryUse.map { $0.end > now } ?? false
        return [
            PowerSupply(
                "battery",
                .battery,
                percent: batteryPercent(at: now),
                flow: isUsed ? .discharging : .full
            ),
            PowerSupply("mains", .mains, isOnline: !isUsed),
        ]
    }

    /// Chooses how much the card keeps of writes that were not synced.
    func cardModel(at now: MonotonicInstant) -> CardModel {
        var dice = dice(at: now.advanced(by: .nanoseconds(1)))
        let seed = UInt64(dice.index(1 << 20))
        switch dice.index(6) {
        case 0: return .nothing
        case 1: return .everything
        case 2: return .namesOnly
        case 3: return .random(seed: seed)
        default: return .torn(seed: seed)
        }
    }
}
