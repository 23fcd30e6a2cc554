import CPowerCutVFS

/// One play: where the power goes, what the card keeps, and perhaps the same again in recovery.
package struct PowerCutCase: Hashable, Sendable {
    package struct Cut: Hashable, Sendable {
        /// Operations done before the power went.
        package let position: Int
        package let model: CardModel

        package init(position: Int, model: CardModel) {
            self.position = position
            self.model = model
        }
    }

    package let cut: Cut
    /// Counted from the first operation of the recovery; nil: it runs to its end.
    package let second: Cut?

    package init(_ cut: Cut, second: Cut? = nil) {
        self.cut = cut
        self.second = second
    }
}

extension PowerCutCase: CustomStringConvertible {
    /// Text form, such as `123:torn-7/4:nothing`.
    package var description: String {
        [cut, second].compactMap(\.self).map { "\($0.position):\($0.model)" }
            .joined(separator: "/")
    }

    /// Reads what `description` wrote; nil when it is none.
    package init?(_ text: String) {
        let cuts = text.split(separator: "/").map { part -> Cut? in
            let halves = part.split(separator: ":")
            guard halves.count == 2, let position = Int(halves[0]), position >= 0,
                let model = CardModel(halves[1])
            else { return nil }
            return Cut(position: position, model: model)
        }
        guard (1...2).contains(cuts.count), let first = cuts[0] else { return nil }
        if cuts.count == 2, cuts[1] == nil { return nil }
        self.init(first, second: cuts.count == 2 ? cuts[1] : nil)
    }
}

/// The choice of cases to play, and the command that a failure prints.
package struct PowerCutPlan: Sendable {
    package var models: [CardModel]
    /// Models of the cut during recovery; empty: the recovery is not cut.
    package var recoveryModels: [CardModel]
    package var nameDurability: NameDurability
    /// Operations between two cuts; 1 cuts at every one, and the end is always played.
    package var stride: Int
    /// Cuts before this one are left out: to go on where a play was ended.
    package var first = 0
    package var shard = PowerCutShard(index: 0, count: 1)
    /// Operations between two cuts of the recovery, counted like `stride`.
    package var recoveryStride = 1
    /// The only case to play.
    package var only: PowerCutCase?
    /// Whether SQLite's nonces are the same whenever a case is played, so that every byte is.
    ///
    /// For a process that plays one case after the other: the nonces belong to the process, and
    /// drawn again in the middle of another play, they could make its stale journal look fresh.
    package var fixesRandomness = false
    /// Failures after which the play ends.
    package var failureCountMax = 10
    /// The command that plays one case again.
    package var command: @Sendable (PowerCutCase) -> String

    package init(
        models: [CardModel] = CardModel.all(seeds: 0..<3),
        recoveryModels: [CardModel] = [.nothing, .everything, .torn(seed: 0)],
        nameDurability: NameDurability = .afterFolderSync,
        stride: Int = 1,
        only: PowerCutCase? = nil,
        command: @escaping @Sendable (PowerCutCase) -> String = { "play only the case \($0)" }
    ) {
        precondition(stride >= 1, "a stride of \(stride)")
        self.models = models
        self.recoveryModels = recoveryModels
        self.nameDurability = nameDurability
        self.stride = stride
        self.only = only
        self.command = command
    }
}

/// The files that the program finds when it starts again after a power cut.
package struct PowerCutState: Hashable, Sendable {
    /// Where the files are now: another folder than the workload's.
    package let folder: String
    /// Numbers acknowledged before the cut, in order: all of them must be found.
    package let acknowledged: [Int64]
}

package struct PowerCutFailure: CustomStringConvertible {
    /// The case in its text form, such as `123:torn-7/4:nothing`.
    package let played: String
    /// The last operation before each cut, or the one refused.
    package let after: String
    package let error: any Error
    package let command: String

    package var description: String { "\(played), \(after): \(error)\n    \(command)" }
}

/// One part of a play that several processes share.
package struct PowerCutShard: Hashable, Sendable {
    /// Neighbouring cuts stay together: they have most of the equal states.
    static let span = 64

    package let index: Int
    package let count: Int

    package init(index: Int, count: Int) {
        precondition((0..<count).contains(index), "shard \(index) of \(count)")
        (self.index, self.count) = (index, count)
    }

    func contains(_ position: Int) -> Bool { position / Self.span % count == index }
}

/// How far a play is; reported after every cut.
package struct PowerCutProgress: Hashable, Sendable, CustomStringConvertible {
    package let position: Int
    package let operationCount: Int
    package let stateCount: Int
    package let equalCount: Int
    package let failureCount: Int

    package var description: String {
        "cut \(position) of \(operationCount), \(stateCount) states, \(equalCount) equal ones "
            + "left out, \(failureCount) failures"
    }
}

package struct PowerCutReport {
    /// Operations and acknowledgements of the workload.
    package internal(set) var operationCount = 0
    /// States of the card that were verified; those that equal one before are left out.
    package internal(set) var stateCount = 0
    /// States after a second cut, among `stateCount`.
    package internal(set) var secondCutCount = 0
    /// States that equal one verified before with the same acknowledgements.
    package internal(set) var equalCount = 0
    /// Counts of the workload's operations, by file and kind, as in `write history.db`.
    package internal(set) var kinds: [String: Int] = [:]
    package internal(set) var failures: [PowerCutFailure] = []
}

/// Runs the workload once, then verifies what every power cut during it would leave behind.
///
/// - Parameters:
///   - plan: Which cases.
///   - workload: Works in `recording.folder`, an empty one, and acknowledges as it goes.
///   - verify: Opens what is in `state.folder`, as the program does at its start, and throws when
///     something acknowledged is gone or the start fails. It must end with everything closed. What
///     it writes is recorded and cut in its turn.
/// - Returns: What was played and what failed; an empty list of failures is success.
/// - Throws: What the workload throws.
package func powercut(
    _ plan: PowerCutPlan = PowerCutPlan(),
    workload: (PowerCutRecording) throws -> Void,
    verify: @escaping (PowerCutState) throws -> Void,
    progress: (PowerCutProgress) -> Void = { _ in }
) throws -> PowerCutReport {
    if plan.fixesRandomness { powercut_fix_randomness(1) }
    let operations = try recorded(workload)
    var play = Play(plan, operations, scratch: try ScratchFolder(), verify)
    try play.run(progress)
    return play.report
}

func recorded(
    _ workload: (PowerCutRecording) throws -> Void
) throws -> [PowerCutOperation] {
    let folder = try ScratchFolder()
    let recording = PowerCutRecording(folder: folder.path)
    try workload(recording)
    return recording.operations
}
