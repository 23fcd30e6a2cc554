import Configuration
import ControlProtocol
import Core
import Runtime
import Store
import Synchronization

/// The station's store as the rest of the node sees it: give, and never wait.
///
/// Outlives each `StoreWriter`: records that are not on the card yet are not lost with one of them.
final class StoreClient: Sendable {
    private struct State {
        var queue: StoreQueue?
        var devices: [DeviceConfiguration] = []
        /// Store configured at the start, whatever later edits of the file; nil before the start.
        var store: StoreConfiguration??
        var folder: String? { (store ?? nil)?.folder }
        var isHistoryFull = false
        var stationID: String?
        var journalPath: String?
        var hasToldAbsent = false
        var opened: OpenStore?
        var whenOpen: [String: @Sendable () -> Void] = [:]
    }

    let context: StationContext
    /// Followers that wait for new records.
    let waiters = TailWaiters()
    let freshAir = FreshAirHistory()
    private let age: StoreAge
    /// When the node began to run; a card may let the store wait for hours after that.
    let startedAt: MonotonicInstant
    /// Time after a start that the ledger explains by itself.
    private static let startingMax = Duration.milliseconds(GapLedger.startingMax * 100)
    private let state = Mutex(State())
    /// Wakes the store writer.
    let attention = Signal()

    init(_ context: StationContext) {
        self.context = context
        startedAt = context.clock.now
        age = StoreAge(bornAt: startedAt)
        let recording = context.recording
        context.recorder.watch { [weak self, waiters] in
            self?.queue?.append(recording.stored($0))
            waiters.sampleCame()
        }
        context.recorder.watchEvents { [weak self, waiters] event in
            self?.queue?.append(.event(event), isUrgent: event.isUrgent)
            waiters.eventCame(event)
        }
        context.modes.observe("store") { [weak self] _ in self?.reschedule() }
    }

    /// The devices whose schedules are written for the ledger.
    func configure(_ configuration: StationConfiguration) {
        let (queue, gone) = state.withLock { state in
            let before = Set(state.devices.map(\.name))
            state.devices = configuration.devices
            state.store = state.store ?? .some(configuration.store)
            return (state.queue, before.subtracting(configuration.devices.map(\.name)))
        }
        // Forgotten or no longer configured: nothing is expected of it from now on.
        for name in gone.sorted() { queue?.reschedule(name) }
        reschedule()
    }

    func rename(_ device: String, to name: String) { queue?.rename(device, to: name) }

    private var queue: StoreQueue? { state.withLock { $0.queue } }

    /// Folder of the store; nil until it is open and the mode before the start is known.
    var folder: String? {
        guard context.modes.isKnown else { return nil }
        return state.withLock { $0.queue == nil ? nil : $0.folder }
    }

    /// Where the history is, open or not; nil without a store.
    var historyPath: String? { state.withLock { $0.folder.map { "\($0)/history.db" } } }

    /// Records whether the history finds no room on the card.
    func set(isHistoryFull: Bool) { state.withLock { $0.isHistoryFull = isHistoryFull } }

    /// Reports the state of the store, given the present faults; nil without a configured store.
    func report(_ faults: Set<Fault.Kind>, at now: MonotonicInstant) -> StoreReport? {
        let state = state.withLock { $0 }
        guard let folder = state.folder else { return nil }
        let progress = state.queue?.progress
        var report = StoreReport(folder: folder, journal: state.journalPath)
        report.state = StoreReport.State(
            faults,
            isOpen: state.queue != nil,
            isHistoryFull: state.isHistoryFull
        )
        report.lossWindowSeconds = (state.store ?? nil)?.lossWindow.inSeconds ?? 0
        report.waitingSeconds = progress?.waitingSince?.age(at: now)
        report.lastCommitAgeSeconds = progress?.committedAt?.age(at: now)
        return report
    }

    /// Reads what alerts need of the past; nil before the store is open.
    func past(_ question: AlertHistory.Question) async throws -> AlertHistory? {
        var question = question
        guard let opened, let unwritten = queue?.unwritten(from: 0, limit: .max)
        else { return nil }
        question.unwritten = unwritten.payloads
        question.earliest = unwritten.earliest
        return try await opened.past(question)
    }

    /// Records the place of the journal, each time that it is opened.
    func reportJournal(at path: String) { state.withLock { $0.journalPath = path } }

    // MARK: Settings

    /// Gives other parts access to the open store, and resumes the tasks that wait for that.
    func serve(_ opened: OpenStore) {
        let whenOpen = state.withLock { state in
            state.opened = opened
            return state.whenOpen.values
        }
        for body in whenOpen { body() }
    }

    /// Calls `body` when the store is open, at once if it is; it replaces one under this name.
    func whenOpen(_ name: String, _ body: @escaping @Sendable () -> Void) {
        let isOpen = state.withLock { state in
            state.whenOpen[name] = body
            return state.opened != nil
        }
        if isOpen { body() }
    }

