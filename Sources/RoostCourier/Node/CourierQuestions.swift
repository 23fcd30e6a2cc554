import ControlProtocol
import Core
import HardwareIO
import Profiles
import Store
import StoreQueries

/// Answers questions of people and of the dashboard to a courier.
struct CourierQuestions: Sendable {
    private static let flushMax = 600.0

    let node: CourierNode

    /// Returns the handlers of all questions.
    func table(for users: LocalUsers) -> QuestionTable {
        var table = QuestionTable("this courier", users: users)
        func on<Asked: Question>(
            _ type: Asked.Type,
            _ answer: @escaping @Sendable (Asked) async throws -> Asked.Answer
        ) {
            table.on(type) { question, _ in
                try await Self.refusing { try await answer(question) }
            }
        }
        on(GetCourierStatus.self) { _ in await node.report }
        on(FlushOutbox.self, flush)
        on(PauseTarget.self, pause)
        on(ResumeTarget.self, resume)
        on(DropSamples.self, drop)
        on(FindFates.self, why)
        on(RetryRefused.self, retry)
        on(ProveDelivery.self, prove)
        on(GetEntry.self) { try await node.settings.report(of: $0.target) }
        on(GetEntryKinds.self) { _ in try EntryKinds.report(node.world.presets) }
        table.on(TryEntry.self) { question, asker in
            try await Self.refusing { try await node.trial(question, by: asker) }
        }
        table.on(ConfigureEntry.self) { question, asker in
            try await node.apply(
                try await node.settings.configure(question, by: asker),
                for: asker
            )
            return await node.report
        }
        table.on(RemoveEntry.self) { question, asker in
            try await node.apply(try await node.settings.remove(question.target), for: asker)
            try await node.forget(question.target)
            return await node.report
        }
        table.on(UndoEntry.self) { question, asker in
            let change = try await node.settings.undo(question.target)
            try await node.apply(change, for: asker)
            if change.isRemoval { try await node.forget(change.id) }
            return await node.report
        }
        let backup = CourierBackup(node: node)
        on(ExportSettings.self) { _ in try await node.settings.exported() }
        on(BackUp.self) { try await backup.part(secrets: $0.secrets) }
        table.on(RestorePart.self) { question, asker in
            try await Self.refusing { try await backup.restore(question, by: asker) }
        }
        on(FindStations.self) { _ in try await node.stations() }
        let nearby = NearbyFinder(node.world)
        on(FindNearby.self) { _ in try await nearby.report() }
        on(SubscribePush.self) { try await subscriptions.subscribe($0) }
        on(UnsubscribePush.self) { try await subscriptions.unsubscribe($0) }
        on(NotifySubscribers.self) { try await subscriptions.notify($0) }
        on(GetPushKey.self) { _ in try await subscriptions.key() }
        on(GetSubscribers.self) { _ in try await subscriptions.report() }
        return table
    }

    private var subscriptions: PushSubscriptions {
        get throws {
            guard let subscriptions = node.pushSubscriptions else {
                throw ControlFailure(
                    code: .notOffered,
                    message: "this courier has no folder for subscribers"
                )
            }
            return subscriptions
        }
    }

    // MARK: Refusals

    /// Carries out an order that has to outlive the process.
    private func keep(_ order: () async throws -> Void) async throws {
        do { try await order() } catch let error as CourierFilesError {
            throw ControlFailure(
                code: .notKept,
                message: "done, but a restart forgets it: \(error)"
            )
        }
    }

    /// Converts failures into refusals that the client may read.
    private static func refusing<Value>(_ answer: () async throws -> Value) async throws -> Value {
        do { return try await answer() } catch let down as StationDown {
            throw ControlFailure(code: .store, message: down.description)
        } catch let unreadable as StoreUnreadable {
            throw ControlFailure(code: .store, message: unreadable.message)
        } catch let failure as NetworkFailure {
            throw ControlFailure(code: .unreachable, message: failure.words)
        } catch let mistake as PushMistake {
            throw CourierRefusal.wrong(mistake.description, at: "/\(mistake.member)")
        } catch let error as CourierFilesError {
            throw ControlFailure(code: .store, message: error.description)
        } catch let error as CryptoFailure {
            throw ControlFailure(code: .store, message: error.description)
        } catch let error as ConfigurationError {
            throw ControlFailure(code: .store, message: error.description)
        }
    }

    // MARK: Delivery

    private func flush(_ question: FlushOutbox) async throws -> CourierReport {
        let seconds = question.seconds ?? 60
        guard (0...Self.flushMax).contains(seconds) else {
            throw CourierRefusal.wrong("seconds is 0 to 600", at: "/seconds")
        }
        if let target = question.target { _ = try node.connector(target) }
        try await node.flush(question.target, for: .seconds(seconds))
        return await node.report
    }

    private func pause(_ question: PauseTarget) async throws -> CourierReport {
        let length = question.seconds
        if let length, !(1...366 * 86_400.0).contains(length) {
            throw CourierRefusal.wrong("seconds is 1 to 366 days, or left out", at: "/seconds")
        }
        let connector = try node.connector(question.target)
        try await keep { try await connector.pause(for: length.map { .seconds($0) }) }
        return await node.report
    }

    private func resume(_ question: ResumeTarget) async throws -> CourierReport {
        let connector = try node.connector(question.target)
        try await keep { try await connector.resume() }
        return await node.report
    }

