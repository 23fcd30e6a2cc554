import CPowerCutVFS

/// Walks through the operations, and at each cut through the models.
struct Play {
    private let plan: PowerCutPlan
    private let operations: [PowerCutOperation]
    private let scratch: ScratchFolder
    private let verify: (PowerCutState) throws -> Void
    /// States verified since the last acknowledgement, by hash: the same state again needs no
    /// check.
    private var seen: Set<Int> = []
    private(set) var report = PowerCutReport()

    init(
        _ plan: PowerCutPlan,
        _ operations: [PowerCutOperation],
        scratch: ScratchFolder,
        _ verify: @escaping (PowerCutState) throws -> Void
    ) {
        self.plan = plan
        self.operations = operations
        self.scratch = scratch
        self.verify = verify
        report.operationCount = operations.count
        for operation in operations { report.kinds[operation.kind, default: 0] += 1 }
    }

    mutating func run(_ progress: (PowerCutProgress) -> Void) throws(PowerCutError) {
        var card = Card([:], nameDurability: plan.nameDurability)
        var acknowledged: [Int64] = []
        for position in 0...operations.count {
            if position > 0 {
                card.apply(operations[position - 1])
                if case .acknowledge(let number) = operations[position - 1] {
                    acknowledged.append(number)
                    seen = []
                }
            }
            guard isPlayed(position) else { continue }
            try play(card, at: position, acknowledged)
            guard report.failures.count < plan.failureCountMax else { return }
            progress(
                PowerCutProgress(
                    position: position,
                    operationCount: operations.count,
                    stateCount: report.stateCount,
                    equalCount: report.equalCount,
                    failureCount: report.failures.count
                )
            )
        }
    }

    private func isPlayed(_ position: Int) -> Bool {
        if let only = plan.only { return only.cut.position == position }
        guard position >= plan.first, plan.shard.contains(position) else { return false }
        return position % plan.stride == 0 || position == operations.count
    }

    private mutating func play(
        _ card: Card,
        at position: Int,
        _ acknowledged: [Int64]
    ) throws(PowerCutError) {
        let models = plan.only.map { [$0.cut.model] } ?? plan.models
        for model in card.isSettled ? Array(models.prefix(1)) : models {
            let files = card.survivors(model, at: position)
            guard isNew(files) else { continue }
            let cut = PowerCutCase.Cut(position: position, model: model)
            let recovery = try check(files, PowerCutCase(cut), acknowledged, [])
            guard report.failures.count < plan.failureCountMax else { return }
            try cutAgain(files, cut, acknowledged, recovery)
            guard report.failures.count < plan.failureCountMax else { return }
        }
    }

    /// The second cut: at each operation that the recovery did.
    private mutating func cutAgain(
        _ files: Card.Files,
        _ cut: PowerCutCase.Cut,
        _ acknowledged: [Int64],
        _ recovery: [PowerCutOperation]
    ) throws(PowerCutError) {
        guard plan.only == nil || plan.only?.second != nil else { return }
        guard plan.only != nil || cut.position % plan.recoveryStride == 0 else { return }
        var card = Card(files, nameDurability: plan.nameDurability)
        for (index, operation) in recovery.enumerated() {
            card.apply(operation)
            if let second = plan.only?.second, second.position != index + 1 { continue }
            for model in plan.only?.second.map({ [$0.model] }) ?? plan.recoveryModels {
                let left = card.survivors(model, at: index + 1)
                guard isNew(left) else { continue }
                let second = PowerCutCase.Cut(position: index + 1, model: model)
                let played = PowerCutCase(cut, second: second)
                report.secondCutCount += 1
                _ = try check(left, played, acknowledged, recovery)
                guard report.failures.count < plan.failureCountMax else { return }
            }
        }
    }

    private mutating func isNew(_ files: Card.Files) -> Bool {
        let isNew = seen.insert(Card.digest(files)).inserted
        if !isNew { report.equalCount += 1 }
        return isNew
    }

    /// Verifies one state of the card; returns what the verification did to it.
    private mutating func check(
        _ files: Card.Files,
        _ played: PowerCutCase,
        _ acknowledged: [Int64],
        _ recovery: [PowerCutOperation]
    ) throws(PowerCutError) -> [PowerCutOperation] {
        try scratch.fill(files)
        report.stateCount += 1
        // Each start of the program draws its own nonces, and equal states go on alike.
        if plan.fixesRandomness { powercut_fix_randomness(played.second == nil ? 2 : 3) }
        let recording = PowerCutRecording(folder: scratch.path)
        let state = PowerCutState(folder: scratch.path, acknowledged: acknowledged)
        do { try verify(state) } catch {
            var after = Self.text(operations, played.cut.position)
            if let second = played.second { after += ", " + Self.text(recovery, second.position) }
            scratch.doubt()
            report.failures.append(
                PowerCutFailure(
                    played: "\(played)",
                    after: after,
                    error: error,
                    command: plan.command(played)
                )
            )
        }
        let done = recording.operations
        scratch.apply(done)
        return done
    }

    private static func text(_ operations: [PowerCutOperation], _ position: Int) -> String {
        position == 0 ? "before anything" : "after \(operations[position - 1])"
    }
}
