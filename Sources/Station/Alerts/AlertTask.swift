import ControlProtocol
import Core
import Runtime
import Synchronization

/// Advances the alerts with time, and reads the past that they need from the store.
actor AlertTask: OrderlyStop {
    /// How late it may wake: a sample comes meanwhile in most cases.
    static let tolerance: Duration = .seconds(30)
    /// Time between two attempts to read from the store after a failure.
    static let patience: Duration = .minutes(5)

    private let service: AlertService
    private let store: StoreClient?
    private let context: StationContext
    private let isStopping = Atomic(false)
    private let stop = Signal()
    private var retryAt: MonotonicInstant?
    private var zone: String??

    init(_ service: AlertService, store: StoreClient?, context: StationContext) {
        (self.service, self.store, self.context) = (service, store, context)
    }

    nonisolated package func requestStop() {
        isStopping.store(true, ordering: .sequentiallyConsistent)
        stop.raise()
        service.attention.raise()
    }

    private var mustStop: Bool { isStopping.load(ordering: .sequentiallyConsistent) }

    func run() async throws {
        store?.whenOpen("alerts") { [attention = service.attention] in attention.raise() }
        while !Task.isCancelled, !mustStop {
            try await followZone()
            try await readPast()
            try await readVitals()
            guard !mustStop else { break }
            service.advance()
            _ = try await context.clock.wait(
                for: service.attention,
                until: [service.nextDeadline, retryAt, context.battery.dueAt].compactMap(\.self)
                    .min(),
                tolerance: Self.tolerance
            )
        }
        try Task.checkCancellation()
        service.stop()
    }

    private func followZone() async throws {
        let wanted = service.zone
        guard zone != .some(wanted) else { return }
        let platform = context.platform
        let found = try await onDisk { (own: platform.zone(wanted), machine: platform.zone(nil)) }
        guard let found else { return }
        if found.own == nil, let wanted {
            context.faults.raise(
                .settingsLeftOut,
                of: "zone",
                "this machine knows no zone \(wanted): the hours of alerts are the machine's"
            )
        } else {
            context.faults.clear(.settingsLeftOut, of: "zone")
        }
        if let rules = found.own ?? found.machine { service.use(zone: rules) }
        zone = .some(wanted)
    }

    private func readPast() async throws {
        if let retryAt, context.clock.now < retryAt { return }
        retryAt = nil
        if let store, !store.hasQueue { return }
        guard let question = service.question() else { return }
        guard let store else { return service.learn(nil, since: question.now) }
        do {
            let past = try await context.clock.run(unless: stop) { try await store.past(question) }
            if let found = past.flatMap(\.self) { return service.learn(found, since: question.now) }
        } catch is CancellationError {
            service.askAgain()
            throw CancellationError()
        } catch {
            // A store that cannot be read is reported as a fault of its own.
            retryAt = context.clock.now.advanced(by: Self.patience)
        }
        service.askAgain()
    }

    private func readVitals() async throws {
        let isDue = context.battery.dueAt.map { $0 <= context.clock.now } ?? false
        guard !mustStop, service.takeVitalsWanted(isDue: isDue) else { return }
        let platform = context.platform
        guard let vitals = try await onDisk({ platform.readVitals() }) else { return }
        let actions = context.battery.apply(vitals, at: context.clock.now)
        service.apply(vitals)
        if let trouble = context.battery.trouble {
            context.faults.raise(
                .batteryUnusable,
                "the machine would not be shut down for an empty battery: \(trouble)"
            )
        } else {
            context.faults.clear(.batteryUnusable)
        }
        for action in actions { try await perform(action) }
    }

    private func perform(_ action: BatteryMachine.Action) async throws {
        switch action {
        case .onBattery: context.record(.onBattery, .warning, ["percent": charge])
        case .onMains: context.record(.onMains, .notice, ["percent": charge])
        case .recovered: context.faults.clear(.powerOffFails)
        case .unanswered:
            context.faults.raise(
                .powerOffFails,
                "the battery is nearly empty, and the machine does not shut down"
            )
        case .powerOff:
            // Urgent: what waits is on the card before the machine goes.
            context.record(.powerOffAsked, .error, ["percent": charge])
            let platform = context.platform
            let outcome = try await onDisk {
                Result { () throws(PowerOffError) in try platform.requestPowerOff() }
            }
            guard case .failure(let error)? = outcome else { return }
            context.faults.raise(
                .powerOffFails,
                "the battery is nearly empty, and the machine cannot be shut down: \(error)"
            )
        }
    }

    private var charge: String { context.battery.report?.percent.map { "\($0)" } ?? "unknown" }

    /// Visits the disk thread; nil when a stop came first.
    private func onDisk<Value: Sendable>(
        _ body: @escaping @Sendable () -> Value
    ) async throws -> Value? {
        guard !mustStop else { return nil }
        let platform = context.platform
        return try await context.clock.run(unless: stop) { try await platform.onDisk(body) }
    }
}
