import ArgumentParser
import Glibc
import PowerCutWorkloads

/// Opens the store in thousands of random states of its folder.
struct StatesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "states",
        abstract: "Opens the store in random states of its folder; see scripts/check states."
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

    func run() throws {
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
                print("state \(number): \(error)")
                print("    scripts/check states --seed \(seed) --from \(number) --count 1")
                fflush(nil)
            }
            if (number + 1) % 1_000 == 0 {
                print("  \(number + 1 - from) of \(count) states, \(failures) failures")
                fflush(nil)
            }
        }
        for (what, times) in states.damages.sorted(by: { $0.key < $1.key }) {
            print("  \(what): \(times)")
        }
        for (text, times) in states.refusals.sorted(by: { $0.value > $1.value }).prefix(12) {
            print("  refused and named, \(times) times: \(text)")
        }
        let slowest = Int(states.slowest * 1_000)
        print(
            "states: \(count) states, uid \(getuid()), seed \(seed), \(failures) failures,",
            "\(states.asideCount) files set aside, \(states.lateCount) found damaged late,",
            "slowest opening \(slowest) ms"
        )
        guard failures == 0 else { throw ExitCode.failure }
    }
}