    /// The station's own id; nil before the store was open.
    var stationID: String? { state.withLock { $0.stationID } }

    /// Reads the station's id; makes it at the first start, and another one when `isNew`.
    func loadStationID(isNew: Bool = false) async throws {
        guard isNew || stationID == nil else { return }
        let known = isNew ? nil : try await settings()[StationID.setting]
        let id = known ?? StationID.made(in: context.bootID, at: context.clock.now)
        if known == nil { try await set(StationID.setting, to: id) }
        state.withLock { $0.stationID = id }
    }

    /// Access to the store for other parts; nil before it is open.
    var opened: OpenStore? { state.withLock { $0.opened } }

    /// Whether settings can be read and written.
    var isOpen: Bool { opened != nil }

    /// All settings; none before the store is open.
    func settings() async throws -> [String: String] { try await opened?.settings() ?? [:] }

    /// Changes a setting; nothing before the store is open.
    ///
    /// - Throws: `StoreError`: 64 settings there are, and 600 bytes of one with its key.
    func set(_ key: String, to value: String?) async throws {
        try await opened?.set(key, value)
    }

    /// Stores mutes and mode; does nothing before the store is open, since opening stores them.
    func settleMutes() async throws {
        guard let opened else { return }
        // First: until the mode is known, nothing follows the store.
        try await context.modes.settle(
            opened,
            in: context.bootID,
            recorder: context.recorder,
            since: startedAt,
            last: newest(of:)
        )
        try await context.mutes.settle(opened)
    }

    /// The newest that the store has of a boot; nil when it has nothing of that.
    func newest(of boot: BootID) async throws -> MonotonicInstant? {
        try await opened?.newest(of: boot)?.instant
    }

    // MARK: Age

    /// Whether the store is younger than a day; false while that is not known.
    var isYoung: Bool { age.isYoung(in: context, sureWall) }

    /// Wall time that is trusted enough to date the store, whose age decides who may claim it.
    private var sureWall: WallTime? {
        let reading = context.givenTime.reading(beside: context.clock)
        return reading.flatMap { $0.trust.isFirm ? $0.wall : nil }
    }

    /// Stores when the store was made, only with `claim.window`; an event reports a failure.
    func keepBirth() async {
        await age.keep(in: opened, of: context, sureWall)
    }

    // MARK: Followers

    /// Latest cursors of the store's followers; nil before the store is open.
    var cursors: CursorTable? { queue?.cursors }

    /// Keeps the cursor of a follower, as `StoreQueue.keep`; nil before the store is open.
    func keep(
        _ name: String,
        _ blob: [UInt8],
        isUrgent: Bool
    ) throws(CursorTable.Refusal) -> CursorTable? {
        try queue?.keep(name, blob, isUrgent: isUrgent)
    }

    /// The position after all records so far; nil without `folder`.
    ///
    /// From the first question on the records that follow are kept in memory.
    var tailEnd: StoreTailPosition? {
        guard folder != nil else { return nil }
        return queue.map { .records(of: process, after: $0.beginRecent()) }
    }

    private var process: StoreTailPosition.Process {
        .init(boot: context.bootID, start: startedAt)
    }

    /// Returns what follows a position; nil when memory does not have all of it.
    func recent(
        after number: Int,
        of process: StoreTailPosition.Process,
        limit: Int
    ) -> RecentRecords.Page? {
        process == self.process ? queue?.recent(after: number, limit: limit) : nil
    }

    func waitingBlocks(after sequence: UInt64, limit: Int) async throws -> JournalPage {
        let boot = context.bootID
        return try await opened?.waiting(after: sequence, limit: limit, in: boot) ?? JournalPage()
    }

    /// Returns records that no block holds yet (`StoreQueue.unwritten`); nil until the store opens.
    func unwritten(from number: Int, limit: Int) -> StoreQueue.Unwritten? {
        queue?.unwritten(from: number, limit: limit)
    }

    /// Whether the store was open before in this process.
    var hasQueue: Bool { queue != nil }

    /// Removes streams whose places the history gave to others.
    func forget(_ streams: [StreamID]) {
        if !streams.isEmpty { queue?.forget(streams) }
    }

    /// Records for absent devices that the history knows why they have no samples.
    func reportAbsent() {
        let (queue, devices, isFirst) = state.withLock { state in
            defer { state.hasToldAbsent = true }
            return (state.queue, state.devices, !state.hasToldAbsent)
        }
        let (present, now) = (Set(devices.map(\.name)), context.clock.now)
        if isFirst, startedAt.advanced(by: Self.startingMax) < now {
            // They were not here while the store could not be opened either.
            for device in queue?.absent(besides: present) ?? [] {
                reportMissing(.unplugged, startedAt..<now, of: device)
            }
            // Others got their names with the store: no driver had them before.
            for (device, arrival) in context.devices.arrivals
            where startedAt.advanced(by: Self.startingMax) < arrival {
                reportMissing(.driverStopped, startedAt..<arrival, of: device)
            }
        }
        queue?.reportAbsent(besides: present)
    }

