import ControlProtocol
import Core
import Runtime

/// Sends one target files of what is recorded, as `FileOutboxMachine` decides.
actor FileOutboxTask: DeliveryTask {
    package typealias World = DeliveryDependencies<any FileSource>

    /// State of the task, for reports.
    struct Standing: Hashable, Sendable {
        let marks: [FilePeriod: FilePeriodCursor]
        /// Whether the last look found no file whose period is over.
        let isUpToDate: Bool
        let delivery: DeliveryStanding
    }

    /// An upload takes ten minutes at most; each piece of a longer one beats.
    private static let promise: Duration = .seconds(900)

    private let id: String
    private let work: FileWork
    private let world: World
    private let loop: DeliveryLoop
    private let changed = Signal()
    private var machine: FileOutboxMachine
    private var origin: Int?
    private var delivery = DeliveryStanding()
    private var isUpToDate = false

    /// Makes a task that has not begun.
    ///
    /// - Parameters:
    ///   - id: The target's, from the configuration.
    ///   - work: Where files go, and which.
    ///   - seed: For the random part of the back-off.
    ///   - heartbeat: Beaten at each turn and each piece of a file.
    init(
        id: String,
        _ work: FileWork,
        seed: UInt64,
        in world: World,
        heartbeat: Heartbeat
    ) {
        (self.id, self.work, self.world) = (id, work, world)
        loop = DeliveryLoop(heartbeat: heartbeat, clock: world.clock, promise: Self.promise)
        machine = FileOutboxMachine(pace: work.pace, seed: seed)
    }

    var standing: Standing {
        let state = machine.delivery.state
        var delivery = delivery
        delivery.apply(state)
        delivery.isWaiting = !isUpToDate
        let rests = state.trouble != nil && state.notBefore > world.clock.now
        delivery.nextTry = rests ? state.notBefore : nil
        delivery.refusals = machine.delivery.asides.refusals("files") { place in
            let begin = WallTime(nanoseconds: Int64(place.from) * 1_000_000_000).iso8601
            return "the \(place.period.rawValue) file from \(begin)"
        }
        return Standing(marks: machine.marks, isUpToDate: isUpToDate, delivery: delivery)
    }

    /// A file whose period is not over yet does not count as waiting.
    var isDone: Bool { isUpToDate }

    /// A sample counts once for each period whose files are sent.
    func fill(_ report: inout OutboxReport) {
        let marks = machine.marks.values
        let left = marks.flatMap(\.leftOut).map { ($0.key.rawValue, $0.value.samples) }
        report.samples = OutboxSampleCounts(
            delivered: marks.reduce(0) { $0 + $1.delivered.samples },
            waiting: marks.reduce(0) { $0 + $1.waiting },
            leftOut: Dictionary(left.filter { $0.1 > 0 }, uniquingKeysWith: +)
        )
        report.fileCount = marks.reduce(0) { $0 + $1.delivered.files }
        report.isProvable = true
        standing.delivery.fill(&report, at: world.clock.now)
    }

    func run() async throws {
        try await loop.run(turn, rest: rest) { delivery.sourceTrouble = $0 }
    }

    private func turn() async throws -> DeliveryLoop.Deadline? {
        // Each turn adds a date, so that the dates of two days are known when an age decides.
        _ = world.dates.seconds
        guard try await begin() else {
            isUpToDate = true
            return .first(nil, at: world.clock.now)
        }
        try await see()
        if let aside = machine.delivery.aside(at: world.clock.now) {
            try await send(aside)
            return nil
        }
        if try await send() { return nil }
        let now = world.clock.now
        return .first(machine.delivery.nextTurn(after: now), at: now)
    }

    private func rest(until deadline: DeliveryLoop.Deadline) async throws {
        try await loop.rest(until: deadline, unless: changed)
    }

    /// Ends the waiting, after a new route or a repaired secret.
    func wake(within time: Duration = .zero) {
        isUpToDate = false
        machine.delivery.wake(at: world.clock.now, within: time)
        changed.raise()
    }

    /// Reads the cursor, or makes one as soon as a sample has a date.
    ///
    /// - Returns: Whether there is one.
    private func begin() async throws -> Bool {
        guard origin == nil else { return true }
        guard let extent = try await world.source.extent() else { return false }
        var origin = extent.lowerBound
        let (found, lost) = try await world.cursors.cursor(of: id, FileCursor.init(_:))
        if let found { (machine.marks, origin) = (found.marks, found.origin) }
        if let lost {
            delivery.cursorLost = "\(lost)"
            world.tell(id, .cursorLost("\(lost)"))
        }
        for period in work.periods where machine.marks[period] == nil {
            let begun = (extent.upperBound - origin).flooredDivision(by: period.seconds)
            let next = begun.quotient + (begun.remainder > 0 ? 1 : 0)
            var start = work.hasBacklog ? origin : origin + max(next, 0) * period.seconds
            if let limit = work.ageLimit, let wall = world.clock.wallTime {
                // A new target does not get files that are already too old by the present date.
                let edge = Int(wall.unixSeconds) - Int(limit.components.seconds)
                let old = (edge - origin).flooredDivision(by: period.seconds).quotient
                start = max(start, origin + old * period.seconds)
            }
            machine.marks[period] = FilePeriodCursor(from: start)
        }
        machine.resumeAsides()
        // A period that the configuration no longer names keeps its mark, and waits.
        self.origin = origin
        // Keep the windows' start at once: it is decided only once, even before the first file.
        await keep(origin)
        return true
    }

    /// Counts newly recorded samples, and samples that the ring has overwritten.
    ///
    /// - Throws: Errors of reading the store.
    func see() async throws {
        guard let extent = try await world.source.extent() else { return }
        let (oldest, end) = (extent.lowerBound, extent.upperBound)
        for period in work.periods {
            guard let mark = machine.marks[period] else { continue }
            var left = try await world.source.count(mark.settled..<max(mark.settled, mark.seen))
            for from in mark.asides where from < mark.settled {
                left += try await world.source.count(from..<(from + period.seconds))
            }
            let new = end > mark.seen ? try await world.source.count(mark.seen..<end) : 0
            // Another look may have counted them meanwhile.
            guard machine.marks[period] == mark else { continue }
            report(machine.see(period, in: (oldest, end), left: left, new: new))
        }
    }

    /// Makes one file and sends it.
    ///
    /// - Returns: Whether there was one.
    private func send() async throws -> Bool {
        guard let origin, let (file, mark) = try await next(origin) else {
            report(machine.foundNothing())
            isUpToDate = true
            return false
        }
        isUpToDate = false
        guard machine.delivery.isDue(file.place, at: world.clock.now) else { return false }
        try await deliver(file, try await skipped(before: file, mark), origin)
        return true
    }

    /// Counts the samples between the last file and this one that are in no file.
    private func skipped(before file: PlannedFile, _ mark: FilePeriodCursor) async throws -> Int {
        let before = mark.settled..<max(mark.settled, file.range.lowerBound)
        var skipped = try await world.source.count(before)
        let failed = machine.delivery.doubt.failed.filter { $0.period == file.period }.map(\.from)
        for from in Set(mark.asides + failed) where before.contains(from) {
            skipped -= try await world.source.count(from..<(from + file.period.seconds))
        }
        return skipped
    }

    /// Sends a file that was set aside.
    private func send(_ place: PlannedFile.Place) async throws {
        guard let origin, let mark = machine.marks[place.period] else { return }
        let file = try await world.source.next(place.period, from: place.from, origin: origin)
        if let file, file.place == place {
            return try await deliver(file, try await skipped(before: file, mark), origin)
        }
        let samples = try await world.source.count(place.range)
        report(machine.expire(place, samples: samples))
        await keep(origin)
    }

    private func keep(_ origin: Int) async {
        let cursor = FileCursor(origin: origin, marks: machine.marks)
        await world.cursors.keep(cursor.encode(), of: id)
    }

    private func deliver(_ file: PlannedFile, _ skipped: Int, _ origin: Int) async throws {
        let own = try await world.source.count(file.range)
        var outcome: DeliveryOutcome?
        if !isTooOld(file) {
            let made = try await make(file, origin)
            outcome = try await work.target.deliver(made, over: world.network)
            if outcome == .delivered { delivery.lastDelivery = world.clock.now }
        }
        report(machine.finish(file, samples: (own, skipped), outcome, at: world.clock.now))
        await keep(origin)
    }

    /// Compares each settled file with the receiver's copy.
    ///
    /// A file that was left out as too old is missing at the receiver, too.
    ///
    /// - Parameters:
    ///   - range: Seconds since 1970; files that lie in it, at least in part.
    ///   - repairs: Whether files that are missing are sent again.
    /// - Returns: By periods, and by time in each; empty before the first look at the store.
    /// - Throws: Errors of reading the store; `CancellationError`.
    func prove(_ range: Range<Int>, repairs: Bool) async throws -> [FileProof] {
        guard let origin else { return [] }
        var proofs: [FileProof] = []
        for period in work.periods {
            let before = (range.lowerBound - origin).flooredDivision(by: period.seconds).quotient
            var start = origin + max(before, 0) * period.seconds
            while let settled = machine.marks[period]?.settled,
                let file = try await world.source.next(period, from: start, origin: origin),
                file.range.upperBound <= settled, file.range.lowerBound < range.upperBound
            {
                proofs.append(try await prove(file, origin, repairs: repairs))
                start = file.range.upperBound
            }
        }
        return proofs
    }

    private func prove(
        _ file: PlannedFile,
        _ origin: Int,
        repairs: Bool
    ) async throws -> FileProof {
        let made = try await make(file, origin)
        var holding = try await work.target.holding(of: made, over: world.network)
        if holding == .missing, repairs,
            try await work.target.deliver(made, over: world.network) == .delivered
        {
            holding = try await work.target.holding(of: made, over: world.network)
        }
        let samples = try await world.source.count(file.range)
        return FileProof(path: made.path, samples: samples, holding: holding)
    }

    private func make(_ file: PlannedFile, _ origin: Int) async throws -> OutboxFile {
        let (source, heartbeat) = (world.source, loop.heartbeat)
        return try await OutboxFile(path: work.prefix + file.path) { number in
            heartbeat.beat(nextWithin: Self.promise)
            return try await source.piece(number, of: file, origin: origin)
        }
    }

    private func next(_ origin: Int) async throws -> (PlannedFile, FilePeriodCursor)? {
        var files: [PlannedFile] = []
        for period in work.periods {
            guard var start = machine.marks[period]?.settled else { continue }
            // Failed files and the first after them. Bound: files that fail or are set aside.
            while let file = try await world.source.next(period, from: start, origin: origin) {
                start = file.range.upperBound
                if machine.delivery.asides.contains(file.place) { continue }
                files.append(file)
                guard machine.delivery.doubt.failed.contains(file.place) else { break }
            }
        }
        guard let file = machine.first(of: files), let mark = machine.marks[file.period] else {
            return nil
        }
        return (file, mark)
    }

    private func isTooOld(_ file: PlannedFile) -> Bool {
        guard let limit = work.ageLimit, let now = world.dates.seconds else { return false }
        return .seconds(now - Int64(file.range.upperBound)) > limit
    }

    private func report(_ notices: [DeliveryNotice]) {
        for notice in notices { world.tell(id, notice) }
    }
}
