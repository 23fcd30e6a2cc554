import ArgumentParser
import Glibc
import PowerCutWorkloads

/// Lets the card of a store rot at every place in turn.
struct RotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rot",
        abstract: "Damages a store at every place in turn; see scripts/check rot."
    )

    @Option(help: "Of everything that is random.")
    var seed: UInt64 = 0

    @Option(help: "header, page, cut, log or refusal; all of them by default.")
    var kind: String?

    @Option(help: "The first place.")
    var from = 0

    @Option(help: "How many places; with --count 1 one is played alone.")
    var count: Int?

    @Option(help: "Each so many places.")
    var stride = 1

    @Option(help: "Where the folder is made.")
    var root = "/dev/shm"

    func validate() throws {
        guard stride > 0, from >= 0, kind.map({ StoreRot.Kind(rawValue: $0) != nil }) ?? true else {
            throw ValidationError("--kind is header, page, cut, log or refusal; --stride from 1 on")
        }
    }

    func run() throws {
        let rot = try StoreRot(seed: seed, root: root)
        let kinds =
            kind.flatMap { StoreRot.Kind(rawValue: $0) }.map { [$0] } ?? StoreRot.Kind.allCases
        var failures = 0
        for kind in kinds {
            let end = min(rot.count(of: kind), count.map { from + $0 } ?? .max)
            var (played, failed) = (0, 0)
            for place in Swift.stride(from: from, to: end, by: stride) {
                played += 1
                do { try rot.play(kind, place) } catch {
                    failed += 1
                    print("\(kind) \(place): \(error)")
                    print(
                        "    scripts/check rot --seed \(seed) --kind \(kind)",
                        "--from \(place) --count 1"
                    )
                    fflush(nil)
                }
            }
            print("rot: \(kind): \(played) places, seed \(seed), \(failed) failures")
            fflush(nil)
            failures += failed
        }
        guard failures == 0 else { throw ExitCode.failure }
    }
}
