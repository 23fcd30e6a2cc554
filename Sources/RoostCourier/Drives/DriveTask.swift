import Core
import Runtime
import Store

/// Sends one target the drives that are over, as `DriveMachine` decides.
package actor DriveTask: Child {
    /// Dependencies of a drive task.
    package struct World: Sendable {
        package let source: any DriveSource
        package let keeper: any CursorStore
        package let network: any CourierNetwork
        package let clock: any NodeClock
        let dates: LeastDate
        /// Receives the events that people should know about.
        package let tell: @Sendable (_ target: String, DriveMachine.Notice) -> Void

        package init(
            source: any DriveSource,
            keeper: any CursorStore,
            network: any CourierNetwork,
            clock: any NodeClock,
            tell: @escaping @Sendable (_ target: String, DriveMachine.Notice) -> Void
        ) {
            (self.source, self.keeper, self.network) = (source, keeper, network)
            (self.clock, self.tell, dates) = (clock, tell, LeastDate(clock))
        }
    }

    /// The drive that is sent now.
    package struct Present: Hashable, Sendable {
        package let name: String
        package let upload: DriveUpload
    }

    /// State of the task, for reports.
    package struct Standing: Hashable, Sendable {
        package let id: String
        package let mark: DriveCursor
        /// Drives with samples that wait, including the present one.
        package let waitingCount: Int
        /// End of the oldest waiting drive; nil when none waits, or its date is unknown.
        package let oldest: WallTime?
        package let present: Present?
        package let held: DeliveryReason?
        package let trouble: DeliveryReason?
        /// Work that the receiver still does on an upload; nil when none is known.
        package let working: DeliveryReason?
        package let waitsForClock: Bool
        package let notBefore: MonotonicInstant
        package let lastDelivery: MonotonicInstant?
        /// Drives that the receiver fails at while it accepts others.
        package let refusals: [OutboxStanding.Refusal]
        /// Why the station's store cannot be read now; nil while it can.
        package let sourceTrouble: String?
    }

    /// Time between two looks for a finished survey.
    private static let lookInterval: Duration = .seconds(300)
    /// An upload takes ten minutes at most.
    private static let promise: Duration = .seconds(900)
    /// Time between two attempts to read the store while it cannot be read.
    private static let sourcePause: Duration = .seconds(5)
    /// How late the next attempt may come, and how late a look.
    private static let tolerance: (attempt: Duration, look: Duration) = (.seconds(2), .seconds(20))

    private let id: String
    private let work: DriveWork
    private let world: World
    private let heartbeat: Heartbeat
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
    private var lastDelivery: MonotonicInstant?
    private var sourceTrouble: String?

    /// Makes a task that has not begun.
    ///
    /// - Parameters:
    ///   - id: The target's, from the configuration.
    ///   - work: Where drives go, and which.
    ///   - seed: For the random part of the back-off.
    package init(
        id: String,
        _ work: DriveWork,
        seed: UInt64,
        in world: World,
        heartbeat: Heartbeat
    ) {
        (self.id, self.work, self.world) = (id, work, world)
        self.heartbeat = heartbeat
        machine = DriveMachine(pace: work.pace, seed: seed)
        turns = TaskLock(world.clock)
    }

    package var standing: Standing {
        let waiting = drives.filter { $0.samples > 0 && !$0.isPrivate }
        let present = drives.last { drive in
            machine.mark.upload(of: drive) != nil && !machine.asides.contains(drive.place)
        }
        return Standing(
            id: id,
            mark: machine.mark,
            waitingCount: waiting.count,
            oldest: waiting.first?.dates?.to,
            present: present.map {
                Present(name: $0.name, upload: machine.mark.upload(of: $0)?.upload ?? .init())
            },
            held: machine.held,
            trouble: machine.trouble,
            working: machine.working,
            waitsForClock: waitsForClock,
            notBefore: machine.notBefore,
            lastDelivery: lastDelivery,
            refusals: machine.asides.refusals("drives") { place in
                "the drive \(drives.first { $0.place == place }?.name ?? "of before")"
            },
            sourceTrouble: sourceTrouble
        )
    }

    /// Whether every drive seen is settled, or is tried again by itself.
    package var isDone: Bool {
        drives.allSatisfy { $0.samples == 0 || machine.asides.contains($0.place) }
            && (machine.mark.waiting == 0 || !drives.isEmpty)
    }

    /// Runs until cancelled.
    ///
    /// While the store cannot be read it tries again: nothing is lost by waiting.
    package func run() async throws {
        while !Task.isCancelled {
            heartbeat.beat(nextWithin: Self.promise)
            do {
                try await turn()
                sourceTrouble = nil
            } catch let error where !(error is CancellationError) {
                sourceTrouble = "\(error)"
                let pause = Self.sourcePause
                try await world.clock.sleep(for: pause, tolerance: Self.tolerance.attempt)
            }
        }
    }

    private func turn() async throws {
        var deadline = world.clock.now.advanced(by: Self.lookInterval)
        var tolerance = Self.tolerance.look
        // Each turn adds a date, so that the dates of two days are known when an age decides.
        _ = world.dates.seconds
        let hasActed = try await turns.run {
            try await begin()
            try await see()
            let now = world.clock.now
            if let drive = machine.aside(of: drives, at: now) { return try await act(on: drive) }
            guard let drive = machine.next(of: drives), machine.isDue(drive, at: now) else {
                return false
            }
            return try await act(on: drive)
        }
        if hasActed { return }
        if let next = machine.nextTurn(after: world.clock.now), next < deadline {
            (deadline, tolerance) = (next, Self.tolerance.attempt)
        }
        _ = try await world.clock.wait(for: changed, until: deadline, tolerance: tolerance)
    }

    /// Ends the waiting, after a new route or a repaired secret.
    package func wake(within time: Duration = .zero) {
        machine.wake(at: world.clock.now, within: time)
        changed.raise()
    }

    /// Reads the cursor, or makes one.
    private func begin() async throws {
        guard !hasBegun else { return }
        var (mark, lost): (DriveCursor?, OutboxCursorError?)
        if let bytes = try await world.keeper.cursor(of: id), !bytes.isEmpty {
            do throws(OutboxCursorError) { mark = try DriveCursor(bytes) } catch { lost = error }
        }
        if let mark {
            machine.mark = mark
        } else if let last = try await world.source.drives(after: nil).last(where: isNotFor) {
            (machine.mark.settled, machine.mark.seen) = (.init(last.place), .init(last.place))
        }
        hasBegun = true
        if let lost { world.tell(id, .cursorLost("\(lost)")) }
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
        await world.keeper.keep(machine.mark.encode(), of: id)
    }

    /// Looks for drives, and counts the samples of new ones.
    ///
    /// - Throws: Errors of reading the store.
    package func see() async throws {
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
            let (keeper, bytes) = (world.keeper, begun.mark.encode())
            if let why = try await keeper.makeDurable(bytes, of: id, before: nil) {
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
    package func drop(before moment: WallTime) async throws -> Int {
        try await turns.run {
            try await begin()
            try await see()
            let before = machine.mark.leftOut[.dropped]?.samples ?? 0
            // In order: the mark is the last drive up to which
            // all are settled, except those set aside.
            for drive in drives {
                guard let ended = drive.dates?.to, ended < moment else { break }
                if machine.isAtReceiver(drive) {
                    guard machine.asides.contains(drive.place) else { break }
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
    package func fate(from moment: WallTime) async throws -> (drive: PlannedDrive, isSettled: Bool)?
    {
        let settled = try await place(machine.mark.settled)
        let drive = try await world.source.drives(after: nil).first { drive in
            drive.samples > 0 && drive.dates.map { $0.to >= moment } ?? false
        }
        guard let drive else { return nil }
        let isBehind = settled.map { drive.place <= $0 } ?? false
        return (drive, isBehind && machine.mark.upload(of: drive) == nil)
    }

    private func finish(_ step: DriveStep, of drive: PlannedDrive, lines: Int) {
        if step == .ended(.delivered) { lastDelivery = world.clock.now }
        report(machine.finish(step, of: drive, lines: lines, at: world.clock.now))
    }

    private func report(_ notices: [DriveMachine.Notice]) {
        for notice in notices { world.tell(id, notice) }
    }
}
