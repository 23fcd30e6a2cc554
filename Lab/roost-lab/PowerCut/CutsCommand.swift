import ArgumentParser
import ClientSupport
import ControlProtocol
import Glibc
import PowerCut
import PowerCutWorkloads

/// Plays every power cut of every workload; exits with 1 when something acknowledged is lost.
struct CutsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cuts",
        abstract: "Cuts the power at every write and sync, and again while the store recovers.",
        discussion: """
            Without options the small workloads are played whole, to the second cut; of the store,
            every 41st operation. --full plays all of the store's operations with all models, and
            cuts the recovery of every --recovery-every-th. Cards that rot instead (bits of the
            header, zeroed pages, a file that is cut short, a damaged log, slots that refuse) are
            played by roost-lab rot.

            Exit codes: 0 nothing acknowledged was lost, 1 something was, 64 wrong usage.

            Examples: roost-lab cuts store --every 41
                      roost-lab cuts store --seed 8 --seeds 4 --json
                      roost-lab cuts store --only 123:torn-7/4:nothing
            """
    )

    @Argument(help: "Workloads to play; all when none is named.")
    var workloads: [String] = []

    @Option(help: "First seed of the random models.")
    var seed: UInt64 = 0

    @Option(help: "How many seeds.")
    var seeds: UInt64 = 8

    @Option(
        name: [.customLong("every"), .customLong("stride")],
        help: "Cut at every N-th operation only; 1, and for the store 41, when not said."
    )
    var every: Int?

    @Option(help: "1: do not cut again during recovery; 2: do.")
    var depth = 2

    @Option(help: "Cut the recovery of every N-th operation; see --depth.")
    var recoveryEvery: Int?

    @Option(help: "Hours that the store's script lasts.")
    var hours = 72

    @Flag(help: "Cut the store at every operation, with every model.")
    var full = false

    @Option(help: "Leave out the cuts before this one: goes on where a play was ended.")
    var from = 0

    @Option(help: "Play one part of several, such as 1/2 and 2/2, in processes of their own.")
    var shard = "1/1"

    @Option(help: "Play one case, as a failure prints it: 123:torn-7/4:nothing.")
    var only: String?

    @Flag(help: "Let the medium refuse (EIO, full, read-only) at every operation instead.")
    var faults = false

    @Flag(help: "Print JSON, one line for each workload.")
    var json = false

    @Flag(help: "List the workloads.")
    var list = false

    private struct Result: Encodable {
        let workload: String
        let seed: UInt64
        let operationCount: Int
        let stateCount: Int
        let secondCutCount: Int
        let equalCount: Int
        /// Whether it has to be found wrong, on purpose.
        let isPlanted: Bool
        let failures: [String]
        let seconds: Int
    }

    func validate() throws {
        let names = Set(PowerCutWorkload.all.map(\.name) + ["store", "store-early"])
        for name in workloads where !names.contains(name) {
            throw ValidationError("there is no workload \(name); --list shows them")
        }
        guard every ?? 1 >= 1 else { throw ValidationError("--every is 1 or more") }
        guard recoveryEvery ?? 1 >= 1 else {
            throw ValidationError("--recovery-every is 1 or more")
        }
        guard (1...2).contains(depth) else { throw ValidationError("--depth is 1 or 2") }
        guard (1...720).contains(hours) else { throw ValidationError("--hours is 1 to 720") }
        guard seeds <= UInt64.max - seed else { throw ValidationError("seeds out of range") }
        guard part != nil else { throw ValidationError("--shard is such as 1/2") }
        if let only, PowerCutCase(only) == nil { throw ValidationError("\(only) is no case") }
        if only != nil, workloads.count != 1 {
            throw ValidationError("--only needs the one workload it belongs to")
        }
    }

    func run() throws {
        let stores = try PowerCutWorkload.stores(hours: hours, seed: seed)
        let chosen = (PowerCutWorkload.all + stores).filter {
            workloads.isEmpty || workloads.contains($0.name)
        }
        if list {
            for workload in chosen {
                print(workload.name, workload.isPlanted ? "(must be found wrong)" : "")
            }
            return
        }
        var isAsExpected = true
        for workload in chosen where !(faults && workload.isPlanted) {
            let began = Self.seconds
            let line = try ProgressLine()
            let report = try play(workload, line)
            line.finish()
            let isRight = report.failures.isEmpty != workload.isPlanted
            guard !json else {
                try show(workload, report, seconds: Int(Self.seconds - began))
                isAsExpected = isAsExpected && isRight
                continue
            }
            for failure in report.failures { print("  \(failure)") }
            let verdict = workload.isPlanted ? (isRight ? "found" : "NOT FOUND") : "lost"
            print(
                "\(workload.name): \(report.operationCount) operations,",
                "\(report.stateCount) states, \(report.secondCutCount) after a second cut,",
                "\(report.equalCount) equal ones left out,",
                workload.isPlanted ? verdict : "\(report.failures.count) \(verdict),",
                "seed \(seed), \(Int(Self.seconds - began)) s"
            )
            isAsExpected = isAsExpected && isRight && reportCensus(workload, report)
        }
        guard isAsExpected || only != nil else { throw ExitCode.failure }
    }

    private func show(
        _ workload: PowerCutWorkload,
        _ report: PowerCutReport,
        seconds: Int
    ) throws {
        let result = Result(
            workload: workload.name,
            seed: seed,
            operationCount: report.operationCount,
            stateCount: report.stateCount,
            secondCutCount: report.secondCutCount,
            equalCount: report.equalCount,
            isPlanted: workload.isPlanted,
            failures: report.failures.map { "\($0)" },
            seconds: seconds
        )
        Output.line(try ControlCodec.line(result))
    }

    /// Prints the workload's operations; false when a required one is missing.
    private func reportCensus(_ workload: PowerCutWorkload, _ report: PowerCutReport) -> Bool {
        guard let census = workload.census(), !workload.isPlanted else { return true }
        let kinds = report.kinds.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        print("  files: \(kinds.joined(separator: ", "))")
        for line in "\(census)".split(separator: "\n") { print("  \(line)") }
        guard hours >= 72, !census.missing.isEmpty else { return true }
        print("  MISSING in the workload: \(census.missing.joined(separator: ", "))")
        return false
    }

    /// Seconds of the monotonic clock.
    private static var seconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private var part: PowerCutShard? {
        let numbers = shard.split(separator: "/").map { Int($0) ?? 0 }
        guard numbers.count == 2, numbers[0] >= 1, numbers[0] <= numbers[1] else { return nil }
        return PowerCutShard(index: numbers[0] - 1, count: numbers[1])
    }

    private func play(
        _ workload: PowerCutWorkload,
        _ line: ProgressLine
    ) throws -> PowerCutReport {
        let isStore = workload.name.hasPrefix("store")
        let stride = every ?? (isStore && !full ? 41 : 1)
        let show = progress(of: workload.name, on: line)
        guard !faults else {
            return try mediumFaults(
                stride: stride,
                workload: workload.write,
                verify: workload.verify,
                progress: show
            )
        }
        var plan = PowerCutPlan(
            models: CardModel.all(seeds: seed..<seed + seeds),
            stride: stride,
            only: only.flatMap(PowerCutCase.init),
            command: { [name = workload.name, seed, hours] in
                "roost-lab cuts \(name) --seed \(seed) --hours \(hours) --only \($0)"
            }
        )
        plan.first = from
        plan.shard = part ?? plan.shard
        // The recovery of the store has hundreds of operations.
        plan.recoveryStride = recoveryEvery ?? (isStore ? stride * (full ? 127 : 13) : 1)
        plan.fixesRandomness = true
        if depth == 1 { plan.recoveryModels = [] }
        // A planted bug needs to be found once.
        if workload.isPlanted { plan.failureCountMax = 1 }
        return try powercut(
            plan,
            workload: workload.write,
            verify: workload.verify,
            progress: show
        )
    }

    /// How far, how fast, how long still.
    private func progress(
        of name: String,
        on line: ProgressLine
    ) -> (PowerCutProgress) -> Void {
        let began = Self.seconds
        var first: Int?
        return { progress in
            let now = Self.seconds
            let from = first ?? progress.position
            first = from
            let rate = Double(progress.stateCount) / max(now - began, 0.001)
            let done = Double(progress.position - from)
            let left = Double(progress.operationCount - progress.position)
            let minutes = done > 0 ? Int((now - began) / done * left / 60) + 1 : 0
            line.show(
                "cuts: \(name): \(progress), \(Int(rate)) states/s, \(minutes) min to go"
            )
        }
    }
}