    /// Records why there are no samples of a stretch of time, afterwards: no task could report it
    /// then.
    ///
    /// - Parameters:
    ///   - cause: `suspended`: no process ran; `driverStopped`: the driver hung.
    ///   - device: The device of the samples; nil for all.
    func reportMissing(
        _ cause: GapCause,
        _ stretch: Range<MonotonicInstant>,
        of device: String? = nil
    ) {
        let boot = context.bootID
        let from = GapMark.Place(boot, Tick(stretch.lowerBound))
        let to = GapMark.Place(boot, Tick(stretch.upperBound))
        guard from.tick < to.tick else { return }
        let streams: [StreamID?] = device.map { queue?.streams(of: $0) ?? [] } ?? [nil]
        for stream in streams {
            let mark = GapMark(cause, of: stream, from: from, to: to)
            context.recorder.recordSoon(mark.event(at: stretch.upperBound, in: boot))
        }
    }

    /// Records that the machine was suspended while the process started, if it took that long.
    func reportLateStart() {
        let now = context.clock.now
        guard startedAt.advanced(by: Self.startingMax) < now else { return }
        reportMissing(.suspended, startedAt..<now)
    }

    /// Records that a child made no progress, so that its device has no samples of that time.
    ///
    /// In `devices/balcony` the last part is the device; in other paths it is no device's name.
    func reportHung(_ child: String, _ stretch: Range<MonotonicInstant>) {
        let device = child.split(separator: "/").last.map(String.init) ?? child
        reportMissing(.driverStopped, stretch, of: device)
    }

    private func reschedule() {
        let (queue, devices) = state.withLock { ($0.queue, $0.devices) }
        for device in devices { queue?.reschedule(device.name) }
    }

    private func interval(of name: String) -> Duration? {
        let device = state.withLock { $0.devices }.first { $0.name == name }
        return device?.sampleInterval(isContinuous: context.modes.isContinuous)
    }

    /// The queue in front of a store that has just been opened, or the one there is.
    ///
    /// Records from before the opening, and those that an earlier process left, are added first.
    func open(
        _ opening: StationStore.Opening,
        lossWindow: Duration,
        mirror: sending TailMirror?
    ) -> StoreQueue {
        if let queue { return queue }
        let left = MirrorRecovery(
            mirror?.read().records ?? [],
            blocksHave: opening.countAfterMirror
        )
        if opening.countAfterMirror > 0 {
            mirror?.reset(after: opening.newestBlock, dropping: left.doneCount)
        }
        let queue = StoreQueue(
            StoreIntake(
                lossWindow: lossWindow,
                capacity: opening.payloadCapacity,
                streams: opening.streams,
                ended: opening.ended
            ),
            mirror: mirror,
            clock: context.clock,
            attention: attention,
            schedule: { [weak self] in self?.interval(of: $0) }
        )
        queue.begin(after: opening.newestBlock, opening.cursors)
        // Records from before a durable start come too late to be put in order: a process without a
        // mirror ran in between.
        let start = opening.newestStart.flatMap { $0.boot == context.bootID ? $0.tick : nil }
        for cursor in left.cursors { queue.restore(.cursor(cursor), isMirrored: false) }
        for bytes in left.records {
            let records = JournalRecordCodec.contents(bytes).records.filter { record in
                record.tick.map { $0 >= start ?? $0 } ?? true
            }
            for record in records { queue.restore(record) }
            if records.isEmpty { queue.passOver() }
        }
        queue.append(.started(at: Tick(startedAt), version: RoostVersion.text), isUrgent: true)
        // The mark of a survey that goes on comes before its readings.
        for event in context.recorder.events(since: .boot) {
            queue.append(.event(event), isUrgent: false)
        }
        let readings = context.recording.stored(context.recorder.readings(since: .boot))
        for sample in SampleGroups(readings).samples { queue.append(sample) }
        let isNew = opening.history == .fresh && opening.newestBlock == 0
        age.set(isNew: isNew, in: state.withLock { $0.folder })
        let told = ConfirmedTime(opening.confirmations + left.anchors, in: context.bootID)
        let whenOpen = state.withLock { state in
            state.queue = queue
            return state.whenOpen.values
        }
        context.givenTime.open(after: told) { [boot = context.bootID] time in
            let tick = Tick(time.at)
            let anchor = ClockAnchor(boot: boot, tick: tick, wall: time.wall, trust: time.trust)
            queue.append(.anchor(anchor), isUrgent: true)
        }
        for body in whenOpen { body() }
        return queue
    }
}
