import Configuration
import Core
import HardwareIO
import Runtime
import Store

/// Carries out what detection decides: probes ports, starts and ends devices, keeps the records.
actor DetectionTask: Child {
    /// How long devices wait for their names from the store, before they get provisional ones.
    static let storePatience: Duration = .seconds(10)
    /// How long until they are read past a store that is not open: a card that accepts no writes
    /// can often be read.
    static let readPause: Duration = .seconds(5)
    /// Time between two attempts to write after the card refused.
    static let savePause: Duration = .minutes(5)

    private let devices: DeviceBranch
    private let client: DetectionClient
    private let store: StoreClient
    private let context: StationContext
    private let heartbeat: Heartbeat
    private var probes: [Int: Signal] = [:]
    /// Records that the store does not have yet.
    private var unsaved: [String: DeviceRecord?] = [:]
    private var isSaving = false
    private var nextSave = MonotonicInstant.boot
    private var loading: Loading
    /// When names are read past the store; nil while they are.
    private var readAt: MonotonicInstant?

    private enum Loading {
        case waiting(until: MonotonicInstant)
        /// They have provisional names until the store supplies theirs.
        case late(nextTry: MonotonicInstant)
        case done
    }

    init(_ devices: DeviceBranch, heartbeat: Heartbeat) {
        (self.devices, self.heartbeat) = (devices, heartbeat)
        let station = devices.station
        (client, store, context) = (station.detection, station.store, station.context)
        loading = .waiting(until: context.clock.now.advanced(by: Self.storePatience))
        readAt = context.clock.now.advanced(by: Self.readPause)
    }

    func run() async throws {
        store.whenOpen("detection") { [attention = client.attention] in attention.raise() }
        client.probesLost()
        try await withThrowingDiscardingTaskGroup { group in
            while !Task.isCancelled {
                await load()
                client.timePassed()
                if mustRead {
                    readAt = nil
                    group.addTask { await self.readNames() }
                }
                for action in client.takeActions() { await perform(action, &group) }
                if mustSave {
                    // A card that stalls must not keep a sensor from being found.
                    isSaving = true
                    group.addTask { await self.saveAndGoOn() }
                }
                heartbeat.beat(nextWithin: .days(36_500))
                _ = try await context.clock.wait(
                    for: client.attention,
                    until: nextDeadline,
                    tolerance: .milliseconds(100)
                )
            }
            throw CancellationError()
        }
    }

    /// Whether there is a store to wait for.
    private var hasStore: Bool { devices.station.configuration.store != nil }

    private var nextDeadline: MonotonicInstant? {
        var all = [client.nextDeadline]
        switch loading {
        case .waiting(let until): all.append(until)
        case .late(let nextTry) where store.isOpen: all.append(nextTry)
        case .late, .done: break
        }
        if mayRead { all.append(readAt) }
        if !unsaved.isEmpty, store.isOpen, !isSaving { all.append(nextSave) }
        return all.compactMap(\.self).min()
    }

    private func perform(
        _ action: DetectionMachine.Action,
        _ group: inout ThrowingDiscardingTaskGroup<any Error>
    ) async {
        switch action {
        case .probe(let probe):
            let cancelled = Signal()
            probes[probe.port] = cancelled
            group.addTask { await self.run(probe, until: cancelled) }
        case .cancelProbe(let port): probes.removeValue(forKey: port)?.raise()
        case .start(let adoption): devices.start(adoption)
        case .end(let name): devices.end(name)
        case .drop(let name): devices.drop(name)
        case .rename(let old, let name): await devices.rename(old, to: name)
        case .notify(let notice):
            context.recorder.record(
                Event(
                    at: context.clock.now,
                    source: notice.source,
                    kind: notice.kind,
                    severity: notice.severity,
                    details: notice.details
                )
            )
        case .save(let identity, let record):
            guard hasStore else { return }
            unsaved[identity] = .some(record)
            nextSave = min(nextSave, context.clock.now)
        }
    }

    private func run(_ probe: DetectionMachine.Probe, until cancelled: Signal) async {
        let (platform, clock) = (context.platform, context.clock)
        let plan = ProbePlan(probe.candidates, expecting: probe.expected, at: clock.now)
        let result = await withTaskGroup(of: Prober.Result?.self) { group in
            group.addTask { await Prober(platform: platform, node: probe.node).run(plan) }
            group.addTask {
                _ = try? await clock.wait(for: cancelled, until: nil, tolerance: .zero)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        if probes[probe.port] === cancelled { probes[probe.port] = nil }
        switch result?.outcome {
        case .done(let verdict): client.probeEnded(port: probe.port, .verdict(verdict))
        case .failed(let error): client.probeEnded(port: probe.port, .failed(error))
        case .cancelled, nil: break
        }
    }

    // MARK: Remembered devices

    /// Reads the records when the store is open; without a store there are none.
    private func load() async {
        if case .done = loading { return }
        guard hasStore else {
            loading = .done
            return client.begin(with: [:])
        }
        let now = context.clock.now
        if store.isOpen {
            if case .late(let nextTry) = loading, now < nextTry { return }
            do {
                if let folder = devices.station.configuration.store?.folder {
                    let restored = RestoredRecords(store: store, context: context)
                    try await restored.applyCard(in: folder)
                }
                let settings = try await store.settings()
                loading = .done
                return client.begin(with: settings)
            } catch {
                return await goOnWithoutNames(until: now.advanced(by: Self.savePause), "\(error)")
            }
        }
        guard case .waiting(let until) = loading, until <= now else { return }
        await goOnWithoutNames(until: now, "the store is not open yet")
    }

    private func goOnWithoutNames(until nextTry: MonotonicInstant, _ reason: String) async {
        loading = .late(nextTry: nextTry)
        await notify(.namesNotRead, reason: reason)
        client.begin(with: nil)
    }

    /// Whether names may still have to be read past the store.
    private var mayRead: Bool {
        if case .done = loading { return false }
        return hasStore && !store.isOpen
    }

    private var mustRead: Bool {
        mayRead && readAt.map { $0 <= context.clock.now } == true
    }

    /// Reads the records of a store that cannot be opened to write.
    private func readNames() async {
        guard let path = store.historyPath else { return }
        let settings = try? await context.platform.onDisk {
            try HistoryReader(path: path).settings()
        }
        readAt = context.clock.now.advanced(by: Self.savePause)
        guard let settings, mayRead else { return }
        loading = .done
        client.begin(with: settings)
    }

    private var mustSave: Bool {
        hasStore && store.isOpen && !unsaved.isEmpty && !isSaving
            && nextSave <= context.clock.now
    }

    private func saveAndGoOn() async {
        await save()
        isSaving = false
        client.attention.raise()
    }

    /// Writes changes; after a refusal of the card it tries again.
    private func save() async {
        for (identity, record) in unsaved.sorted(by: { $0.key < $1.key }) {
            do {
                let value = try record?.json
                try await store.set(DeviceRegistry.keyPrefix + identity, to: value)
                // Later changes are written next time.
                if unsaved[identity] == .some(record) { unsaved[identity] = nil }
            } catch {
                nextSave = context.clock.now.advanced(by: Self.savePause)
                return await notify(.deviceNotRemembered, reason: "\(error)")
            }
        }
    }

    private func notify(_ kind: EventKind.Plain, reason: String) async {
        context.recorder.record(
            Event(
                at: context.clock.now,
                source: "detection",
                kind: .plain(kind),
                severity: .warning,
                ["reason": reason]
            )
        )
    }
}
