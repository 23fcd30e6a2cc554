import ArgumentParser
import Glibc
import PowerCut
import PowerCutWorkloads

/// Plays every power cut of every workload; exits with 1 when something acknowledged is lost.
@main
struct RoostPowerCut: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "powercut",
        abstract: "Cuts the power at every write and sync, and again while the store recovers."
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

    @Option(help: "Hours that the store's script lasts.")
    var hours = 72

    @Flag(help: "Cut the store at every operation too; takes an hour or so.")
    var full = false

    @Option(help: "Play one case, as a failure prints it: 123:torn-7/4:nothing.")
    var only: String?

    @Flag(help: "Let the medium refuse (EIO, full, read-only) at every operation instead.")
    var faults = false

    @Flag(help: "List the workloads.")
    var list = false

    func validate() throws {
        let names = Set(PowerCutWorkload.all.map(\.name) + ["store", "store-early"])
        for name in workloads where !names.contains(name) {
            throw ValidationError("there is no workload \(name); --list shows them")
        }
        guard every ?? 1 >= 1 else { throw ValidationError("--every is 1 or more") }
        guard (1...2).contains(depth) else { throw ValidationError("--depth is 1 or 2") }
        guard (1...720).contains(hours) else { throw ValidationError("--hours is 1 to 720") }
        guard seeds <= UInt64.max - seed else { throw ValidationError("seeds out of range") }
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
            let report = try play(workload)
            for failure in report.failures { print("  \(failure)") }
            let isRight = report.failures.isEmpty != workload.isPlanted
            let verdict = workload.isPlanted ? (isRight ? "found" : "NOT FOUND") : "lost"
            print(
                "\(workload.name): \(report.operationCount) operations,",
                "\(report.stateCount) states, \(report.secondCutCount) after a second cut,",
                workload.isPlanted ? verdict : "\(report.failures.count) \(verdict),",
                "seed \(seed), \(Self.seconds - began) s"
            )
            isAsExpected = isAsExpected && isRight
        }
        guard isAsExpected || only != nil else { throw ExitCode.failure }
    }

    /// Whole seconds of the monotonic clock.
    private static var seconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec
    }

    private func play(_ workload: PowerCutWorkload) throws -> PowerCutReport {
        let show = { (line: String) in print("  \(workload.name): \(line)") }
        let isStore = workload.name.hasPrefix("store")
        let stride = every ?? (isStore && !full ? 41 : 1)
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
                "scripts/powercut \(name) --seed \(seed) --hours \(hours) --only \($0)"
            }
        )
        // A recovery has hundreds of operations, and a state of the store takes some 50 ms.
        if isStore { plan.recoveryStride = stride * (full ? 127 : 13) }
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
}
