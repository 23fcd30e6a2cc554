import ArgumentParser
import ClientSupport
import ControlProtocol
import Glibc
import PowerCutWorkloads

/// Opens the store in thousands of random states of its folder.
struct StatesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "states",
        abstract: "Opens the store in random states of its folder; see scripts/check states.",
        discussion: """
            The store has to open, say what is gone, keep what was not touched, and accept more.

            Exit codes: 0 it did in each state, 1 it did not in one, 64 wrong usage.

            Examples: roost-lab states
                      roost-lab states --count 200 --seed 3
                      roost-lab states --seed 3 --from 17 --count 1
                      roost-lab states --count 2000 --json
            """
    )

    @Option(help: "How many states.")
    var count: UInt64 = 10_000

    @Option(help: "Of everything that is random.")
    var seed: UInt64 = 0

    @Option(help: "The first state; with --count 1 it is played alone.")
    var from: UInt64 = 0

    @Option(help: "Where the folder is made.")
    var root = "/dev/shm"

    @Flag(help: "The root is a small file system that may be filled up.")
    var fills = false

    @Option(help: "A file that holds the number of the state being played, for after a crash.")
    var noteIn: String?

    @Flag(help: "Print one line of JSON instead of words.")
    var json = false

    private struct Result: Encodable {
        let seed: UInt64
        let stateCount: UInt64
        let failureCount: Int
        let asideCount: Int
        let lateCount: Int
        let slowestMilliseconds: Int
        let damages: [String: Int]
        let refusals: [String: Int]
    }

    func run() throws {
        let line = try ProgressLine()
        defer { line.finish() }
        var options = StoreStates.Options()
        (options.seed, options.root, options.mayFill) = (seed, root, fills)
        let states = try StoreStates(options)
        var failures = 0
        for number in from..<from + count {
            if let noteIn, let file = fopen(noteIn, "we") {
                fputs("\(number)\n", file)
                fclose(file)
            }
            do { try states.play(number) } catch {
                failures += 1
                Output.error(
                    "state \(number): \(error)\n    to see it again: roost-lab states "
                        + "--seed \(seed) --from \(number) --count 1"
                )
            }
            line.show("states: \(number + 1 - from) of \(count), \(failures) failures")
        }
        line.finish()
        try show(states, failures)
        guard failures == 0 else { throw ExitCode.failure }
    }

    private func show(_ states: StoreStates, _ failures: Int) throws {
        let slowest = Int(states.slowest * 1_000)
        if json {
            let result = Result(
                seed: seed,
                stateCount: count,
                failureCount: failures,
                asideCount: states.asideCount,
                lateCount: states.lateCount,
                slowestMilliseconds: slowest,
                damages: states.damages,
                refusals: states.refusals
            )
            return Output.line(try ControlCodec.line(result))
        }
        for (what, times) in states.damages.sorted(by: { $0.key < $1.key }) {
            Output.line("  \(what): \(times)")
        }
        for (text, times) in states.refusals.sorted(by: { $0.value > $1.value }).prefix(12) {
            Output.line("  refused and named, \(times) times: \(text)")
        }
        Output.line(
            "states: \(count) states, uid \(getuid()), seed \(seed), \(failures) failures, "
                + "\(states.asideCount) files set aside, \(states.lateCount) found damaged late, "
                + "slowest opening \(slowest) ms"
        )
    }
}
