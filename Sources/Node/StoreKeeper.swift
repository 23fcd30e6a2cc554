import HardwareIO
import Readings
import Store
import Supervision
import Synchronization

/// Writes what waits to the card: one block at the end of each loss window, the history every few
/// hours, and everything at an orderly stop.
///
/// A card that is slow, full or gone stops nothing else: it is named once, what waits stays in
/// memory, and writing is tried again, at most five minutes apart.
package actor StoreKeeper: OrderlyStop {
    static let longestPause: Duration = .minutes(5)
    /// Time from one clock anchor to the next.
    static let anchorInterval: Duration = .hours(1)

    private let configuration: StoreConfiguration
    private let context: StationContext
    private let post: StorePost
    private let boot: BootID
    /// The store belongs to the disk thread; here it is only handed on.
    private let vault = StoreVault()
    private let isStopping = Atomic(false)
    private var nextTake = MonotonicInstant.boot
    private var nextAnchor = MonotonicInstant.boot
    private var told: String?

    package init(_ configuration: StoreConfiguration, context: StationContext, post: StorePost) {
        self.configuration = configuration
        self.context = context
        self.post = post
        boot = context.bootID
    }

    nonisolated package func requestStop() {
        isStopping.store(true, ordering: .sequentiallyConsistent)
        post.attention.raise()
    }

    package func run() async throws {
        guard let queue = try await openStore() else { return }
        nextTake = context.clock.now.advanced(by: StoreConfiguration.takeInterval)
        var pause = Duration.seconds(1)
        while !Task.isCancelled, !mustStop {
            let isWell = await attempt { try await self.writeDue(queue) }
            pause = isWell ? .seconds(1) : min(pause * 2, Self.longestPause)
            let due = isWell ? queue.dueAt : context.clock.now.advanced(by: pause)
            _ = try await context.clock.wait(
                for: post.attention,
                until: min(due ?? nextTake, nextTake),
                tolerance: .seconds(1)
            )
        }
        try Task.checkCancellation()
        queue.take(.stopped(at: Tick(context.clock.now)), isUrgent: true)
        queue.seal()
        _ = await attempt {
            try await self.writeDue(queue)
            try await self.checkpoint()
            try await self.onStore { try $0.close() }
        }
    }

    private var mustStop: Bool { isStopping.load(ordering: .sequentiallyConsistent) }

    /// Opens the store, however long the card takes; nil when a stop came first.
    private func openStore() async throws -> StoreQueue? {
        let memory = context.platform.openMirror(context.name, byteCount: TailMirror.byteLimit)
        // Handed over to the queue below, and not touched here afterwards.
        nonisolated(unsafe) let mirror = memory.map { TailMirror($0, boot: boot) }
        let sequence = mirror?.sequence ?? 0
        var pause = Duration.seconds(1)
        var opening: StationStore.Opening?
        while opening == nil, !mustStop {
            let isWell = await attempt { opening = try await self.open(mirrorSequence: sequence) }
            guard !isWell else { continue }
            _ = try await context.clock.wait(
                for: post.attention,
                until: context.clock.now.advanced(by: pause),
                tolerance: pause / 4
            )
            pause = min(pause * 2, Self.longestPause)
        }
        guard let opening else { return nil }
        tell(opening)
        let (platform, vault) = (context.platform, vault)
        post.serve { sequence, limit in
            try await platform.onDisk {
                try vault.use { $0.waiting(after: sequence, limit: limit) }
            }
        }
        post.serve(
            StorePost.Settings(
                all: { try await platform.onDisk { try vault.use { try $0.settings() } } },
                set: { key, value in
                    try await platform.onDisk { try vault.use { try $0.set(key, to: value) } }
                }
            )
        )
        return post.open(opening, lossWindow: configuration.lossWindow, mirror: mirror)
    }

    private func open(mirrorSequence: UInt64) async throws -> StationStore.Opening {
        let (configuration, platform, vault) = (configuration, context.platform, vault)
        return try await platform.onDisk {
            platform.makeFolder(configuration.folder)
            let storage = try platform.openJournal(
                configuration.journal ?? "\(configuration.folder)/journal.ring",
                blockSize: StoreConfiguration.blockSize,
                blockCount: configuration.journalBlockCount
            )
            return try vault.open(
                journal: storage,
                historyPath: "\(configuration.folder)/history.db",
                plan: configuration.plan,
                mirrorSequence: mirrorSequence
            )
        }
    }

    private func writeDue(_ queue: StoreQueue) async throws {
        anchor(queue)
        while let batch = queue.nextBatch() {
            let boot = boot
            let sequence = try await onStore { try $0.append(batch.payload, boot: boot) }
            queue.acknowledge(sequence)
        }
        let isUrgent = try await onStore { $0.fill >= StationStore.urgentFill }
        if isUrgent || nextTake <= context.clock.now { try await checkpoint() }
    }

    private func checkpoint() async throws {
        try await onStore { try $0.checkpoint() }
        nextTake = context.clock.now.advanced(by: StoreConfiguration.takeInterval)
    }

    /// Notes what the wall clock says, once it is trusted and then every hour.
    private func anchor(_ queue: StoreQueue) {
        let now = context.clock.now
        guard nextAnchor <= now, let wall = context.clock.wallTime else { return }
        nextAnchor = now.advanced(by: Self.anchorInterval)
        let anchor = ClockAnchor(boot: boot, tick: Tick(now), wall: wall, isTrusted: true)
        queue.take(.anchor(anchor), isUrgent: false)
    }

    private func onStore<Value: Sendable>(
        _ body: @escaping @Sendable (StationStore) throws -> Value
    ) async throws -> Value {
        let vault = vault
        return try await context.platform.onDisk { try vault.use(body) }
    }

    /// Does something with the card, and tells once when that begins or ceases to fail.
    private func attempt(_ body: () async throws -> Void) async -> Bool {
        do {
            try await body()
            if let before = told {
                tell("card writes again", .notice, ["was": before])
                told = nil
                post.note(trouble: nil)
            }
            return true
        } catch {
            let words = "\(error)"
            if told != words { tell("card does not write", .error, ["reason": words]) }
            told = words
            post.note(trouble: words)
            return false
        }
    }

    private func tell(_ opening: StationStore.Opening) {
        tell("store open", .info, ["history": "\(opening.history)"])
        if case .setAside = opening.history {
            tell("history set aside", .error, ["what": "\(opening.history)"])
        }
        for damage in opening.damage.prefix(8) {
            tell("journal damaged", .error, ["where": "\(damage)"])
        }
    }

    private func tell(
        _ kind: String,
        _ severity: Event.Severity,
        _ details: KeyValuePairs<String, String>
    ) {
        context.recorder.note(
            Event(
                at: context.clock.now,
                source: "store",
                kind: kind,
                severity: severity,
                details
            )
        )
    }
}

/// Holds the store between two visits of the disk thread.
///
/// Unchecked: journal and history are plain objects that may not be shared, and the lock is all
/// that ever reaches them.
final class StoreVault: @unchecked Sendable {
    private let lock = Mutex(())
    private var store: StationStore?

    /// Opens the store; only on the disk thread.
    func open(
        journal: any BlockStorage,
        historyPath: String,
        plan: StorePlan,
        mirrorSequence: UInt64
    ) throws -> StationStore.Opening {
        try lock.withLock { _ in
            let opened = try StationStore(
                journal: journal,
                historyPath: historyPath,
                plan: plan,
                version: roostVersion,
                mirrorSequence: mirrorSequence
            )
            store = opened
            return opened.opening
        }
    }

    /// Uses the store; only on the disk thread.
    func use<Value: Sendable>(_ body: (StationStore) throws -> Value) throws -> Value {
        try lock.withLock { _ in
            guard let store else { throw StoreError.storage(.absent(path: "store")) }
            return try body(store)
        }
    }
}
