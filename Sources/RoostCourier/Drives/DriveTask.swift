import ControlProtocol
import Core
import Runtime
import Store

/// Sends one target the drives that are over, as `DriveMachine` decides.
actor DriveTask: DeliveryTask {
    package typealias World = DeliveryDependencies<any DriveSource>
    package typealias Standing = DriveStanding

    /// An upload takes ten minutes at most.
    private static let promise: Duration = .seconds(900)

    private let id: String
    private let work: DriveWork
    private let world: World
    private let loop: DeliveryLoop
    private let changed = Signal()
    /// Lets only one task at a time decide what became of a drive.
    private let turns: TaskLock
    private var machine: DriveMachine
    private var hasBegun = false
    /// Drives whose delivery is undecided, oldest first.
    private var drives: [PlannedDrive] = []
    /// Number of lines of the log made last, kept because making a log again reads the store again.
    private var made: (place: OutboxPosition, lines: Int)?
    private var waitsForClock = false
    private var delivery = DeliveryStanding()

    /// Makes a task that has not begun.
    ///
    /// - Parameters:
    ///   - id: The target's, from the configuration.
    ///   - work: Where drives go, and which.
    ///   - seed: For the random part of the back-off.
    init(
        id: String,
        _ work: DriveWork,
        seed: UInt64,
        in world: World,
        heartbeat: Heartbeat
    ) {
        (self.id, self.work, self.world) = (id, work, world)
        loop = DeliveryLoop(heartbeat: heartbeat, clock: world.clock, promise: Self.promise)
        machine = DriveMachine(pace: work.pace, seed: seed)
        turns = TaskLock(world.clock)
    }

    var standing: Standing {
        let waiting = drives.filter { $0.samples > 0 && !$0.isPrivate }
        let present = drives.last { drive in
            machine.mark.upload(of: drive) != nil
                && !machine.delivery.asides.contains(drive.place)
        }
        let (state, hasWork) = (machine.delivery.state, machine.mark.waiting > 0)
        var delivery = delivery
        delivery.apply(state)
        (delivery.working, delivery.isWaiting) = (machine.delivery.working, hasWork)
        delivery.nextTry = hasWork && state.notBefore > world.clock.now ? state.notBefore : nil
        delivery.refusals = machine.delivery.asides.refusals("drives") { place in
            "the drive \(drives.first { $0.place == place }?.name ?? "of before")"
        }
        return Standing(
            mark: machine.mark,
            waitingCount: waiting.count,
            oldest: waiting.first?.dates?.to,
            present: present.map {
                Standing.Present(
                    name: $0.name,
                    upload: machine.mark.upload(of: $0)?.upload ?? .init()
                )
            },
            waitsForClock: waitsForClock,
            delivery: delivery
        )
    }

    func fill(_ report: inout OutboxReport) {
        standing.fill(&report, at: world.clock.now)
    }

    /// Whether every drive seen is settled, or is tried again by itself.
    var isDone: Bool {
        drives.allSatisfy { $0.samples == 0 || machine.delivery.asides.contains($0.place) }
            && (machine.mark.waiting == 0 || !drives.isEmpty)
    }

    func run() async throws {
        try await loop.run(turn, rest: rest) { delivery.sourceTrouble = $0 }
    }

    private func turn() async throws -> DeliveryLoop.Deadline? {
        // Each turn adds a date, so that the dates of two days are known when an age decides.
        _ = world.dates.seconds
        let hasActed = try await turns.run {
            try await begin()
            try await see()
            let now = world.clock.now
            let aside = machine.delivery.aside(at: now)
            if let aside, let drive = drives.first(where: { $0.place == aside }) {
                return try await act(on: drive)
            }
            guard let drive = machine.next(of: drives),
                machine.delivery.isDue(drive.place, at: now)
            else {
                return false
            }
            return try await act(on: drive)
        }
        if hasActed { return nil }
        let now = world.clock.now
        return .first(machine.delivery.nextTurn(after: now), at: now)
    }

    private func rest(until deadline: DeliveryLoop.Deadline) async throws {
        try await loop.rest(until: deadline, unless: changed)
    }

    /// Ends the waiting, after a new route or a repaired secret.
    func wake(within time: Duration = .zero) {
        machine.delivery.wake(at: world.clock.now, within: time)
        changed.raise()
    }

    /// Reads the cursor, or makes one.
    private func begin() async throws {
        guard !hasBegun else { return }
        let (mark, lost) = try await world.cursors.cursor(of: id, DriveCursor.init(_:))
        if let mark {
            machine.mark = mark
        } else if let last = try await world.source.drives(after: nil).last(where: isNotFor) {
            (machine.mark.settled, machine.mark.seen) = (.init(last.place), .init(last.place))
        }
        hasBegun = true
        if let lost {
            delivery.cursorLost = "\(lost)"
            world.tell(id, .cursorLost("\(lost)"))
        }
        // Keep the start at once: it is decided only once, even before the first drive.
        await keep()
    }

    /// Whether a drive that ended before the target was added is not for it.
    private func isNotFor(_ drive: PlannedDrive) -> Bool {
        guard work.hasBacklog else { return true }
        guard let limit = work.ageLimit, let wall = world.clock.wallTime,
            let ended = drive.dates?.to
        else { return false }
        return .seconds(wall.unixSeconds - ended.tenths / 10) > limit
    }

    private func keep() async {
        await world.cursors.keep(machine.mark.encode(), of: id)
    }

    /// Looks for drives, and counts the samples of new ones.
    ///
    /// - Throws: Errors of reading the store.
    func see() async throws {
        guard hasBegun else { return }
        let before = machine.mark
        let (settled, seen) = (
            try await place(before.settled), try await place(before.seen)
        )
        var behind: [OutboxPosition] = []
        for upload in before.uploads {
            guard let place = try await place(upload.place), let settled, place <= settled else {
                continue
            }
            behind.append(place)
        }
        let found = try await world.source.drives(after: behind.isEmpty ? settled : nil)
            .filter { drive in
                behind.contains(drive.place) || settled.map { drive.place > $0 } ?? true
            }
        // Another look, or a delivery, may have changed it meanwhile.
        guard machine.mark == before else { return }
        drives = found
        report(machine.see(found, after: seen, settled: settled))
    }

    private func place(_ place: DriveCursor.Place?) async throws -> OutboxPosition? {
        guard let place, let number = try await world.source.number(of: place.boot) else {
            return nil
        }
        return OutboxPosition(boot: place.boot, bootNumber: number, tick: place.tick)
    }

    /// Carries out the next step for the oldest drive.
    ///
    /// - Returns: Whether the next turn may follow at once.
    private func act(on drive: PlannedDrive) async throws -> Bool {
        let now = world.dates.seconds.map { Int($0) }
        let turn = machine.turn(of: drive, ageLimit: work.ageLimit, now: now)
        waitsForClock = turn == .waits(drive)
        switch turn {
        case .waits: return false
        case .leaveOut(_, let reason): machine.leaveOut(drive, reason)
        case .send: try await advance(drive)
        }
        drives.removeAll(where: machine.isSettled)
        await keep()
        return true
    }

    private func advance(_ drive: PlannedDrive) async throws {
        guard let dates = drive.dates ?? machine.mark.upload(of: drive)?.dates else {
            return machine.leaveOut(drive, .timeUnknown)
        }
        var begun = machine
        let (current, isNew) = begun.begin(drive, dates)
        // The dates must survive a power cut: one write for each drive.
        if isNew {
            let (cursors, bytes) = (world.cursors, begun.mark.encode())
            if let why = try await cursors.makeDurable(bytes, of: id, before: nil) {
                let outcome = DeliveryOutcome.later(DeliveryReason("not-kept", why))
                return finish(.ended(outcome), of: drive, lines: 0)
            }
        }
        _ = machine.begin(drive, dates)
        let upload = current.upload
        var file = DriveFile(name: "", bytes: [], lines: made?.lines ?? 0)
        if upload.importID == nil || made?.place != drive.place {
            switch try await world.source.file(of: drive, current.dates) {
            case .file(let found): file = found
            // The ring may have lost samples of a drive that the receiver already has.
            case .empty where upload.importID != nil, .tooLong where upload.importID != nil: break
            case .empty: return machine.leaveOut(drive, .noValue)
            case .tooLong:
                let words = "its log is longer than \(DriveFile.byteLimit) bytes"
                let reason = DeliveryReason("too-long", words)
                finish(.ended(.refused(reason)), of: drive, lines: 0)
                return
            }
            made = (drive.place, file.lines)
        }
        let step = try await work.target.advance(upload, of: drive, file, over: world.network)
        finish(step, of: drive, lines: file.lines)
    }

    /// Leaves out the drives that wait and ended before a moment.
    ///
    /// The owner does not want them delivered. A drive whose log the receiver has goes on.
    ///
    /// - Returns: How many samples.
    /// - Throws: Errors of reading the store; `CancellationError`.
    func drop(before moment: WallTime) async throws -> Int {
        try await turns.run {
            try await begin()
            try await see()
            let before = machine.mark.leftOut[.dropped]?.samples ?? 0
            // In order: the mark is the last drive up to which
            // all are settled, except those set aside.
            for drive in drives {
                guard let ended = drive.dates?.to, ended < moment else { break }
                if machine.isAtReceiver(drive) {
                    guard machine.delivery.asides.contains(drive.place) else { break }
                    continue
                }
                machine.leaveOut(drive, drive.isPrivate ? .markedPrivate : .dropped)
            }
            drives.removeAll(where: machine.isSettled)
            await keep()
            return (machine.mark.leftOut[.dropped]?.samples ?? 0) - before
        }
    }

    /// Finds the first drive with samples that ended at a moment or later.
    ///
    /// - Returns: The drive, and whether its delivery is decided; nil where there is none.
    /// - Throws: Errors of reading the store.
    func fate(from moment: WallTime) async throws -> (drive: PlannedDrive, isSettled: Bool)? {
        let settled = try await place(machine.mark.settled)
        let drive = try await world.source.drives(after: nil).first { drive in
            drive.samples > 0 && drive.dates.map { $0.to >= moment } ?? false
        }
        guard let drive else { return nil }
        let isBehind = settled.map { drive.place <= $0 } ?? false
        return (drive, isBehind && machine.mark.upload(of: drive) == nil)
    }

    private func finish(_ step: DriveStep, of drive: PlannedDrive, lines: Int) {
        if step == .ended(.delivered) { delivery.lastDelivery = world.clock.now }
        report(machine.finish(step, of: drive, lines: lines, at: world.clock.now))
    }

    private func report(_ notices: [DeliveryNotice]) {
        for notice in notices { world.tell(id, notice) }
    }
}
