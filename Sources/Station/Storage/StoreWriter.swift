import Configuration
import Core
import HardwareIO
import Runtime
import Store
import Synchronization

/// Writes waiting records to the card: one block at the end of each loss window, the history once a
/// day, and everything at an orderly stop.
///
/// A card that is slow, full or gone stops nothing else: it is reported once, waiting records stay
/// in memory, and writing is retried, at most five minutes apart. A history that cannot be written
/// is retried as well, without holding up the journal; a damaged one is replaced.
actor StoreWriter: OrderlyStop {
    static let longestPause: Duration = .minutes(5)
    /// Failures in a row, half a minute of them, after which the store is closed and opened again.
    ///
    /// A file system that went read-only, or a card that was removed, comes back only under new
    /// descriptors, and can be unmounted only without the old ones.
    static let failuresUntilReopening = 5
    /// The longest wait for the card in an orderly stop, less than the grace of the child.
    ///
    /// Waiting records are in the mirror then, and a running write stays on the disk thread.
    static let stopLimit: Duration = .seconds(8)
    /// After the start, when devices that are plugged in have been found: less than the ledger
    /// counts as starting, `GapLedger.startingMax`.
    static let absencePause: Duration = .seconds(90)
    /// Between two such records: one that the card lost leaves no more than this without a cause.
    static let absenceInterval: Duration = .hours(6)

    private let configuration: StoreConfiguration
    private let context: StationContext
    private let client: StoreClient
    private let boot: BootID
    /// The store belongs to the disk thread; here it is only handed on.
    private let store = LockedStore()
    private let isStopping = Atomic(false)
    private let stop = Signal()
    private var nextCheckpoint = MonotonicInstant.boot
    private var anchors = AnchorSchedule()
    /// Earliest instant of the next try to write the history, however full the journal is.
    private var retryCheckpoint = MonotonicInstant.boot
    private var takePause = Duration.seconds(1)
    private var isHeld = false
    private var isHistoryFull = false { didSet { client.set(isHistoryFull: isHistoryFull) } }
    private var reporter: StoreReporter
    private var failureCount = 0
    /// The newest block that is durable.
    private var acknowledged: UInt64 = 0
    /// Blocks of the journal's ring, and the block after which names were repeated last.
    private var slotCount = 0
    /// Whether the next stream may find no place: then that shall be known the same hour.
    private var isCrowded = false
    private var namedAt: UInt64 = 0
    private var reported: [StorePart: String] = [:]
    private var places = StorePlaces()

    init(_ configuration: StoreConfiguration, context: StationContext, client: StoreClient) {
        self.configuration = configuration
        self.context = context
        self.client = client
        boot = context.bootID
        reporter = StoreReporter(context)
    }

    nonisolated package func requestStop() {
        isStopping.store(true, ordering: .sequentiallyConsistent)
        client.attention.raise()
        stop.raise()
    }

    func run() async throws {
        let (clock, stop) = (context.clock, stop)
        let isDone: Void? = try await clock.run {
            try await self.keep()
        } unless: {
            _ = try await clock.wait(for: stop, until: nil, tolerance: .zero)
            try await clock.sleep(for: Self.stopLimit)
        }
        guard isDone == nil else { return }
        let limit = "the card did not answer for \(Int(Self.stopLimit.inSeconds)) s"
        reporter.report(.storeNotClosed, .error, ["reason": limit])
    }

    private func keep() async throws {
        guard let queue = try await openStore() else { return }
        var pause = Duration.seconds(1)
        var absentAt = context.clock.now.advanced(by: Self.absencePause)
        while !Task.isCancelled, !mustStop {
            if absentAt <= context.clock.now {
                absentAt = context.clock.now.advanced(by: Self.absenceInterval)
                client.reportAbsent()
            }
            let isWell = await attempt(.card) {
                try await self.reopenIfNeeded()
                try await self.writeDue(queue)
            }
            // Nothing leaves the station before the mode of before is known.
            var isModeKnown = context.modes.isKnown
            if !isModeKnown {
                isModeKnown = await attempt(.history) { try await self.client.settleMutes() }
            }
            pause = isWell && isModeKnown ? .seconds(1) : min(pause * 2, Self.longestPause)
            let tookWell = await takeIfDue()
            if isWell {
                await saveLasers()
                if let opened = client.opened { await client.freshAir.renew(opened, context) }
            }
            // Without room on the card it is not reopened: the journal goes on, and needs none.
            failureCount = isWell && (tookWell || isHistoryFull) ? 0 : failureCount + 1
            let retry = context.clock.now.advanced(by: pause)
            let due = isWell && isModeKnown ? queue.dueAt : retry
            let take = max(nextCheckpoint, retryCheckpoint)
            _ = try await context.clock.wait(
                for: client.attention,
                until: min(due ?? take, take, absentAt),
                tolerance: .seconds(1)
            )
        }
        try Task.checkCancellation()
        queue.append(.stopped(at: Tick(context.clock.now)), isUrgent: true)
        queue.seal()
        _ = await attempt(.card) { try await self.writeDue(queue) }
        await saveLasers(isLast: true)
        _ = await attempt(.history) {
            try await self.checkpoint()
            try await self.close()
        }
    }

    private var mustStop: Bool { isStopping.load(ordering: .sequentiallyConsistent) }

    /// Opens the store and waits for the card without limit; nil when a stop came first.
    private func openStore() async throws -> StoreQueue? {
        // Handed over to the queue below, and not touched here afterwards.
        nonisolated(unsafe) var mirror: TailMirror?
        var hasAskedForMirror = client.hasQueue  // The queue of the writer before has it.
        var pause = Duration.seconds(1)
        var opening: StationStore.Opening?
        while opening == nil, !mustStop {
            let isWell = await attempt(.card) {
                let id = try await self.claim()
                if !hasAskedForMirror { mirror = self.openMirror(of: id) }
                hasAskedForMirror = true
                opening = try await self.open(mirrorSequence: mirror?.sequence ?? 0)
            }
            guard !isWell else { continue }
            _ = try await context.clock.wait(
                for: client.attention,
                until: context.clock.now.advanced(by: pause),
                tolerance: pause / 4
            )
            pause = min(pause * 2, Self.longestPause)
        }
        guard let opening else { return nil }
        (acknowledged, namedAt) = (opening.newestBlock, opening.newestBlock)
        (slotCount, isCrowded) = (opening.journalSlotCount, opening.freePlaces < 64)
        // A checkpoint that a reader holds up is tried at once: only then is it reported.
        let interval: Duration = opening.isHeld ? .zero : StoreConfiguration.checkpointInterval
        nextCheckpoint = context.clock.now.advanced(by: interval)
        reporter.report(opening)
        client.serve(OpenStore(platform: context.platform, store: store))
        // The checkpoint reports a history that cannot be read; `keep` tries again.
        try? await client.settleMutes()
        let queue = client.open(opening, lossWindow: configuration.lossWindow, mirror: mirror)
        await client.keepBirth()
        places.apply(try await onStore { $0.takeStreamNews() }, client, context)
        return queue
    }

    /// Closes the store, and gives its folder back.
    private func close() async throws {
        try await context.platform.onDisk { [store] in try store.close() }
    }

    /// Locks the store's folder for this process; closes what is open of it.
    private func claim() async throws -> StoreID {
        let (folder, platform, store) = (configuration.folder, context.platform, store)
        return try await platform.onDisk { try store.claim { try platform.claimStore(folder) } }
    }

    /// The memory that outlives this process; nil, said in log and status, where there is none.
    private func openMirror(of store: StoreID) -> TailMirror? {
        do {
            let size = TailMirror.byteLimit
            let memory = try context.platform.openMirror(of: store, byteCount: size)
            context.faults.clear(.mirrorMissing)
            return TailMirror(memory, boot: boot, store: store)
        } catch {
            let window = Int(configuration.lossWindow.inSeconds)
            context.faults.raise(
                .mirrorMissing,
                "a crash of the process would lose what is not on the card yet, up to \(window) s: "
                    + "\(error)"
            )
            return nil
        }
    }

    /// Closes the store and opens it under new descriptors.
    ///
    /// - Throws: What `open` throws; then nothing of the card is held, and it can be unmounted.
    private func openAgain() async throws -> StationStore.Opening {
        _ = try await claim()
        return try await open(mirrorSequence: .max, acknowledged: acknowledged, forWriting: true)
    }

    /// Opens the store; with `forWriting` a journal that opens for reading alone is refused, since
    /// a file system that went read-only has to be unmounted before it can be repaired.
    private func open(
        mirrorSequence: UInt64,
        acknowledged: UInt64? = nil,
        forWriting: Bool = false
    ) async throws -> StationStore.Opening {
        let (configuration, platform, store) = (configuration, context.platform, store)
        let (history, client) = (historyPath, client)
        return try await platform.onDisk {
            try store.open { badSlots in
                var place = try configuration.place(history: history, on: platform)
                place.badSlots = badSlots
                let store = try StationStore(
                    place,
                    mirrorSequence: mirrorSequence,
                    acknowledged: acknowledged
                ) {
                    let journal = try platform.openJournal(
                        place.journalPath,
                        blockSize: StoreConfiguration.blockSize,
                        blockCount: configuration.journalBlockCount
                    )
                    if forWriting, journal.isReadOnly {
                        throw StorageError.readOnly(path: place.journalPath)
                    }
                    return journal
                }
                client.reportJournal(at: place.journalPath)
                return store
            }
        }
    }

    /// Stores the hours of the lasers; a failure is a fault, and tried again an hour later.
    private func saveLasers(isLast: Bool = false) async {
        let (lasers, now) = (context.lasers, context.clock.now)
        do {
            try await client.loadStationID()
            if !lasers.isLoaded { lasers.load(try await onStore { try $0.settings() }, at: now) }
            guard let settings = lasers.due(at: now, isLast: isLast) else { return }
            for (key, value) in settings { try await onStore { try $0.set(key, to: value) } }
            lasers.saved(settings, at: now)
            context.faults.clear(.laserHoursUnsaved)
        } catch is CancellationError {
            return
        } catch {
            lasers.postpone(at: now)
            // A history that cannot be written is a fault of its own.
            guard reported[.history] == nil else { return }
            context.faults.raise(.laserHoursUnsaved, "the hours of lasers are not stored: \(error)")
        }
    }

    private func reopenIfNeeded() async throws {
        guard failureCount >= Self.failuresUntilReopening else { return }
        // The mirror stays as it is: the queue has its content.
        let opening = try await openAgain()
        failureCount = 0
        if case .waiting = opening.history {} else { reporter.report(opening) }
    }

    private func writeDue(_ queue: StoreQueue) async throws {
        if let anchor = anchors.due(context.clock, in: boot) {
            queue.append(.anchor(anchor), isUrgent: false)
            if anchor.trust.isSure { await client.keepBirth() }
        }
        defer { if isCrowded, queue.takeNewStreams() { nextCheckpoint = context.clock.now } }
        while let batch = queue.nextBatch() {
            let boot = boot
            do {
                let sequence = try await onStore { try $0.append(batch.payload, boot: boot) }
                queue.acknowledge(sequence)
                acknowledged = sequence
                repeatNames(queue)
            } catch {
                queue.giveBack()
                await reportBadSlots()
                throw error
            }
            await reportBadSlots()
            for mark in queue.takeLosses(in: boot) {
                context.recorder.recordSoon(mark.event(at: context.clock.now, in: boot))
            }
        }
    }

    /// Four times in a turn of the ring, so that no block of it is without the names it needs.
    private func repeatNames(_ queue: StoreQueue) {
        guard acknowledged >= namedAt + UInt64(max(4, slotCount / 4)) else { return }
        namedAt = acknowledged
        queue.repeatNames(within: slotCount)
    }

    /// Checkpoints the journal into the history, when that is due or the journal is filling up.
    ///
    /// - Returns: false when it fails, or has failed and waits to be tried again.
    private func takeIfDue() async -> Bool {
        let now = context.clock.now
        guard retryCheckpoint <= now else { return reported[.history] == nil }
        var isDue = nextCheckpoint <= now
        if !isDue { isDue = await isJournalFilling() }
        guard isDue else { return reported[.history] == nil }
        if await attempt(.history, { try await self.checkpoint() }) {
            takePause = .seconds(1)
            return true
        }
        takePause = min(takePause * 2, Self.longestPause)
        retryCheckpoint = context.clock.now.advanced(by: takePause)
        return false
    }

    private func isJournalFilling() async -> Bool {
        (try? await onStore { $0.fill >= StationStore.urgentFill }) ?? false
    }

    private func checkpoint() async throws {
        if try await onStore({ $0.lacksHistory }) {
            let opening = try await openAgain()
            if case .waiting = opening.history {} else { reporter.report(opening) }
        }
        let checkpoint = try await onStore { try $0.checkpoint() }
        places.apply(try await onStore { $0.takeStreamNews() }, client, context)
        let now = context.clock.now
        nextCheckpoint = now.advanced(by: StoreConfiguration.checkpointInterval)
        switch checkpoint {
        case .taken: break
        case .replaced(let history): reporter.report(history)
        case .held(let logByteCount):
            await reportHeld(logByteCount)
            (nextCheckpoint, retryCheckpoint) = (now, now.advanced(by: Self.longestPause))
            return
        }
        if isHeld { reporter.report(.historyWrites, .notice) }
        isHeld = false
    }

    private func reportBadSlots() async {
        guard let count = try? await onStore({ $0.badSlots.count }) else { return }
        reporter.reportBadSlots(count, of: configuration.journalBlockCount)
    }

    /// Reports the process that has been reading the history for so long that it cannot be written.
    private func reportHeld(_ logByteCount: Int) async {
        guard !isHeld else { return }
        isHeld = true
        let (platform, path) = (context.platform, historyPath)
        let holder = try? await platform.onDisk { platform.holder(of: path) }
        reporter.report(
            .historyHeld,
            .warning,
            ["reader": holder.flatMap(\.self) ?? "unknown", "logBytes": "\(logByteCount)"]
        )
    }

    private var historyPath: String { "\(configuration.folder)/history.db" }

    private func onStore<Value: Sendable>(
        _ body: @escaping @Sendable (StationStore) throws -> Value
    ) async throws -> Value {
        try await context.platform.onDisk { [store] in try store.use(body) }
    }

    /// Does something with the card, and reports once when that begins or ceases to fail.
    private func attempt(_ part: StorePart, _ body: () async throws -> Void) async -> Bool {
        do {
            try await body()
            if let before = reported.removeValue(forKey: part) {
                reporter.report(part.isWell, .notice, ["was": before])
                context.faults.clear(part.fault, isTold: true)
            }
            if part == .history { isHistoryFull = false }
            return true
        } catch is CancellationError {
            return false  // The stop has waited long enough, or nothing waits for this child.
        } catch {
            let text = "\(error)"
            if part == .history { isHistoryFull = (error as? StoreError)?.isHistoryFull ?? false }
            if reported[part] != text { reporter.report(part.fails, .error, ["reason": text]) }
            reported[part] = text
            context.faults.raise(part.fault, "the store: \(text)", isTold: true)
            return false
        }
    }
}