    private func drop(_ question: DropSamples) async throws -> OutboxDropReport {
        let outlet = try node.connector(question.target)
        let moment = try Self.moment(question.time)
        if let drives = await outlet.drives {
            let count = try await drives.drop(before: moment)
            return OutboxDropReport(target: outlet.entry.id, dropped: count)
        }
        let task = try await task(of: outlet)
        let count = try await task.drop(before: moment)
        return OutboxDropReport(target: task.id, dropped: count)
    }

    private func retry(_ question: RetryRefused) async throws -> OutboxRetryReport {
        let task = try await task(of: node.connector(question.target))
        let (taken, left, why) = try await task.retry()
        return OutboxRetryReport(target: task.id, taken: taken, left: left, why: why)
    }

    private func why(_ question: FindFates) async throws -> OutboxFatesReport {
        let moment = try Self.moment(question.time)
        var found: [OutboxFatesReport.Fate] = []
        for id in node.ids where question.target == nil || question.target == id {
            guard let outlet = node.outlet(id) else { continue }
            let trouble = await outlet.report.why
            if let drives = await outlet.drives, let fate = try await drives.fate(from: moment) {
                found.append(Self.fate(of: fate.drive, fate.isSettled, at: id, trouble))
            }
            guard let task = await outlet.samples else { continue }
            for fate in try await SampleFates(try await task.snapshot()).from(moment) {
                let isWaiting = fate.kind == .waiting
                found.append(
                    OutboxFatesReport.Fate(
                        target: id,
                        device: fate.device,
                        time: fate.time?.iso8601,
                        fate: Self.name(fate.kind),
                        why: isWaiting ? trouble : nil
                    )
                )
            }
        }
        return OutboxFatesReport(fates: found)
    }

    private static func fate(
        of drive: PlannedDrive,
        _ isSettled: Bool,
        at target: String,
        _ trouble: String?
    ) -> OutboxFatesReport.Fate {
        OutboxFatesReport.Fate(
            target: target,
            device: drive.name,
            time: drive.dates?.from.iso8601,
            fate: isSettled ? "settled" : "waiting",
            why: isSettled ? nil : trouble
        )
    }

    private func prove(_ question: ProveDelivery) async throws -> OutboxProofReport {
        let seconds = question.seconds ?? 7 * 86_400
        guard (1...366 * 86_400.0).contains(seconds) else {
            throw CourierRefusal.wrong("seconds is 1 to 366 days", at: "/seconds")
        }
        guard let now = node.world.clock.wallTime ?? node.world.clock.wallReading?.wall else {
            throw ControlFailure(code: .store, message: "this computer does not know the time")
        }
        let from = WallTime(nanoseconds: now.nanoseconds - Int64(seconds * 1e9))
        let repairs = question.repairs ?? false
        let outlet = try node.connector(question.target)
        if let files = await outlet.files {
            return try await prove(files, of: outlet.entry.id, from..<now, repairs: repairs)
        }
        let task = try await task(of: outlet)
        let prover = OutboxProver(try await task.snapshot())
        let days = try await prover.prove(from..<now, repairs: repairs)
        return OutboxProofReport(
            target: task.id,
            days: days?.map { proof in
                OutboxProofReport.Day(
                    day: String(proof.day.iso8601.prefix(10)),
                    until: proof.until?.iso8601,
                    behind: proof.behind.isEmpty ? nil : proof.behind.mapValues(\.iso8601),
                    delivered: proof.delivered,
                    held: proof.held,
                    isProved: proof.isProved
                )
            }
        )
    }

    private func prove(
        _ task: FileOutboxTask,
        of target: String,
        _ range: Range<WallTime>,
        repairs: Bool
    ) async throws -> OutboxProofReport {
        let ends = (range.lowerBound.nanoseconds, range.upperBound.nanoseconds)
        let seconds = Int(ends.0 / 1_000_000_000)..<Int(ends.1 / 1_000_000_000)
        let proofs = try await task.prove(seconds, repairs: repairs)
        let files = proofs.map { proof in
            let (state, why) = Self.state(proof.holding)
            let (path, samples) = (proof.path, proof.samples)
            return OutboxProofReport.File(path: path, samples: samples, state: state, why: why)
        }
        return OutboxProofReport(target: target, files: files)
    }

    private static func state(
        _ holding: FileHolding
    ) -> (OutboxProofReport.File.State, why: String?) {
        switch holding {
        case .equal: (.proved, nil)
        case .other: (.differs, nil)
        case .missing: (.missing, nil)
        case .unanswered(let reason): (.unanswered, reason.words)
        }
    }

    private func task(of outlet: Connector) async throws -> OutboxTask {
        guard let task = await outlet.samples else {
            throw CourierRefusal.wrong("\(outlet.entry.id) takes no samples now", at: "/target")
        }
        return task
    }

    private static func moment(_ text: String) throws(ControlFailure) -> WallTime {
        guard let moment = WallTime(iso8601: text) else {
            throw CourierRefusal.wrong("time is ISO 8601, as 2026-11-23T09:00:00Z", at: "/time")
        }
        return moment
    }

    private static func name(_ kind: SampleFate.Kind) -> String {
        switch kind {
        case .delivered: "delivered"
        case .settled: "settled"
        case .waiting: "waiting"
        case .earlier: "earlier"
        case .notSeen: "notSeen"
        case .leftOut(let reason): reason.rawValue
        }
    }
}
