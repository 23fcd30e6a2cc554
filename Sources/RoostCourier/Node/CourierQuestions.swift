import ControlProtocol
import Core
import Store

/// Answers questions of people about the samples of a courier.
struct CourierQuestions {
    let node: CourierNode

    /// - Throws: `ControlFailure`, `StationDown`, `StoreUnreadable`, `NetworkFailure`;
    ///   `CancellationError`.
    func answer(_ request: CourierRequest) async throws -> String {
        switch request.command {
        case .drop: try Self.line(await drop(request))
        case .why: try Self.line(await why(request))
        case .retry: try Self.line(await retry(request))
        default: try Self.line(await prove(request))
        }
    }

    private static func line<Body: Codable & Sendable>(_ body: Body) throws -> String {
        try ControlCodec.line(ControlAnswer<Body>(.success(body)))
    }

    private func drop(_ request: CourierRequest) async throws -> OutboxDropReport {
        let outlet = try node.outlet(of: request)
        if let drives = await outlet.drives {
            let count = try await drives.drop(before: try Self.moment(request))
            return OutboxDropReport(target: outlet.entry.id, dropped: count)
        }
        let task = try await task(request)
        let count = try await task.drop(before: try Self.moment(request))
        return OutboxDropReport(target: task.id, dropped: count)
    }

    private func retry(_ request: CourierRequest) async throws -> OutboxRetryReport {
        let task = try await task(request)
        let (taken, left, why) = try await task.retry()
        return OutboxRetryReport(target: task.id, taken: taken, left: left, why: why)
    }

    private func why(_ request: CourierRequest) async throws -> OutboxFatesReport {
        let moment = try Self.moment(request)
        var found: [OutboxFatesReport.Fate] = []
        for id in node.ids where request.target == nil || request.target == id {
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

    private func prove(_ request: CourierRequest) async throws -> OutboxProofReport {
        let seconds = request.seconds ?? 7 * 86_400
        guard (1...366 * 86_400.0).contains(seconds) else {
            throw CourierRefusal.wrong("seconds is 1 to 366 days", at: "/seconds")
        }
        guard let now = node.world.clock.wallTime ?? node.world.clock.wallReading?.wall else {
            throw ControlFailure(code: "no-clock", message: "this computer does not know the time")
        }
        let from = WallTime(nanoseconds: now.nanoseconds - Int64(seconds * 1e9))
        let outlet = try node.outlet(of: request)
        if let files = await outlet.files {
            return try await prove(files, of: outlet.entry.id, from..<now, request)
        }
        let task = try await task(request)
        let prover = OutboxProver(try await task.snapshot())
        let days = try await prover.prove(from..<now, repairs: request.repairs ?? false)
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
        _ request: CourierRequest
    ) async throws -> OutboxProofReport {
        let ends = (range.lowerBound.nanoseconds, range.upperBound.nanoseconds)
        let seconds = Int(ends.0 / 1_000_000_000)..<Int(ends.1 / 1_000_000_000)
        let proofs = try await task.prove(seconds, repairs: request.repairs ?? false)
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

    private func task(_ request: CourierRequest) async throws -> OutboxTask {
        let outlet = try node.outlet(of: request)
        guard let task = await outlet.samples else {
            throw CourierRefusal.wrong("\(outlet.entry.id) takes no samples now", at: "/target")
        }
        return task
    }

    private static func moment(_ request: CourierRequest) throws(ControlFailure) -> WallTime {
        guard let text = request.time, let moment = WallTime(iso8601: text) else {
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
