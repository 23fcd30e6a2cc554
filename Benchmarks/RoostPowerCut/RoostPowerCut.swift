import ArgumentParser
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

    @Option(help: "Cut at every N-th operation only.")
    var stride = 1

    @Option(help: "Play one case, as a failure prints it: 123:torn-7/4:nothing.")
    var only: String?

    @Flag(help: "Do not cut again during recovery.")
    var once = false

    @Flag(help: "Let the medium refuse (EIO, full, read-only) at every operation instead.")
    var faults = false

    @Flag(help: "List the workloads.")
    var list = false

    func validate() throws {
        let names = Set(PowerCutWorkload.all.map(\.name))
        for name in workloads where !names.contains(name) {
            throw ValidationError("there is no workload \(name); --list shows them")
        }
        guard stride >= 1 else { throw ValidationError("a stride of \(stride)") }
        guard seeds <= UInt64.max - seed else { throw ValidationError("seeds out of range") }
        if let only, PowerCutCase(only) == nil { throw ValidationError("\(only) is no case") }
        if only != nil, workloads.count != 1 {
            throw ValidationError("--only needs the one workload it belongs to")
        }
    }

    func run() throws {
        let chosen = PowerCutWorkload.all.filter {
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
            let report = try play(workload)
            for failure in report.failures { print("  \(failure)") }
            let isRight = report.failures.isEmpty != workload.isPlanted
            let verdict = workload.isPlanted ? (isRight ? "found" : "NOT FOUND") : "lost"
            print(
                "\(workload.name): \(report.operationCount) operations,",
                "\(report.stateCount) states, \(report.secondCutCount) after a second cut,",
                workload.isPlanted ? verdict : "\(report.failures.count) \(verdict)"
            )
            isAsExpected = isAsExpected && isRight
        }
        guard isAsExpected || only != nil else { throw ExitCode.failure }
    }

    private func play(_ workload: PowerCutWorkload) throws -> PowerCutReport {
        let show = { (line: String) in print("  \(workload.name): \(line)") }
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
            command: { [name = workload.name] in "scripts/powercut \(name) --only \($0)" }
        )
        plan.fixesRandomness = true
        if once { plan.recoveryModels = [] }
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
